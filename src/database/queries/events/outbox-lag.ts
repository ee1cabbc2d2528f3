// Outbox lag: committed events that are not yet numbered or not yet relayed.

import type { Pool } from 'pg';

/** More than a merchant ever has unless numbering has stopped. */
const MOST_READ = 1_000;

/** The ids of a merchant's committed events without a number. Not prepared, for the reason in number-events.ts. */
export async function readUnnumbered(pool: Pool, merchantId: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from event where merchant_id = $1 and sequence is null order by sequence limit ${MOST_READ}`,
    [merchantId],
  );
  return rows.map(({ id }) => id);
}

/** Whether any of these events still has no number. */
export async function isAnyUnnumbered(pool: Pool, ids: readonly string[]): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>(
    'select exists (select from event where id = any($1) and sequence is null) as found',
    [ids],
  );
  return rows[0]?.found ?? false;
}

/**
 * Whether the relay has not reached an event yet. Null if the relay has nothing to do: the event is unknown, belongs to
 * another merchant, or is not sent as a webhook.
 */
export async function isAheadOfRelay(pool: Pool, merchantId: string, eventId: string): Promise<boolean | null> {
  const { rows } = await pool.query<{ ahead: boolean }>(
    `select e.position is null
       or e.position > coalesce((select position from relay_cursor where name = 'webhooks'), 0) as ahead
     from event e where e.id = $1 and e.merchant_id = $2 and e.body is not null`,
    [eventId, merchantId],
  );
  return rows[0]?.ahead ?? null;
}
