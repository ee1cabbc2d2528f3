// Writes one merchant's history in bulk: payments, deposits, withdrawals, deliveries, API-log rows and postings, spread
// over a year. Rare values are among the oldest rows. Ids are in the gateway's format and carry the row's time.

import type pg from 'pg';
import { newId, type IdPrefix } from '../../src/values/id.ts';

/**
 * SQL expressions that derive a payment's values from `g`, its position among the merchant's, from 1 for the oldest.
 */
const STATUS = `case when g <= 3 then 'PARTIALLY_PAID' else (array['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED',
  'SUCCEEDED', 'EXPIRED', 'EXPIRED', 'EXPIRED', 'CANCELED', 'REFUNDED'])[1 + g % 10] end`;
/** Rare values are among the oldest payments, and a short list has as many of them as a long one. */
const CURRENCY = `case when g between 5 and 34 then 'BNB' when g % 4 = 1 then 'USDC' else 'USDT' end`;
const NETWORK = `case when g between 5 and 34 then 'BSC' else 'ETH' end`;
const REFERENCE = `case when g % 40 = 1 and g <= 1000 then 'shared' else 'order-' || g end`;

const YEAR_MS = 365 * 86_400_000;
const BATCH = 20_000;
const AMOUNT = 25_000_000;

const PAYMENTS = `
insert into payment (id, merchant_id, currency, network, amount, address, address_key, derivation_account,
  derivation_index, status, version, test, merchant_order_id, product_name, customer_email, tolerance_basis_points,
  late_payment_policy, required_confirmations, amount_received, amount_confirmed, fee_amount, expires_at, completed_at,
  created_at, updated_at)
select id, $1, ${CURRENCY}, ${NETWORK}, ${AMOUNT}, a, a, 'evm', $4::bigint + g, ${STATUS}, 3, false, ${REFERENCE},
  'Annual subscription', 'customer@example.com', 0, 'ACCEPT', 12,
  case when paid then ${AMOUNT} else 0 end, case when paid then ${AMOUNT} else 0 end,
  case when paid then ${AMOUNT / 100} else 0 end, at + interval '30 minutes',
  case when paid then at + interval '5 minutes' end, at, at + interval '5 minutes'
from unnest($2::text[], $3::timestamptz[], $5::int[]) as r(id, at, g),
  lateral (select '0x' || md5(id) || '01234567' as a, g % 10 in (0, 1, 2, 3, 4, 9) and g > 3 as paid) as made`;

const DEPOSITS = `
insert into deposit (id, network, tx_hash, ordinal, payment_id, merchant_id, currency, amount, status, block_hash,
  block_height, block_time, seen_at, late, credits, credited)
select 'dep_' || substr(id, 5), network, '0x' || md5(id) || md5(address), 1, id, merchant_id, currency, amount,
  'CONFIRMED', '0x' || md5(address), 1000 + derivation_index / 100, created_at, created_at, false, 1, true
from payment where merchant_id = $1 and completed_at is not null`;

const WITHDRAWALS = `
insert into payout (id, kind, merchant_id, currency, network, amount, network_fee, address, status, tx_hash, created_at,
  updated_at, completed_at)
select id, 'WITHDRAWAL', $1, 'USDT', 'ETH', ${AMOUNT}, 0, '0x' || md5(id) || '01234567', 'COMPLETED',
  '0x' || md5(id) || md5(id), at, at, at
from unnest($2::text[], $3::timestamptz[]) as r(id, at)`;

const ENDPOINT = `
insert into webhook_endpoint (id, merchant_id, url, events, created_at, updated_at)
select 'whk_' || substr($1, 5), $1, 'https://shop.example/webhooks', '{*}', now(), now()`;

const DELIVERIES = `
insert into webhook_delivery (id, event_id, merchant_id, endpoint_id, is_primary, lane, url, status, attempts,
  first_attempt_at, last_attempt_at, response_code, response_time_ms, created_at)
select id, 'evt_' || substr(id, 5), $1, 'whk_' || substr($1, 5), true, 'shop', 'https://shop.example/webhooks',
  case when g <= 3 then 'DISABLED' when g % 100 = 7 then 'FAILED' else 'SUCCESS' end, 1, at, at, 200, 40, at
from unnest($2::text[], $3::timestamptz[], $4::int[]) as r(id, at, g)`;

const ATTEMPTS = `
insert into webhook_attempt (delivery_id, attempt, at, url, response_code, response_time_ms)
select id, 1, last_attempt_at, url, 200, 40 from webhook_delivery where merchant_id = $1`;

const API_LOG = `
insert into api_log (merchant_id, request_id, at, key_id, method, path, operation, status, duration_ms, ip)
select $1, substr(id, 5), at, 'pk_test_bench', 'POST', '/api/v1/payments', 'createPayment', 201, 7, '203.0.113.7'
from unnest($2::text[], $3::timestamptz[]) as r(id, at)`;

const ACCOUNTS = `
insert into ledger_account (owner, purpose, currency, network)
select owner, purpose, currency, network
from (values ('gateway', 'custody'), ('gateway', 'fees'), ($1::text, 'available')) as o(owner, purpose),
  (values ('USDT', 'ETH'), ('USDC', 'ETH'), ('BNB', 'BSC')) as p(currency, network)
on conflict do nothing`;

const TRANSACTIONS = `
insert into ledger_transaction (id, reference, payment_id, created_at, merchant_id)
select 'ltx_' || substr(id, 5), 'credit/' || id, id, created_at, merchant_id
from payment where merchant_id = $1 and completed_at is not null`;

const POSTINGS = `
insert into posting (transaction_id, source_id, destination_id, amount)
select 'ltx_' || substr(p.id, 5), case part when 'gross' then custody.id else available.id end,
  case part when 'gross' then available.id else fees.id end, case part when 'gross' then p.amount else p.fee_amount end
from payment p cross join (values ('gross'), ('fee')) as parts(part)
  join ledger_account custody on (custody.owner, custody.purpose, custody.currency, custody.network) =
    ('gateway', 'custody', p.currency, p.network)
  join ledger_account fees on (fees.owner, fees.purpose, fees.currency, fees.network) =
    ('gateway', 'fees', p.currency, p.network)
  join ledger_account available on (available.owner, available.purpose, available.currency, available.network) =
    (p.merchant_id, 'available', p.currency, p.network)
where p.merchant_id = $1 and p.completed_at is not null`;

/** The time of the row at a position, in Unix milliseconds: rows are spread evenly over the year before `end`. */
export const timeOf = (place: number, count: number, end: number): number =>
  Math.floor(end - YEAR_MS + (place / count) * YEAR_MS);

/** Batches of rows by their position, from 1 for the oldest. */
function* batches(prefix: IdPrefix, count: number, end: number) {
  for (let first = 1; first <= count; first += BATCH) {
    const places = Array.from({ length: Math.min(BATCH, count + 1 - first) }, (_, index) => first + index);
    const times = places.map((place) => timeOf(place, count, end));
    yield { ids: times.map((at) => newId(prefix, at)), times: times.map((at) => new Date(at)), places };
  }
}

interface History {
  readonly merchantId: string;
  /** The number of rows of each kind. */
  readonly count: number;
  /** The time of the newest row. */
  readonly end: number;
  /** Keeps the derivation indexes of two merchants apart. */
  readonly firstIndex: number;
}

/** Writes a merchant's history. Use the client for nothing else: its triggers are off. */
export async function writeHistory(client: pg.Client, { merchantId, count, end, firstIndex }: History): Promise<void> {
  await client.query('set session_replication_role = replica');
  for (const { ids, times, places } of batches('ord', count, end))
    await client.query(PAYMENTS, [merchantId, ids, times, firstIndex, places]);
  for (const { ids, times } of batches('wdr', count, end)) await client.query(WITHDRAWALS, [merchantId, ids, times]);
  for (const { ids, times, places } of batches('dlv', count, end))
    await client.query(DELIVERIES, [merchantId, ids, times, places]);
  for (const { ids, times } of batches('dep', count, end)) await client.query(API_LOG, [merchantId, ids, times]);
  for (const statement of [ENDPOINT, ATTEMPTS, DEPOSITS, ACCOUNTS, TRANSACTIONS, POSTINGS])
    await client.query(statement, [merchantId]);
}
