// Fills a database with a history by set-based statements: payments with deposits, events, ledger rows, holdings, and a
// few percent payouts and sweeps, such that the ledger's rules hold and custody is what the chain's rule says.

import type pg from 'pg';
import { MERCHANTS, merchantOf } from '../settle/environment.ts';
import { AMOUNT, HISTORY_HEIGHT, HOT_KEY, IS_OPEN, IS_PAID, IS_SWEPT, KEY, hashAt } from './chain.ts';

/** Payments inserted with one statement. */
const BATCH = 200_000;
const FEE = AMOUNT / 100n;
/** SQL: the merchant's money from one in so many payments is paid out. */
const IS_PAID_OUT = `${IS_PAID} and g % 40 = 2`;

const id = (prefix: string): string => `'${prefix}_' || lpad(g::text, 12, '0')`;
const MERCHANT = merchantOf('g');
const HEIGHT_OF = `${HISTORY_HEIGHT - 10_000} + g % 9000`;
const AT = `now() - interval '1 year' + g * interval '1 second'`;

/** SQL: account numbers are found by these names. */
const ACCOUNT = (owner: string, purpose: string): string =>
  `(select id from ledger_account where (owner, purpose, currency, network) = (${owner}, '${purpose}', 'USDT', 'ETH'))`;

const FIRST = [
  `insert into ledger_account (owner, purpose, currency, network)
   select 'gateway', purpose, 'USDT', 'ETH' from unnest(array['custody', 'fees']) as purpose
   union all select ${MERCHANT}, purpose, 'USDT', 'ETH'
   from generate_series(0, ${MERCHANTS} - 1) as g, unnest(array['available', 'reserved']) as purpose`,
  `insert into sender (network, address_key, role, next_nonce) values ('ETH', '${HOT_KEY}', 'HOT', 0)`,
];

/** Parameters: the first and the last number of a batch. */
const EACH = 'generate_series($1::bigint, $2::bigint) as g';

const BATCHES = [
  `insert into payment (id, merchant_id, currency, network, amount, address, address_key, derivation_account,
     derivation_index, status, version, tolerance_basis_points, late_payment_policy, required_confirmations,
     amount_received, amount_confirmed, fee_amount, expires_at, completed_at, created_at, updated_at)
   select ${id('ord')}, ${MERCHANT}, 'USDT', 'ETH', ${AMOUNT}, ${KEY}, ${KEY}, 'evm', g,
     case when ${IS_PAID} then 'SUCCEEDED' when ${IS_OPEN} then 'PENDING' else 'EXPIRED' end, 2, 0, 'ACCEPT', 12,
     paid.units, paid.units, paid.units / 100, case when ${IS_OPEN} then now() + interval '1 hour' else ${AT} end,
     case when ${IS_PAID} then ${AT} end, ${AT}, ${AT}
   from ${EACH}, lateral (select case when ${IS_PAID} then ${AMOUNT} else 0 end as units) paid`,
  `insert into deposit (id, network, tx_hash, ordinal, payment_id, merchant_id, currency, amount, status, block_hash,
     block_height, block_time, seen_at, late, credits, credited)
   select ${id('dep')}, 'ETH', '0xd' || lpad(to_hex(g), 63, '0'), 1, ${id('ord')}, ${MERCHANT}, 'USDT', ${AMOUNT},
     'CONFIRMED', '0xb' || ${HEIGHT_OF}, ${HEIGHT_OF}, ${AT}, ${AT}, false, 1, true
   from ${EACH} where ${IS_PAID}`,
  `insert into event (id, merchant_id, payment_id, version, type, payload, body, created_at, position, sequence)
   select ${id('evt')} || '_' || v, ${MERCHANT}, ${id('ord')}, v,
     case when v = 1 then 'payment.created' when ${IS_PAID} then 'payment.succeeded' else 'payment.updated' end,
     '{}', case when v = 2 and ${IS_PAID} then '{}' end, ${AT}, 2 * g + v, 2 * g + v
   from ${EACH}, generate_series(1, 2) as v`,
  `insert into holding (payment_id, network, currency, units)
   select ${id('ord')}, 'ETH', 'USDT', ${AMOUNT} from ${EACH} where ${IS_PAID} and not (${IS_SWEPT})`,
  `insert into transfer (id, network, purpose, payout_id, sender_key, sender_path, recipient_key, currency, amount, nonce,
     gas, max_per_gas, max_cost, raw, tx_hash, status, block_height, block_hash, cost, turn, created_at)
   select ${id('trf')}, 'ETH', 'SWEEP', null, ${KEY}, '', '${HOT_KEY}', 'USDT', ${AMOUNT}, 0, 0, 0, 0, '',
     '0xe' || lpad(to_hex(g), 63, '0'), 'CONFIRMED', ${HEIGHT_OF}, '0xb' || ${HEIGHT_OF}, 0, 1, ${AT}
   from ${EACH} where ${IS_SWEPT}`,
  `insert into payout (id, kind, merchant_id, currency, network, amount, network_fee, address, status, created_at,
     updated_at, completed_at)
   select ${id('wdr')}, 'WITHDRAWAL', ${MERCHANT}, 'USDT', 'ETH', ${AMOUNT - FEE}, 0, '0x1', 'COMPLETED', ${AT}, ${AT}, ${AT}
   from ${EACH} where ${IS_PAID_OUT}`,
  `insert into transfer (id, network, purpose, payout_id, sender_key, sender_path, recipient_key, currency, amount, nonce,
     gas, max_per_gas, max_cost, raw, tx_hash, status, block_height, block_hash, cost, turn, created_at)
   select ${id('pay')}, 'ETH', 'PAYOUT', ${id('wdr')}, '${HOT_KEY}', '', '0x1', 'USDT', ${AMOUNT - FEE}, g, 0, 0, 0, '',
     '0xf' || lpad(to_hex(g), 63, '0'), 'CONFIRMED', ${HEIGHT_OF}, '0xb' || ${HEIGHT_OF}, 0, 1, ${AT}
   from ${EACH} where ${IS_PAID_OUT}`,
  `insert into ledger_transaction (id, reference, payment_id, created_at, merchant_id)
   select ${id('ltx')}, 'credit/' || ${id('dep')} || '/1', ${id('ord')}, ${AT}, ${MERCHANT} from ${EACH} where ${IS_PAID}
   union all select ${id('ltr')}, 'reserve/' || ${id('wdr')}, null, ${AT}, ${MERCHANT} from ${EACH} where ${IS_PAID_OUT}
   union all select ${id('ltp')}, 'payout/' || ${id('wdr')}, null, ${AT}, ${MERCHANT} from ${EACH} where ${IS_PAID_OUT}`,
  `insert into posting (transaction_id, source_id, destination_id, amount)
   select p.* from ${EACH}, lateral (select ${ACCOUNT("'gateway'", 'custody')} as custody, ${ACCOUNT("'gateway'", 'fees')} as fees,
       ${ACCOUNT(MERCHANT, 'available')} as available, ${ACCOUNT(MERCHANT, 'reserved')} as reserved) a,
     lateral (
       select ${id('ltx')}, custody, available, ${AMOUNT} where ${IS_PAID}
       union all select ${id('ltx')}, available, fees, ${FEE} where ${IS_PAID}
       union all select ${id('ltr')}, available, reserved, ${AMOUNT - FEE} where ${IS_PAID_OUT}
       union all select ${id('ltp')}, reserved, custody, ${AMOUNT - FEE} where ${IS_PAID_OUT}
     ) p`,
];

const LAST = [
  `update ledger_account a set balance = sums.total from (
     select account, sum(amount) as total from (
       select destination_id as account, amount from posting union all select source_id, -amount from posting
     ) as moves group by account
   ) sums where sums.account = a.id`,
  `insert into event_counter (scope, last) select 'position', max(position) from event
   union all select merchant_id, max(sequence) from event group by merchant_id`,
];

/** Writes a history of so many payments. Indexes are built afterwards, which is faster and leaves the same schema. */
export async function writeHistory(client: pg.Client, payments: number): Promise<void> {
  const tables = ['payment', 'deposit', 'event', 'holding', 'transfer', 'payout', 'ledger_transaction', 'posting'];
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = any($1::regclass[]) and indexrelid not in (select conindid from pg_constraint)`,
    [tables],
  );
  await client.query(`set session_replication_role = replica; set maintenance_work_mem = '512MB'`);
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  for (const statement of FIRST) await client.query(statement);
  for (let first = 1; first <= payments; first += BATCH)
    for (const statement of BATCHES) await client.query(statement, [first, Math.min(payments, first + BATCH - 1)]);
  for (const statement of LAST) await client.query(statement);
  for (const { definition } of indexes) await client.query(definition);
  await moveTo(client, HISTORY_HEIGHT);
  await client.query('reset session_replication_role');
  await client.query('vacuum analyze');
  await client.query('checkpoint');
}

/** Moves the watcher's cursor, as if it had read the blocks up to there. */
export async function moveTo(client: pg.Client, height: number): Promise<void> {
  await client.query(
    `insert into chain_cursor (network, height, hash, block_time, tip_height) values ('ETH', $1, $2, now(), $1)
     on conflict (network) do update set height = excluded.height, hash = excluded.hash, tip_height = excluded.tip_height`,
    [height, hashAt(height)],
  );
  await client.query(`insert into chain_block (network, height, hash) values ('ETH', $1, $2) on conflict do nothing`, [
    height,
    hashAt(height),
  ]);
}

/** Records the deposits of some blocks after the history, which pay open orders; none are credited yet. */
export async function payOpenOrders(client: pg.Client, above: number, upTo: number, perBlock: number): Promise<void> {
  await client.query(
    `insert into deposit (id, network, tx_hash, ordinal, payment_id, merchant_id, currency, amount, status, block_hash,
       block_height, block_time, seen_at, late)
     select ${id('new')}, 'ETH', '0xa' || lpad(to_hex(g), 63, '0'), 1, p.id, p.merchant_id, 'USDT', ${AMOUNT}, 'PENDING',
       '0xb' || height, height, now(), now(), false
     from generate_series($1::bigint * $3::bigint, $2::bigint * $3::bigint - 1) as place,
       lateral (select 50 * place + 7 as g, ${HISTORY_HEIGHT} + place / $3::bigint + 1 as height) made
     join payment p on p.derivation_account = 'evm' and p.derivation_index = g`,
    [above - HISTORY_HEIGHT, upTo - HISTORY_HEIGHT, perBlock],
  );
  await moveTo(client, upTo);
}
