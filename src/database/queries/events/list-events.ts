// Reads a merchant's numbered events by sequence. Sequence numbers become visible in order, so reading those greater
// than the last one misses nothing.

import { toDate } from '../../connection.ts';
import type { Readable } from '../../read-source.ts';
import { firstOf } from '../page-limit.ts';

/** An event with what it is about as it was then: a payment, an invoice, a payout, or nothing (null). */
export interface ListedEvent {
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly createdAt: Date;
  /** Null unless the payload is an invoice. */
  readonly invoiceId: string | null;
  /** Null unless the payload is a payout. */
  readonly payoutId: string | null;
  readonly payload: Record<string, unknown> | null;
}

const STATEMENT = `
select sequence, id, type, created_at as "createdAt", invoice_id as "invoiceId", payout_id as "payoutId", payload
from (${firstOf('select * from event where merchant_id = $1 and sequence > $2', 'sequence', '$3')}) page
order by sequence`;

/** The events after a sequence number, oldest first, at most `limit`. */
export async function listEvents(
  pool: Readable,
  merchantId: string,
  after: number,
  limit: number,
): Promise<ListedEvent[]> {
  const { rows } = await pool.query<
    Omit<ListedEvent, 'sequence' | 'createdAt'> & Record<'sequence' | 'createdAt', string>
  >({ name: 'list-events-with-payouts', text: STATEMENT, values: [merchantId, after, limit] });
  return rows.map((row) => ({ ...row, sequence: Number(row.sequence), createdAt: toDate(row.createdAt) }));
}
