// What events are of: their types and payments, without what they say.

import type { Pool } from 'pg';

export interface EventKind {
  readonly id: string;
  readonly type: string;
  /** Null where it is of no payment. */
  readonly paymentId: string | null;
}

/** Those that there are, in no order. */
export async function readEventKinds(pool: Pool, ids: readonly string[]): Promise<EventKind[]> {
  const text = 'select id, type, payment_id as "paymentId" from event where id = any($1)';
  return (await pool.query<EventKind>({ name: 'read-event-kinds', text, values: [ids] })).rows;
}
