// Reads the types, payments and invoices of events, without their payloads.

import type { Readable } from '../../read-source.ts';

export interface EventSummary {
  readonly id: string;
  readonly type: string;
  /** The payment it is about; null if none. */
  readonly paymentId: string | null;
  /** The invoice it is about; null if none. */
  readonly invoiceId: string | null;
}

/** Reads those of `ids` that exist, in no particular order. */
export async function readEventTypes(pool: Readable, ids: readonly string[]): Promise<EventSummary[]> {
  const text = 'select id, type, payment_id as "paymentId", invoice_id as "invoiceId" from event where id = any($1)';
  return (await pool.query<EventSummary>({ name: 'read-event-subjects', text, values: [ids] })).rows;
}
