// Fills a database with what a gateway has after a long time: many rows in every table that grows, nearly all of them
// done with, and the newest of them waiting for the loops that work through them.

import type pg from 'pg';

export interface HistorySize {
  /** Orders, each with about one row in every other table that grows. */
  readonly orders: number;
  /** How many of them, the newest, are open, with everything that belongs to them still waiting. */
  readonly waiting: number;
}

/** Where the watcher is. Open deposits are in the newest blocks. */
export const TIP = 1_000_000;
/** Most orders belong to a few merchants; many others have none. */
export const MERCHANTS = 400;
export const BUSY_MERCHANTS = 4;
/** The oldest waiting orders have expired. */
export const OVERDUE = 50;

/** The number of an order's row in every table, from 1, as the ids have it; ids of what waits are above all others. */
export const idOf = (prefix: string, n: number, isWaiting = false): string =>
  `${prefix}_${isWaiting ? 'z' : '0'}${String(n).padStart(31, '0')}`;
export const keyOf = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;
export const hashOf = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`;
export const merchantOf = (n: number): string => idOf('mer', n % BUSY_MERCHANTS);
export const HOT = keyOf(0xf0f0f0);
/** An endpoint, and so the lane of its deliveries, by its number; the busy merchants have the first. */
export const endpointOf = (n: number): string => idOf('whk', n);

const WAITS = 'n > :orders - :waiting';
const id = (prefix: string, number = 'n'): string =>
  `'${prefix}_' || case when ${WAITS} then 'z' else '0' end || lpad((${number})::text, 31, '0')`;
const done = (prefix: string, n = 'n'): string => `'${prefix}_0' || lpad((${n})::text, 31, '0')`;
const key = (n = 'n') => `'0x' || lpad(to_hex(${n}), 40, '0')`;
const hash = (n = 'n') => `'0x' || lpad(to_hex(${n}), 64, '0')`;
const MERCHANT = done('mer', `n % ${BUSY_MERCHANTS}`);
const AT = `case when ${WAITS} then now() - interval '1 minute' else now() - interval '90 days' + n * interval '1 minute' end`;
const HEIGHT = `case when ${WAITS} then ${TIP} - n % 3 else ${TIP} - 100000 + n end`;
const EACH = 'generate_series(1, :orders) n';
/** Merchants, endpoints, deposit addresses that have sent: their number does not follow from that of orders. */
const FEW = `generate_series(0, ${MERCHANTS} - 1) n`;
/** Orders on a network with outputs instead of accounts. */
const HAS_OUTPUTS = 'n % 4 = 3';
/** Of the waiting payouts, those with a transaction under way. */
const IS_SENT = 'n % 4 in (0, 3)';
/** Each so many orders there is a batch of twenty payouts. */
export const BATCHED = 200;
/** Of the others, those that wait for an approval; one in ten has waited for too long. */
const AWAITS = 'n % 8 = 6';
const NETWORK = `case when ${HAS_OUTPUTS} then 'LTC' else 'ETH' end`;
const CURRENCY = `case when ${HAS_OUTPUTS} then 'LTC' else 'USDT' end`;
const ACCOUNT = `case when ${HAS_OUTPUTS} then 'ltc' else 'evm' end`;
const ASSET = `${CURRENCY}, ${NETWORK}`;
/** Orders that quotes of invoices made, on a network with accounts. */
const IS_QUOTED = 'n % 8 = 4';
const EXPIRY = `case when ${WAITS} and n % (:waiting / ${OVERDUE} + 1) > 0 then now() + interval '1 hour' else ${AT} end`;
const accountOf = (owner: string, purpose: string) =>
  `(select id from ledger_account where (owner, purpose, currency, network) = (${owner}, '${purpose}', 'USDT', 'ETH'))`;

/** In the order of foreign keys. `:orders` and `:waiting` stand for the size. */
const STATEMENTS = [
  `insert into merchant (id, email, company_name, webhook_secret, created_at)
   select ${done('mer')}, n || '@example.com', 'Shop', 'whsec_', now() from ${FEW}`,
  `insert into owner_session (id, merchant_id, created_at, expires_at, ended_at, ip)
   select ${done('ses')}, ${done('mer')}, now() - interval '9 days', now() + interval '1 day',
     case when n % 40 = 0 then now() - interval '3 days' end, '::1' from ${FEW}`,
  `insert into person (id, email, name, created_at) select ${done('usr')}, n || '@example.com', '', now() from ${FEW}`,
  `insert into membership (merchant_id, person_id, role, approves_from, created_at)
   select ${done('mer')}, ${done('usr')}, 'OWNER', now(), now() from ${FEW}`,
  `insert into factor (id, person_id, kind, label, created_at, credential_id, public_key, counter)
   select ${done('fac')}, ${done('usr')}, 'PASSKEY', '', now(), n, '', 0 from ${FEW}`,
  `insert into payout_policy (merchant_id, version, rules, updated_by, updated_at)
   select ${done('mer')}, 1, '{"limits": []}', ${done('usr')}, now() from ${FEW}`,
  `insert into payout_address (id, merchant_id, network, address, address_key, label, created_by, created_at, usable_at,
     removed_at)
   select ${done('adr')}, ${MERCHANT}, 'ETH', ${key()}, ${key()}, 'Bank', ${done('usr', `n % ${BUSY_MERCHANTS}`)}, now(), now(),
     case when n > 400 then now() end from ${EACH} where n % 4 = 0`,
  `insert into settlement_rule (id, merchant_id, currency, network, address_id, threshold, keep, schedule, hour, enabled,
     updated_by, created_at, updated_at)
   select ${done('stl')}, ${done('mer')}, 'USDT', 'ETH', ${done('adr', '400')}, 1, 0,
     case n % 2 when 0 then 'DAILY' else 'ON_THRESHOLD' end, case n % 2 when 0 then n % 24 end, true, ${done('usr')}, now(), now()
   from ${FEW}`,
  `insert into mail (id, template, recipient, locale, params, created_at, status, due_at, ended_at)
   select ${id('eml')}, 'password_changed', n || '@example.com', 'en', '{}', ${AT}, case when ${WAITS} then 'QUEUED' else 'SENT' end,
     ${AT}, case when not (${WAITS}) then ${AT} end from ${EACH}`,
  `insert into webhook_endpoint (id, merchant_id, url, events, is_primary, created_at, updated_at)
   select ${done('whk')}, ${done('mer')}, 'http://shop.test/' || n, array['payment.succeeded'], true, now(), now()
   from ${FEW}`,
  `insert into payment (id, merchant_id, currency, network, amount, address, address_key, derivation_account,
     derivation_index, status, version, merchant_order_id, callback_url, tolerance_basis_points, late_payment_policy,
     required_confirmations, amount_received, amount_confirmed, expires_at, completed_at, created_at, updated_at, invoice_id)
   select ${id('ord')}, ${MERCHANT}, ${ASSET}, 1000000, ${key()}, ${key()}, ${ACCOUNT}, n,
     case when ${WAITS} then 'PENDING' when n % 3 = 0 then 'EXPIRED' else 'SUCCEEDED' end, 3, 'ref-' || n,
     'http://shop.test/callback', 0, 'ACCEPT', 3,
     case when ${WAITS} or n % 3 = 0 then 0 else 1000000 end, case when ${WAITS} or n % 3 = 0 then 0 else 1000000 end,
     ${EXPIRY}, case when ${WAITS} then null else ${AT} end, ${AT}, ${AT}, case when ${IS_QUOTED} then ${id('inv')} end
   from ${EACH}`,
  `insert into invoice (id, merchant_id, link_id, amount, currency, status, version, merchant_invoice_id,
     tolerance_basis_points, late_payment_policy, spread, quote_minutes, expires_at, deadline, created_at, updated_at)
   select ${id('inv')}, ${MERCHANT}, case when n % 10 = 0 then 'lnk_' || n % 40 end, 10000, 'EUR',
     case when ${WAITS} then 'OPEN' when n % 3 = 0 then 'EXPIRED' else 'SETTLED' end, 1, 'ref-' || n, 0, 'ACCEPT', 0, 15,
     ${EXPIRY}, ${EXPIRY}, ${AT}, ${AT} from ${EACH}`,
  `insert into payment_link (id, merchant_id, name, currency, required_fields, optional_fields, enabled, created_at, updated_at)
   select ${done('lnk')}, ${MERCHANT}, 'Link ' || n, 'EUR', '[]', '[]', true, now(), now() from ${EACH} where n % 4 = 0`,
  `insert into quote (payment_id, invoice_id, currency, due, rate, spread, sources, quoted_at, ends_at, without_token)
   select ${id('ord')}, ${id('inv')}, 'EUR', 100 * 10 ^ 30::numeric, 1, 0, '{"names": [], "evidence": []}', ${AT}, ${EXPIRY}, true
   from ${EACH} where ${IS_QUOTED}`,
  `insert into deposit (id, network, tx_hash, ordinal, payment_id, merchant_id, currency, amount, status, block_hash,
     block_height, block_time, seen_at, late, credits, credited)
   select ${id('dep')}, ${NETWORK}, ${hash()}, 1, ${id('ord')}, ${MERCHANT}, ${CURRENCY}, 1000000,
     case when ${WAITS} then 'PENDING' else 'CONFIRMED' end, ${hash()}, ${HEIGHT}, ${AT}, ${AT}, false,
     case when ${WAITS} then 0 else 1 end, not (${WAITS}) from ${EACH}`,
  `insert into deposit (id, network, tx_hash, ordinal, payment_id, merchant_id, currency, amount, status,
     seen_at, late, gone, orphaned_height, left_height, spends)
   select ${id('dep', '(n + :orders)')}, ${NETWORK}, ${hash('(n + :orders)')}, 1, ${id('ord')}, ${MERCHANT}, ${CURRENCY}, 1,
     'ORPHANED', ${AT}, false, not (${WAITS} and n % 8 = 0), ${TIP} + 100, ${TIP} + 100, 'a:1'
   from ${EACH} where n % 4 = 0`,
  `insert into receipt (deposit_id, fiat_currency, rate, rate_at, fiat_amount, fiat_fee)
   select ${id('dep')}, 'EUR', 1, ${AT}, 100, 1 from ${EACH} where not (${WAITS})`,
  `insert into holding (payment_id, network, currency, units)
   select ${id('ord')}, 'ETH', 'USDT', case when n % 9 = 0 then 0 else 1000000 + n end from ${EACH}
   where not (${WAITS}) and not ${HAS_OUTPUTS}`,
  `insert into event (id, merchant_id, payment_id, version, type, payload, body, created_at, position, sequence)
   select ${id('evt', '2 * n + v')}, ${MERCHANT}, ${id('ord')}, v + 2,
     case v when 0 then 'payment.updated' else 'payment.succeeded' end, '{}', case v when 1 then '{}' end, ${AT},
     case when not (${WAITS}) or v = 0 then 2 * n + v end, case when not (${WAITS}) or v = 0 then 2 * n + v end
   from ${EACH}, generate_series(0, 1) v`,
  `insert into event (id, merchant_id, invoice_id, version, type, payload, body, created_at)
   select ${id('evt', '(n + 3 * :orders)')}, ${MERCHANT}, ${id('inv')}, 1, 'invoice.created', '{}', '{}', ${AT}
   from ${EACH} where ${WAITS} and ${IS_QUOTED}`,
  `insert into event_counter (scope, last) select 'position', 2 * :orders + 1
   union all select ${done('mer')}, 2 * :orders + 1 from generate_series(0, ${BUSY_MERCHANTS} - 1) n`,
  `insert into relay_cursor (name, position) select 'webhooks', 2 * (:orders - :waiting)`,
  `insert into webhook_lane (lane, merchant_id, due_at)
   select ${done('whk')}, ${done('mer')}, case when n < 2 * ${BUSY_MERCHANTS} and :waiting > 0 then now() end from ${FEW}`,
  `insert into webhook_delivery (id, event_id, merchant_id, endpoint_id, is_primary, lane, url, status, attempts,
     first_attempt_at, last_attempt_at, due_at, next_retry_at, response_code, created_at)
   select ${id('dlv')}, ${id('evt', '2 * n + 1')}, ${MERCHANT}, ${done('whk', `n % ${BUSY_MERCHANTS}`)}, true,
     ${done('whk', `n % ${BUSY_MERCHANTS}`)}, 'http://shop.test/' || n, case when ${WAITS} then 'RETRYING'
       when n % 50 = 0 then 'FAILED' else 'SUCCESS' end, 1, ${AT}, ${AT}, case when ${WAITS} then now() end,
     case when ${WAITS} then now() end, 200, ${AT} from ${EACH}`,
  `insert into webhook_attempt (delivery_id, attempt, at, url, response_code, response_time_ms, status)
   select ${id('dlv')}, 1, ${AT}, 'http://shop.test/' || n, 200, 20, 'SUCCESS' from ${EACH}`,
  `insert into webhook_endpoint_hour (endpoint_id, hour, succeeded, failed, took)
   select ${done('whk', `n % ${MERCHANTS}`)}, date_trunc('hour', now()) - n / ${MERCHANTS} * interval '1 hour', 1, 0, '{1}'
   from ${EACH}`,
  `insert into webhook_change (recorded_at, recorded_in, delivery_ids)
   select now() - interval '30 minutes' - case when n < 200 then interval '1 hour' else interval '0' end,
     (1 + n % 3)::text::xid8, array[${id('dlv')}] from ${EACH}`,
  `insert into webhook_claim (lane, lease, delivery_ids, attempts, leased_until)
   select ${done('whk', '(20 + n % 10)')}, 'lease-' || n, array[${id('dlv')}], array[0], now() + interval '1 hour' from ${FEW}
   where n > 0`,
  `insert into idempotency (scope, operation, key, input_digest, result, created_at)
   select ${MERCHANT}, 'createPayment', 'key-' || n, '', '{}',
     case when n <= :waiting then now() - interval '3 days' else now() end from ${EACH}`,
  `insert into api_log (merchant_id, request_id, at, method, path, status, duration_ms, ip)
   select ${MERCHANT}, 'req-' || n, case when n <= :waiting then now() - interval '100 days' else now() - n * interval '1 second' end,
     'GET', '/', 200, 1, '::1' from ${EACH}`,
  `insert into address_pool (account, index, address, address_key, taken, server_run)
   select 'sol', n, ${key()}, ${key()}, not (${WAITS}), extract(epoch from pg_postmaster_start_time())::text from ${EACH}`,
  `insert into derivation_account (account, xpub, next_index)
   select * from unnest(array['evm', 'btc', 'ltc', 'tron'], array['x', 'x', 'x', 'x']) a(account, xpub),
     lateral (select :orders + :waiting as next) i`,
  `insert into gap_address (id, account, index, address_key)
   select ${done('gap')}, 'evm', 10000000 + n, ${key('(10000000 + n)')} from ${FEW}`,
  `insert into sender (network, address_key, role, next_nonce)
   select 'ETH', ${key()}, 'DEPOSIT', 1 from ${FEW} where n > 0
   union all select network, '${HOT}', 'HOT', 1000000 from unnest(array['ETH', 'LTC']) network`,
  `insert into payout (id, kind, merchant_id, payment_id, currency, network, amount, network_fee, address, status,
     merchant_withdrawal_id, created_at, updated_at, completed_at, held_reason, held_since, version, awaits_until)
   select ${id('wdr')}, case when n % 5 = 0 then 'REFUND' else 'WITHDRAWAL' end, ${MERCHANT},
     case when n % 5 = 0 then ${id('ord')} end, ${ASSET}, 1000, 0, '0x1',
     case when not (${WAITS}) then 'COMPLETED' when ${IS_SENT} then 'BROADCAST' when ${AWAITS} then 'AWAITING_APPROVAL' else 'REQUESTED' end,
     'wd-' || n, ${AT}, ${AT},
     case when not (${WAITS}) then ${AT} end, case when ${WAITS} and n % 6 = 1 then 'MISSING_FUNDS' end,
     case when ${WAITS} and n % 6 = 1 then now() end, 1,
     case when ${AWAITS} then ${AT} + case when n % 80 = 6 then interval '0' else interval '1 hour' end end from ${EACH}`,
  `insert into payout_batch (id, merchant_id, rows, created_at)
   select ${done('bat')}, ${MERCHANT}, 20, ${AT} from ${EACH} where n % ${BATCHED} = 0`,
  // Twenty rows of one merchant, before the number of their batch.
  `update payout p set batch_id = ${done('bat', 'b.last')}
   from (select n as last from ${EACH} where n % ${BATCHED} = 0) b,
     lateral (select b.last - ${BUSY_MERCHANTS} * k as n from generate_series(1, 20) k) row
   where p.id = ${id('wdr', 'row.n').replaceAll('n > ', 'row.n > ')}`,
  `insert into payout_refusal (payout_id, block_hash, block_height)
   select ${id('wdr')}, ${hash()}, n from ${EACH} where n % 10 = 0`,
  `insert into transfer (id, network, purpose, payout_id, sender_key, sender_path, recipient_key, currency, amount, nonce,
     gas, max_per_gas, max_cost, raw, tx_hash, status, block_height, block_hash, cost, turn, created_at)
   select ${id('trf')}, ${NETWORK}, 'PAYOUT', ${id('wdr')}, '${HOT}', '', '0x1', ${CURRENCY}, 1000, n, 1, 1, 1, '', ${hash()},
     case when ${WAITS} then 'BROADCAST' when n % 200 = 0 then 'FAILED' else 'CONFIRMED' end,
     case when not (${WAITS}) then ${HEIGHT} end, case when not (${WAITS}) then ${hash()} end,
     case when not (${WAITS}) then 1 end, case when ${WAITS} then 0 else 1 end, ${AT}
   from ${EACH} where not (${WAITS}) or ${IS_SENT}`,
  `insert into transfer (id, network, purpose, for_payout_id, sender_key, sender_path, recipient_key, payer_key, currency,
     amount, nonce, gas, max_per_gas, max_cost, raw, tx_hash, status, block_height, block_hash, cost, turn, created_at)
   select ${done('trf', '(n + 2 * :orders)')}, 'ETH', 'SWEEP', ${id('wdr')}, ${key()}, '', '${HOT}',
     case when n % 2 = 0 then '${HOT}' end, 'USDT', 1000, 0, 1, 1, 1, '', ${hash('(n + 2 * :orders)')}, 'CONFIRMED', ${HEIGHT},
     ${hash()}, 1, 1, ${AT} from ${EACH} where not (${WAITS})`,
  `insert into change_output (transfer_id, ordinal, amount, spent)
   select ${id('trf')}, 1, 500, not (${WAITS}) from ${EACH} where ${HAS_OUTPUTS}`,
  `insert into spent_output (network, outpoint, sender_key, nonce, amount, address_key, path)
   select 'LTC', ${hash()} || ':1', '${HOT}', n, 1000, ${key()}, '' from ${EACH} where ${HAS_OUTPUTS} and not (${WAITS})`,
  `update deposit set spent = credited where network = 'LTC'`,
  `insert into funding (network, tx_hash, ordinal, address_key, currency, amount, block_height, block_hash, purpose,
     explained, spent)
   select ${NETWORK}, ${hash('(n + 3 * :orders)')}, 1,
     case when n % 2 = 0 then '${HOT}' else ${key(`(10000000 + n % 100)`)} end, ${CURRENCY}, 1000, ${TIP} - 50000 + n, ${hash()},
     case when n % 2 = 0 then 'capital' else 'suspense' end, n % 2 = 1 and n % 100 > 0, true
   from ${FEW}`,
  `insert into suspense_movement (kind, network, currency, amount, payment_id, merchant_id, note, operator, created_at)
   select 'CREDIT', ${NETWORK}, ${CURRENCY}, 1, ${id('ord')}, ${MERCHANT}, 'found', 'op', ${AT} from ${EACH} where n <= 400 and n % 10 = 0`,
  `insert into unknown_transaction (network, tx_hash, signers, transfers, block_height, block_hash, seen_at, resolved_at)
   select 'ETH', ${hash('(n + 4 * :orders)')}, array['${HOT}'], '[]', ${TIP} - 9000, '0x1', now(), now()
   from ${FEW}`,
  `insert into custody_read (network, address_key, height, hash, round)
   select 'ETH', ${key()}, ${TIP} - 90, '0x1', 1 from ${FEW}`,
  `insert into custody_reading (network, address_key, currency, units)
   select 'ETH', ${key()}, 'USDT', 1000000 from ${EACH} where n % 2 = 0`,
  `insert into stray_address (network, address_key) select 'ETH', ${key('(n + 20000000)')} from ${FEW}`,
  `insert into ledger_account (owner, purpose, currency, network)
   select 'gateway', purpose, 'USDT', 'ETH' from unnest(array['custody', 'fees', 'costs', 'suspense']) purpose
   union all select ${done('mer')}, purpose, 'USDT', 'ETH' from ${FEW}, unnest(array['available', 'reserved']) purpose`,
  `insert into ledger_transaction (id, reference, payment_id, created_at, merchant_id)
   select ${id('ltx')}, 'credit/' || ${id('dep')} || '/1', ${id('ord')}, ${AT}, ${MERCHANT} from ${EACH} where not (${WAITS})
   union all select ${id('ltx', '(n + :orders)')}, 'reserve/' || ${id('wdr')}, null, ${AT}, ${MERCHANT} from ${EACH}
   union all select ${id('ltx', '(n + 2 * :orders)')}, 'payout/' || ${id('wdr')}, null, ${AT}, ${MERCHANT} from ${EACH}
   where not (${WAITS})`,
  `insert into posting (transaction_id, source_id, destination_id, amount)
   select t.id, case when t.reference like 'credit%' then a.custody else a.available end,
     case when t.reference like 'credit%' then a.available when t.reference like 'reserve%' then a.reserved else a.custody end,
     1000
   from (select ${accountOf("'gateway'", 'custody')} as custody) g,
     lateral (select ${done('mer')} as merchant, g.custody, ${accountOf(done('mer'), 'available')} as available,
       ${accountOf(done('mer'), 'reserved')} as reserved from ${FEW} where n < ${BUSY_MERCHANTS}) a
     join ledger_transaction t on t.merchant_id = a.merchant order by t.created_at`,
  `update ledger_account set balance = case when purpose in ('available', 'reserved') then :orders * 1000 else 0 end`,
  // Figures of a few codes, each minute until now.
  `insert into rate (code, minute, usd, at, sources)
   select case n % 2 when 0 then 'BTC' else 'EUR' end, minute, case when n % 50 < 2 then null else 1 + n end, minute, '[]'
   from ${EACH}, lateral (select date_trunc('minute', now()) - (:orders - n) / 2 * interval '1 minute' as minute) m`,
  `insert into rate_feed (name, due_at) select 'feed ' || n, now() from ${FEW} where n < 10`,
  `insert into rate_tick (feed, code, usd, at)
   select 'feed ' || n % 10, 'C' || n / 10, 1, now() from ${FEW}`,
  `insert into chain_block (network, height, hash)
   select network, ${TIP} - n, ${hash(`(${TIP} - n)`)}
   from unnest(array['ETH', 'LTC']) network, generate_series(0, 1023) n`,
  `insert into chain_cursor (network, height, hash, block_time, tip_height)
   select network, ${TIP}, ${hash(String(TIP))}, now(), ${TIP} from unnest(array['ETH', 'LTC', 'SOL']) network`,
  `update ledger_checkpoint set posting_id = (select coalesce(max(id), 0) - least(50, :waiting) from posting),
     horizon = now() - interval '6 minutes', whole_at = now()`,
] as const;

/** Removes everything that `writeHistory` has written, and what was added since. */
export async function clearHistory(client: pg.Client): Promise<void> {
  const tables = STATEMENTS.map((text) => /^insert into (\w+)/.exec(text)?.[1]).filter((name) => name !== undefined);
  await client.query(
    `truncate ${[...new Set(tables)].join(', ')}, payout_freeze, sealed_balance, custody_progress cascade`,
  );
  await client.query('update ledger_checkpoint set posting_id = 0, next_posting_id = null');
}

/** Writes the history; statistics are left as they are. For a connection without triggers. */
export async function writeHistory(client: pg.Client, { orders, waiting }: HistorySize): Promise<void> {
  for (const text of STATEMENTS)
    await client.query(text.replaceAll(':orders', String(orders)).replaceAll(':waiting', String(waiting)));
}
