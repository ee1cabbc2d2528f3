// Checks after the runs that every table has as many new rows as payments were answered.

import { setTimeout as rest } from 'node:timers/promises';
import { isOfInvoices, type Candidate, type CandidateName } from './candidate.ts';
import type { BenchEnvironment } from '../shared/environment.ts';

export interface RowCounts {
  /** Orders answered, those of invoices too, including those from which the references' values were read. */
  readonly answers: number;
  readonly payments: number;
  readonly events: number;
  readonly numberedEvents: number;
  readonly idempotencyKeys: number;
  readonly apiLogRows: number;
}

/** The same of invoices alone. */
export interface InvoiceRowCounts {
  readonly answers: number;
  readonly invoices: number;
  readonly quotes: number;
  readonly createdEvents: number;
  readonly updatedEvents: number;
  readonly numberedEvents: number;
  readonly apiLogRows: number;
}

const SETTLED_WITHIN_MS = 60_000;

// A key is of the call that creates, so of an invoice the calls are counted by that, too.
const COUNT = `
select (select count(*) from payment)::int as "payments",
  (select count(*) from event where type = 'payment.created')::int as "events",
  (select count(distinct position) from event where type = 'payment.created')::int as "numberedEvents",
  (select count(*) from idempotency where operation in ('createPayment', 'createInvoice'))::int as "idempotencyKeys",
  (select count(*) from api_log
    where path in ('/api/v1/payments', '/api/v1/invoices') and status = 201 or path = '/graphql' and status = 200)::int
    as "apiLogRows"`;

const COUNT_INVOICES = `
select (select count(*) from invoice)::int as "invoices", (select count(*) from quote)::int as "quotes",
  (select count(*) from event where type = 'invoice.created')::int as "createdEvents",
  (select count(*) from event where type = 'invoice.updated' and version = 2)::int as "updatedEvents",
  (select count(distinct position) from event where type = 'invoice.updated')::int as "numberedEvents",
  (select count(*) from api_log where operation = 'chooseAsset' and status = 200)::int as "apiLogRows"`;

/** Throws if answers and rows differ. The API log is written after the answers, so this waits for it. */
export async function checkRows(
  environment: BenchEnvironment,
  candidates: readonly Candidate[],
): Promise<{ readonly rows: RowCounts; readonly invoiceRows: InvoiceRowCounts }> {
  const totalOf = (...names: CandidateName[]) =>
    candidates.filter(({ name }) => names.includes(name)).reduce((sum, candidate) => sum + candidate.total(), 0);
  const invoices = candidates.some(({ name }) => isOfInvoices(name)) ? totalOf('invoice') + 1 : 0;
  const answers = totalOf('rest', 'graphql') + 1 + invoices;
  return {
    rows: await countUntilEqual<RowCounts>(environment, COUNT, answers),
    invoiceRows: await countUntilEqual<InvoiceRowCounts>(environment, COUNT_INVOICES, invoices),
  };
}

async function countUntilEqual<Counts extends { readonly answers: number }>(
  { client }: BenchEnvironment,
  statement: string,
  answers: number,
): Promise<Counts> {
  const read = async (): Promise<Counts> => ({ ...(await client.query(statement)).rows[0], answers }) as Counts;
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  let counts = await read();
  while (!allEqual(counts) && performance.now() < deadline) {
    await rest(100);
    counts = await read();
  }
  if (!allEqual(counts)) throw new Error(`Answers and rows differ: ${JSON.stringify(counts)}`);
  return counts;
}

function allEqual(counts: object): boolean {
  return new Set(Object.values(counts)).size === 1;
}

/** The number of events that are not numbered yet. */
export async function unsettledRows({ client }: BenchEnvironment): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int as count from event where position is null',
  );
  return rows[0]?.count ?? 0;
}

/** Polls until the condition holds; after a minute, throws an error that says what it waited for. */
export async function untilTrue(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${what}`);
    await rest(20);
  }
}
