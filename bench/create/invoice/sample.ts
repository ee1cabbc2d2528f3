// What one invoice and the choice of its coin leave in the database: read from a gateway, row by row, for a reference
// that writes the same.

import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { BenchEnvironment } from '../../shared/environment.ts';
import type { HttpStep } from '../../shared/http-load.ts';
import { untilTrue } from '../check-rows.ts';
import type { SampleRow } from '../inserts.ts';
import { CHOOSE, CREATE } from './calls.ts';

/** The rows of both calls. Those of the API log are by their operation. */
export interface InvoiceSample {
  readonly invoice: SampleRow;
  readonly created: SampleRow;
  readonly idempotency: SampleRow;
  readonly createCall: SampleRow;
  readonly payment: SampleRow;
  readonly quote: SampleRow;
  readonly paymentCreated: SampleRow;
  readonly updated: SampleRow;
  readonly chooseCall: SampleRow;
}

/** The table that each row is in. */
export const TABLE_OF: Readonly<Record<keyof InvoiceSample, string>> = {
  invoice: 'invoice',
  created: 'event',
  idempotency: 'idempotency',
  createCall: 'api_log',
  payment: 'payment',
  quote: 'quote',
  paymentCreated: 'event',
  updated: 'event',
  chooseCall: 'api_log',
};

/** What finds each row: `$1` is the invoice. */
const WHERE: Readonly<Record<keyof InvoiceSample, string>> = {
  invoice: 'id = $1',
  created: `invoice_id = $1 and type = 'invoice.created'`,
  idempotency: `operation = 'createInvoice' and result->>'invoiceId' = $1`,
  createCall: `operation = 'createInvoice' and $1 <> ''`,
  payment: 'invoice_id = $1',
  quote: 'invoice_id = $1',
  paymentCreated: `payment_id = (select payment_id from quote where invoice_id = $1) and type = 'payment.created'`,
  updated: `invoice_id = $1 and type = 'invoice.updated'`,
  chooseCall: `operation = 'chooseAsset' and $1 <> ''`,
};

/** Columns that the database fills, or the numbering of events. */
const LATER: ReadonlySet<string> = new Set(['event.position', 'event.sequence', 'api_log.id']);

/** Creates an invoice and chooses a coin. Throws unless just the rows of the sample have come of it. */
export async function readInvoiceSample(environment: BenchEnvironment): Promise<InvoiceSample> {
  const { client } = environment;
  const before = await countRows(client);
  const { id } = await call(environment, CREATE, '');
  // As it was created: the choice changes it.
  const invoice = await readRow(client, 'invoice', id);
  await call(environment, CHOOSE, id);
  const calls = async () => (await readRow(client, 'createCall', id)) && (await readRow(client, 'chooseCall', id));
  await untilTrue('the API log of the first invoice', async () => (await calls()) !== null);
  refuseOtherRows(before, await countRows(client));
  const names = Object.keys(TABLE_OF) as (keyof InvoiceSample)[];
  const rows: Partial<Record<keyof InvoiceSample, SampleRow>> = {};
  for (const name of names) {
    const row = name === 'invoice' ? invoice : await readRow(client, name, id);
    if (!row) throw new Error(`The first invoice left no row ${name}`);
    rows[name] = row;
  }
  return rows as InvoiceSample;
}

async function call({ port, token }: BenchEnvironment, step: HttpStep, invoiceId: string): Promise<{ id: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${step.path.replace('{id}', invoiceId)}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}`, 'Idempotency-Key': randomUUID() },
    // As long as those of the load generator, and earlier than all of them.
    body: step.body.replace('{number}', '1'.padStart(13, '0')),
  });
  const text = await response.text();
  if (response.status !== step.expectStatus) throw new Error(`${step.path} was refused: ${text}`);
  const { data } = JSON.parse(text) as { data: { id?: string; invoiceId?: string } };
  return { id: data.invoiceId ?? data.id ?? '' };
}

async function readRow(client: pg.Client, name: keyof InvoiceSample, invoiceId: string): Promise<SampleRow | null> {
  const table = TABLE_OF[name];
  const { rows } = await client.query<{ row: SampleRow }>(
    `select (select json_object_agg(key, value) from json_each_text(to_json(t))) as row
     from ${table} t where ${WHERE[name]} limit 1`,
    [invoiceId],
  );
  const columns = Object.entries(rows[0]?.row ?? {}).filter(([column]) => !LATER.has(`${table}.${column}`));
  return rows[0] ? Object.fromEntries(columns) : null;
}

/** Tables that loops write to while nothing is called. */
const BACKGROUND = /^(chain_|cluster_|custody_|rate|event_counter|ledger_checkpoint|reconciliation|deployment)/;

async function countRows(client: pg.Client): Promise<Map<string, number>> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public'`,
  );
  const counts = new Map<string, number>();
  for (const { name } of tables.filter((table) => !BACKGROUND.test(table.name))) {
    const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${name}`);
    counts.set(name, rows[0]?.count ?? 0);
  }
  return counts;
}

/** Throws if any table has more or fewer new rows than the sample has of it. */
function refuseOtherRows(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): void {
  const own = Object.values(TABLE_OF);
  const odd = [...after].flatMap(([table, count]) => {
    const [grew, expected] = [count - (before.get(table) ?? 0), own.filter((name) => name === table).length];
    return grew === expected ? [] : [`${table} ${grew} instead of ${expected}`];
  });
  if (odd.length > 0) throw new Error(`An invoice and a choice left other rows than the reference: ${odd.join(', ')}`);
}
