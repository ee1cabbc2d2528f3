// How far sending is behind.

import { query, type EntityManager } from '../../connection.ts';

/**
 * For how many seconds the delivery has been due that is due longest, of all that nobody has claimed; 0 where none is.
 * By lanes, so it may be early by a moment where a lane was not looked at since something in it was done.
 */
export async function oldestDueSeconds(em: EntityManager): Promise<number> {
  const [row] = await query<{ seconds: number }>(
    em,
    `select coalesce(extract(epoch from now() - min(due_at)), 0)::float8 as seconds from webhook_lane where due_at <= now()`,
  );
  return row?.seconds ?? 0;
}
