// Reads a merchant's numbered events by sequence. Numbers become visible in their order, so "greater than the last one
// read" misses nothing.

import { query, toDate, type EntityManager } from '../connection.ts';

/** An event with the payment as of then, under REST names; null where it is of no payment. */
export interface ListedEvent {
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly createdAt: Date;
  readonly payload: Record<string, unknown> | null;
}

/** The events after a sequence number, oldest first, at most `limit`. */
export async function listEvents(
  em: EntityManager,
  merchantId: string,
  after: number,
  limit: number,
): Promise<ListedEvent[]> {
  const rows = await query<Omit<ListedEvent, 'sequence' | 'createdAt'> & { sequence: string; createdAt: string }>(
    em,
    `select sequence, id, type, created_at as "createdAt", payload
     from event where merchant_id = $1 and sequence > $2 order by sequence limit $3`,
    [merchantId, after, limit],
  );
  return rows.map((row) => ({ ...row, sequence: Number(row.sequence), createdAt: toDate(row.createdAt) }));
}
