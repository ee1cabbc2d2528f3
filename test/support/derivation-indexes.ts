// The start of a range of derivation indexes, computed from the documented rule and not by the product's own code.

import { query, type Database } from '../../src/database/connection.ts';

const BEGIN = Date.UTC(2026, 0, 1) / 1_000;

/** The least index of a range that is reserved from now on: the seconds since 2026-01-01 UTC and 100,000. */
export async function earliestIndex({ em }: Pick<Database, 'em'>): Promise<number> {
  const [row] = await query<{ seconds: number }>(em, 'select extract(epoch from clock_timestamp())::float8 as seconds');
  return Math.floor(row?.seconds ?? NaN) - BEGIN + 100_000;
}
