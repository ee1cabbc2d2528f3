// How many payouts are held, and for how long.

import { query, type EntityManager } from '../../connection.ts';

/** By reason: how many payouts are held, and for how many seconds the first of them has been. */
export async function readHeldPayouts(
  em: EntityManager,
): Promise<ReadonlyMap<string, { readonly count: number; readonly seconds: number }>> {
  const rows = await query<{ reason: string; count: number; seconds: number }>(
    em,
    `select held_reason as reason, count(*)::int as count,
       greatest(0, extract(epoch from now() - min(held_since)))::float8 as seconds
     from payout where held_reason is not null group by held_reason`,
    [],
  );
  return new Map(rows.map(({ reason, count, seconds }) => [reason, { count, seconds }]));
}
