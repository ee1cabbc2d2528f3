// How long the oldest unclaimed webhook delivery has been due.

import { query, type EntityManager } from '../../connection.ts';

/**
 * The seconds for which the longest-due unclaimed delivery has been due; 0 if none is. Read from lanes, so it may
 * briefly count a finished delivery until its lane is looked at again.
 */
export async function oldestDeliverySeconds(em: EntityManager): Promise<number> {
  const [row] = await query<{ seconds: number }>(
    em,
    `select coalesce(extract(epoch from now() - min(due_at)), 0)::float8 as seconds from webhook_lane where due_at <= now()`,
  );
  return row?.seconds ?? 0;
}
