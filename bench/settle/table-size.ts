// Measures how long a block takes as the payment table grows: a block with a thousand transfers, twenty of them to
// payments of ours, is applied in turn to databases that differ only in the number of payments.

import { randomBytes, randomInt } from 'node:crypto';
import type pg from 'pg';
import { describe, type Server } from '../shared/environment.ts';
import { alignColumns, median } from '../shared/report.ts';
import { percentile } from '../shared/run-process.ts';
import { CONFIRMATIONS, createPayments, openSetup, transferTo, type Setup } from './environment.ts';

const CANDIDATES = 1_000;
const OURS = 20;
const BLOCKS = 200;
/** In the first blocks no deposit is confirmed yet, and caches are cold. */
const WARM_UP_BLOCKS = 2 * CONFIRMATIONS;
/** Half of the payments are open, and each is paid at most once. */
const LEAST = 2 * OURS * (BLOCKS + WARM_UP_BLOCKS);
const INSERTED_AT_ONCE = 500_000;

interface Sized {
  readonly payments: number;
  readonly setup: Setup;
  readonly paid: Set<number>;
  readonly blockMs: number[];
}

/** Builds a database of each size and measures them in turn; returns the table. */
export async function measureSizes(server: Server, sizes: readonly number[]): Promise<string> {
  if (sizes.some((payments) => payments < LEAST)) throw new Error(`--addresses: each must be ${LEAST} at least`);
  const tables: Sized[] = [];
  for (const [index, payments] of sizes.entries()) {
    const setup = await openSetup(server, `sized_${index}`);
    const startedMs = performance.now();
    await fillPayments(setup.client, payments);
    process.stderr.write(`${payments} payments made in ${Math.round((performance.now() - startedMs) / 1_000)} s\n`);
    tables.push({ payments, setup, paid: new Set(), blockMs: [] });
  }
  for (const { setup } of tables) await warm(setup.client);
  for (let block = 0; block < WARM_UP_BLOCKS + BLOCKS; block += 1) {
    for (const { payments, setup, paid, blockMs } of tables) {
      const transfers = candidates(payments, paid);
      const startedMs = performance.now();
      await setup.mine(transfers);
      if (block >= WARM_UP_BLOCKS) blockMs.push(performance.now() - startedMs);
    }
  }
  for (const { setup } of tables) await checkCredited(setup.client);
  return render(tables);
}

/** Creates payments, half of them open. Indexes are built afterwards, which is faster and leaves the same schema. */
export async function fillPayments(client: pg.Client, count: number): Promise<void> {
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = 'payment'::regclass and not indisprimary`,
  );
  // The merchants are known to exist, so foreign keys are not checked for each of up to ten million rows.
  await client.query(`set session_replication_role = replica; set maintenance_work_mem = '1GB'`);
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  const status = `case g % 4 when 1 then 'SUCCEEDED' when 3 then 'EXPIRED' else 'PENDING' end`;
  for (let first = 1; first <= count; first += INSERTED_AT_ONCE)
    await createPayments(client, first, Math.min(count, first + INSERTED_AT_ONCE - 1), status);
  for (const { definition } of indexes) await client.query(definition);
  await client.query('vacuum analyze payment');
  await client.query('checkpoint');
  await client.query('reset session_replication_role');
}

/** Reads every page of the address index, as a watcher that has run for a day would have. */
export async function warm(client: pg.Client): Promise<void> {
  await client.query('set enable_seqscan = off');
  await client.query(`select count(address_key) from payment where network = 'ETH' and address_key > ''`);
  await client.query('reset enable_seqscan');
}

/** The transfers of a block: twenty to open payments spread over the whole table, the others to strangers. */
function candidates(payments: number, paid: Set<number>) {
  const transfers = Array.from({ length: CANDIDATES }, () => ({
    ...transferTo(0),
    addressKey: `0x${randomBytes(20).toString('hex')}`,
  }));
  for (let index = 0; index < OURS; index += 1) {
    let row = 2 * randomInt(1, payments / 2);
    while (paid.has(row)) row = 2 * randomInt(1, payments / 2);
    paid.add(row);
    transfers[(index * CANDIDATES) / OURS] = transferTo(row);
  }
  return transfers;
}

/** Throws unless every confirmed deposit is credited, which shows that the measured blocks did their full work. */
async function checkCredited(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ credited: string; told: string }>(
    `select (select count(*) from deposit where credited) as credited,
       (select count(*) from event where type = 'payment.succeeded') as told`,
  );
  const expected = OURS * (WARM_UP_BLOCKS + BLOCKS - CONFIRMATIONS + 1);
  if (Number(rows[0]?.credited) !== expected || Number(rows[0]?.told) !== expected)
    throw new Error(`${expected} deposits have their confirmations, but ${JSON.stringify(rows[0])}`);
}

async function render(tables: readonly Sized[]): Promise<string> {
  const [smallest] = tables;
  if (!smallest) return '';
  const base = median(smallest.blockMs);
  const cells = tables.map(({ payments, blockMs }) => [
    payments.toLocaleString('en'),
    median(blockMs).toFixed(1),
    percentile([...blockMs], 0.9).toFixed(1),
    (median(blockMs) / base).toFixed(2),
  ]);
  const environment = await describe(smallest.setup.client);
  const { rows } = await smallest.setup.client.query<{ size: string }>(
    `select current_setting('shared_buffers') as size`,
  );
  return `
${alignColumns([['payments', 'ms a block', 'p90', '/ first'], ...cells])}

Median of ${BLOCKS} blocks of ${CANDIDATES} transfers, ${OURS} of them ours, applied in turn; shared_buffers ${rows[0]?.size}, ${Object.entries(
    environment,
  )
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')}.
`;
}
