// The statements of the comparison of custody, on a real PostgreSQL: however long the history, they read what has
// changed and a slice of the rest, also where the statistics are from before the history.

import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { connectDatabase, query, type Database, type EntityManager } from '../../../../src/database/connection.ts';
import * as custody from '../../../../src/database/queries/ledger/custody.ts';
import * as progress from '../../../../src/database/queries/ledger/custody-progress.ts';
import * as readings from '../../../../src/database/queries/ledger/custody-readings.ts';
import { findDoubtful, findOpenTransactions } from '../../../../src/database/queries/payouts/transactions.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database/database.ts';
import { PATIENT_DATABASE } from '../../../support/patience.ts';

const PAYMENTS = 20_000;
/** The last of these have their deposits in blocks after the last comparison, and the others before it. */
const CHANGED = 20;
const CHUNK = 100;
const HEIGHT = 100_000;
const at = { hash: 'now', height: HEIGHT };
const place = { network: 'ETH', account: 'evm' } as const;
const claim = { network: 'ETH', by: 'test' };

let database: TestDatabase;
let db: Database;
afterEach(async () => {
  await db.close();
  await database.drop();
});

const keyOf = (nth: string) => `'0x' || lpad(to_hex(${nth}), 40, '0')`;

/** Creates the history; the tables are analysed before or after it, and by nobody else. */
async function fill(statistics: 'before' | 'after'): Promise<void> {
  database = await createTestDatabase();
  db = await connectDatabase({
    url: database.url,
    poolMax: 1,
    log: pino({ level: 'silent' }),
    patience: PATIENT_DATABASE,
  });
  const { sql } = database;
  const tables = ['payment', 'deposit', 'transfer', 'payout', 'holding', 'custody_reading', 'custody_read', 'sender'];
  for (const table of tables) await sql(`alter table ${table} set (autovacuum_enabled = false)`);
  if (statistics === 'before') await sql('analyze');
  await sql(
    `insert into merchant (id, email, company_name, webhook_secret, created_at) values ('mer', 'm', 'S', '', now())`,
  );
  await sql(
    `insert into chain_cursor (network, height, hash, block_time, tip_height) values ('ETH', $1, 'now', now(), $1)`,
    [HEIGHT],
  );
  await sql(`insert into chain_block (network, height, hash) values ('ETH', $1, 'now')`, [HEIGHT]);
  await sql(
    `insert into payment (id, merchant_id, currency, network, amount, address, address_key, derivation_account,
       derivation_index, status, version, tolerance_basis_points, late_payment_policy, required_confirmations,
       expires_at, created_at, updated_at)
     select 'ord_' || n, 'mer', 'USDT', 'ETH', 1, '', ${keyOf('n')}, 'evm', n, 'SUCCEEDED', 1, 0, 'ACCEPT', 1, now(), now(), now()
     from generate_series(1, $1::int) as n`,
    [PAYMENTS],
  );
  await sql(
    `insert into deposit (id, network, tx_hash, ordinal, payment_id, merchant_id, currency, amount, status, block_hash,
       block_height, block_time, seen_at, late, credits, credited)
     select 'dep_' || n, 'ETH', '0x' || n, 0, 'ord_' || n, 'mer', 'USDT', 1, 'CONFIRMED', 'b',
       case when n > $1 - $2 then $3 - 1 else n end, now(), now(), false, 1, true
     from generate_series(1, $1::int) as n`,
    [PAYMENTS, CHANGED, HEIGHT],
  );
  await sql(
    `insert into transfer (id, network, purpose, sender_key, sender_path, recipient_key, currency, amount, nonce, gas,
       max_per_gas, max_cost, raw, tx_hash, status, block_height, block_hash, cost, created_at)
     select 'trf_' || n, 'ETH', 'SWEEP', ${keyOf('n')}, '', '0xhot', 'USDT', 1, 0, 0, 0, 0, '', '0xt' || n, 'CONFIRMED', n, 'b', 0, now()
     from generate_series(1, $1::int) as n`,
    [PAYMENTS],
  );
  await sql(
    `insert into custody_reading (network, address_key, currency, units)
     select 'ETH', ${keyOf('n')}, 'USDT', 1 from generate_series(1, $1::int) as n`,
    [PAYMENTS],
  );
  await sql(`insert into custody_total (network, currency, units) values ('ETH', 'USDT', $1)`, [PAYMENTS]);
  if (statistics === 'after') await sql('analyze');
}

/** The rows that a transaction has read so far, by table. */
async function rowsRead(em: EntityManager): Promise<number> {
  const [row] = await query<{ rows: string }>(
    em,
    `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) as rows from pg_stat_xact_user_tables`,
  );
  return Number(row?.rows);
}

/** Everything that a comparison asks of the database, with the rows that each of its statements reads. */
async function compare(em: EntityManager): Promise<{ due: readings.DueReadings; read: Record<string, number> }> {
  const read: Record<string, number> = {};
  let before = await rowsRead(em);
  const count = async <Answer>(name: string, answer: Promise<Answer>): Promise<Answer> => {
    const result = await answer;
    const now = await rowsRead(em);
    read[name] = now - before;
    before = now;
    return result;
  };
  await count('claimCustody', progress.claimCustody(em, claim));
  const keys = await count('findAddresses', progress.findAddresses(em, place, '', CHUNK));
  await count('findOpenOrders', progress.findOpenOrders(em, 'ETH', { at: null, id: '' }, CHUNK));
  await count('readDepositsUnderWay', custody.readDepositsUnderWay(em, 'ETH'));
  await count('readPayoutsUnderWay', custody.readPayoutsUnderWay(em, 'ETH', { ids: [], doubtful: [] }));
  await count('findOpenTransactions', findOpenTransactions(em, 'ETH'));
  await count('findDoubtful', findDoubtful(em, 'ETH'));
  const request = { ...place, at, since: HEIGHT - CHANGED, round: 1, doubtful: ['trf_1'], limit: 1_000 };
  const due = await count('findDueReadings', readings.findDueReadings(em, request));
  const balances = keys.map((key) => ({ key, currency: 'USDT', units: 2n }));
  await count('storeReadings', readings.storeReadings(em, { network: 'ETH', round: 1, at, keys, balances }));
  await count('findQuiet', custody.findQuiet(em, place, keys));
  await count('readTotals', readings.readTotals(em, 'ETH'));
  await count('endComparison', readings.endComparison(em, 'ETH', HEIGHT));
  return { due, read };
}

describe.each(['before', 'after'] as const)('with statistics from %s the history', (statistics) => {
  it('a comparison reads what has changed and a slice, and finds the addresses that are due', async () => {
    await fill(statistics);
    const { due, read } = await db.em.fork().transactional(compare);
    expect(due.complete).toBe(true);
    // The last deposits' addresses, and that of a transaction in doubt.
    expect(due.keys).toHaveLength(CHANGED + 1);
    expect(Object.entries(read).filter(([, rows]) => rows > 10 * CHUNK)).toEqual([]);
    const totals = await database.sql('select units::int from custody_total');
    expect(totals).toEqual([{ units: PAYMENTS + CHUNK }]);
  });
});
