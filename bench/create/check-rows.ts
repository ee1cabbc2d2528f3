// Checks after the runs that every table has as many new rows as payments were answered.

import { setTimeout as rest } from 'node:timers/promises';
import type { Candidate } from './candidate.ts';
import type { BenchEnvironment } from '../shared/environment.ts';

export interface RowCounts {
  /** Orders answered, including the one from which the reference's values were read. */
  readonly answers: number;
  readonly payments: number;
  readonly events: number;
  readonly numberedEvents: number;
  readonly idempotencyKeys: number;
  readonly apiLogRows: number;
}

const SETTLED_WITHIN_MS = 60_000;

const COUNT = `
select (select count(*) from payment)::int as "payments",
  (select count(*) from event where type = 'payment.created')::int as "events",
  (select count(distinct position) from event where type = 'payment.created')::int as "numberedEvents",
  (select count(*) from idempotency where operation = 'createPayment')::int as "idempotencyKeys",
  (select count(*) from api_log where path = '/api/v1/payments' and status = 201 or path = '/graphql' and status = 200)::int
    as "apiLogRows"`;

/** Throws if answers and rows differ. The API log is written after the answers, so this waits for it. */
export async function checkRows(environment: BenchEnvironment, candidates: readonly Candidate[]): Promise<RowCounts> {
  const ofGateway = candidates.filter(({ name }) => name === 'rest' || name === 'graphql');
  const answers = ofGateway.reduce((sum, candidate) => sum + candidate.total(), 1);
  const read = async (): Promise<RowCounts> => {
    const { rows } = await environment.client.query<Omit<RowCounts, 'answers'>>(COUNT);
    if (!rows[0]) throw new Error('Nothing could be counted');
    return { answers, ...rows[0] };
  };
  const deadline = performance.now() + SETTLED_WITHIN_MS;
  let counts = await read();
  while (!allEqual(counts) && performance.now() < deadline) {
    await rest(100);
    counts = await read();
  }
  if (!allEqual(counts)) throw new Error(`Answers and rows differ: ${JSON.stringify(counts)}`);
  return counts;
}

function allEqual(counts: RowCounts): boolean {
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
