// A merchant's event log, for catching up: oldest first, numbered without gaps, each event with the payment,
// invoice or payout as it was then.

import { listEvents } from '../../database/queries/events/list-events.ts';
import { readEventTypes, type EventSummary } from '../../database/queries/events/read-event-types.ts';
import { readAnywhere } from '../../database/read-source.ts';
import { GatewayError } from '../../values/errors.ts';
import type { Deps } from '../deps.ts';
import { invoiceFromPayload, type InvoiceSnapshot } from '../snapshots/invoice.ts';
import { fromPayload, type PaymentSnapshot } from '../snapshots/payment.ts';
import { payoutFromPayload, type PayoutSnapshot } from '../snapshots/payout.ts';

export interface LogEntry {
  /** Its number among the merchant's events, from 1. */
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly createdAt: Date;
  /** The payment as it was then; null if the event is not about one. */
  readonly payment: PaymentSnapshot | null;
  /** The invoice as it was then; null if the event is not about one. */
  readonly invoice: InvoiceSnapshot | null;
  /** The withdrawal as it was then; null if the event is not about one. */
  readonly withdrawal: PayoutSnapshot | null;
  /** The refund as it was then; null if the event is not about one. */
  readonly refund: PayoutSnapshot | null;
}

/** The same event for somebody who may not withdraw; it stays in the log, which has no gaps. */
export const withoutPayouts = (entry: LogEntry): LogEntry => ({ ...entry, withdrawal: null, refund: null });

/** A page of the log, and whether there are more events after it so far. */
export interface LogPage {
  readonly items: readonly LogEntry[];
  readonly hasMore: boolean;
}

/**
 * The events after a sequence number (0 for all). An event appears once it is numbered, milliseconds after its commit,
 * and later events of the merchant never appear before it, so none is missed.
 */
export async function findEvents(
  deps: Pick<Deps, 'db'>,
  merchantId: string,
  { after, limit }: { after: number; limit: number },
): Promise<LogPage> {
  const rows = await readAnywhere(deps.db, ({ pool }) => listEvents(pool, merchantId, after, limit + 1));
  const items = rows.slice(0, limit).map(({ payload, invoiceId, payoutId, ...event }) => ({
    ...event,
    ...subjectOf(payload, { invoiceId, payoutId }),
  }));
  return { items, hasMore: rows.length > limit };
}

/** What an event is about. */
export type EventSubject = Pick<LogEntry, 'payment' | 'invoice' | 'withdrawal' | 'refund'>;

const NO_SUBJECT: EventSubject = { payment: null, invoice: null, withdrawal: null, refund: null };

/** What an event is about, from its payload. */
export function subjectOf(
  payload: Record<string, unknown> | null,
  { invoiceId, payoutId }: { readonly invoiceId: string | null; readonly payoutId: string | null },
): EventSubject {
  if (payload === null) return NO_SUBJECT;
  if (invoiceId !== null) return { ...NO_SUBJECT, invoice: invoiceFromPayload(payload) };
  if (payoutId === null) return { ...NO_SUBJECT, payment: fromPayload(payload) };
  const payout = payoutFromPayload(payload);
  return payout.paymentId === null ? { ...NO_SUBJECT, withdrawal: payout } : { ...NO_SUBJECT, refund: payout };
}

export type { EventSummary };

/**
 * The types, payments and invoices of events, in the order of `ids`; NOT_FOUND in place of an event pruned meanwhile.
 */
export async function findEventTypes(
  { db }: Pick<Deps, 'db'>,
  ids: readonly string[],
): Promise<(EventSummary | GatewayError)[]> {
  const events = await readAnywhere(db, ({ pool }) => readEventTypes(pool, ids));
  const found = new Map(events.map((event) => [event.id, event]));
  return ids.map((id) => found.get(id) ?? new GatewayError('NOT_FOUND'));
}
