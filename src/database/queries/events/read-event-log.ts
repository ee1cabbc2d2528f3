// Reads the numbered event log by position. Positions become visible in order, so reading those greater than the last
// one misses nothing. Statements are not prepared: a plan made while the log is empty would be kept.

import type { Pool } from 'pg';
import { toDate } from '../../connection.ts';

/** A numbered event. `payload` is the recorded JSON text. Test events have no payload, subject or version. */
export interface LoggedEvent {
  readonly position: number;
  /** Its number among the merchant's events. */
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly createdAt: Date;
  readonly merchantId: string;
  readonly paymentId: string | null;
  /** Then the payload is an invoice. */
  readonly invoiceId: string | null;
  /** Then the payload is a payout. */
  readonly payoutId: string | null;
  readonly version: number | null;
  readonly payload: string | null;
}

/** The position of the newest numbered event; 0 if there is none. */
export async function readLastPosition(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ last: string }>(`select last from event_counter where scope = 'position'`);
  return Number(rows[0]?.last ?? 0);
}

/** The sequence number of a merchant's newest numbered event; 0 if there is none. */
export async function readLastSequence(pool: Pool, merchantId: string): Promise<number> {
  const { rows } = await pool.query<{ last: string }>('select last from event_counter where scope = $1', [merchantId]);
  return Number(rows[0]?.last ?? 0);
}

type EventRow = Omit<LoggedEvent, 'position' | 'sequence' | 'createdAt'> & {
  position: string;
  sequence: string;
  createdAt: string;
};

/** The events after a position, oldest first, at most `limit`. */
export async function readEventsAfter(pool: Pool, position: number, limit: number): Promise<LoggedEvent[]> {
  const { rows } = await pool.query<EventRow>(
    `select position, sequence, id, type, created_at::text as "createdAt", merchant_id as "merchantId",
       payment_id as "paymentId", invoice_id as "invoiceId", payout_id as "payoutId", version, payload::text as payload
     from event where position > $1 order by position limit $2`,
    [position, limit],
  );
  return rows.map((row) => ({
    ...row,
    position: Number(row.position),
    sequence: Number(row.sequence),
    createdAt: toDate(row.createdAt),
  }));
}

/** The height up to which each network has been read. */
export async function readChainHeights(pool: Pool): Promise<ReadonlyMap<string, number>> {
  const { rows } = await pool.query<{ network: string; height: string }>('select network, height from chain_cursor');
  return new Map(rows.map(({ network, height }) => [network, Number(height)]));
}
