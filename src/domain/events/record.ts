// Records events. The event log is the outbox: an event is a row of the transaction that makes the change. It is
// numbered after the commit (database/queries/events/number-events.ts), so readers by number never miss a slow
// transaction.

import { query, type EntityManager } from '../../database/connection.ts';
import { traceparent } from '../../tracing.ts';
import { PUBLIC_EVENT_TYPES, type PublicEventType } from '../../values/internet/webhook-events.ts';
import { newId } from '../../values/id.ts';
import type { PayoutStep } from '../../values/payouts/state.ts';
import { invoicePayloadOf, type InvoiceSnapshot } from '../snapshots/invoice.ts';
import { toPayload, type PaymentSnapshot } from '../snapshots/payment.ts';
import { restPayoutOf, type PayoutSnapshot } from '../snapshots/payout.ts';

export type PayoutEventType = `${'withdrawal' | 'refund'}.${PayoutStep}`;
export type EventType =
  | PublicEventType
  | PayoutEventType
  | 'payment.created'
  | 'payment.updated'
  | 'invoice.updated'
  | 'webhook.test'
  | 'webhook.disabled'
  | 'settlement.skipped';

/** A change to record: what happened to which version of a payment, and the payment as it was then. */
export interface NewEvent {
  readonly type: EventType;
  readonly merchantId: string;
  readonly version: number;
  readonly payment: PaymentSnapshot;
  readonly at: Date;
}

/** The same of an invoice. */
export interface NewInvoiceEvent extends Omit<NewEvent, 'payment'> {
  readonly invoice: InvoiceSnapshot;
}

/** The same of a payout. */
export interface NewPayoutEvent extends Omit<NewEvent, 'payment'> {
  readonly type: PayoutEventType;
  readonly payout: PayoutSnapshot;
}

/** An event's row: the payload under REST names, and the webhook body if the type has one. */
export interface EventRow {
  readonly id: string;
  readonly merchantId: string;
  /** Null if the event is not about a payment. */
  readonly paymentId: string | null;
  /** Null if the event is not about an invoice. */
  readonly invoiceId: string | null;
  /** Null if the event is not about a payout; with none of the three, `version` and `payload` are null, too. */
  readonly payoutId: string | null;
  readonly version: number | null;
  readonly type: EventType;
  readonly payload: string | null;
  readonly body: string | null;
  /** The only URL that a test event goes to, if it names one. */
  readonly targetUrl: string | null;
  readonly at: Date;
}

/** Makes the row of an event. The body is made once and sent unchanged on every attempt (contract, section 7). */
export function eventRow(environment: string, { type, merchantId, version, payment, at }: NewEvent): EventRow {
  const id = newId('evt', at.getTime());
  const payload = toPayload(payment);
  // Shops that know only orders would take an abandoned coin of an invoice for an order that came to nothing.
  const isSent = isPublic(type) && payment.invoiceId === null;
  const body = isSent ? webhookBody({ id, type, environment, at, data: `{"payment":${payload}}` }) : null;
  return { id, merchantId, ...NO_SUBJECT, paymentId: payment.id, version, type, payload, body, targetUrl: null, at };
}

/** Makes the row of an invoice's event (contract-invoices, section 8). */
export function invoiceEventRow(
  environment: string,
  { type, merchantId, version, invoice, at }: NewInvoiceEvent,
): EventRow {
  const id = newId('evt', at.getTime());
  const payload = JSON.stringify(invoicePayloadOf(invoice));
  const body = isPublic(type) ? webhookBody({ id, type, environment, at, data: `{"invoice":${payload}}` }) : null;
  return { id, merchantId, ...NO_SUBJECT, invoiceId: invoice.id, version, type, payload, body, targetUrl: null, at };
}

/** Makes the row of a payout's event (contract-people-payouts, section D). */
export function payoutEventRow(
  environment: string,
  { type, merchantId, version, payout, at }: NewPayoutEvent,
): EventRow {
  const id = newId('evt', at.getTime());
  const data = JSON.stringify({ [payout.paymentId === null ? 'withdrawal' : 'refund']: restPayoutOf(payout) });
  const body = isPublic(type) ? webhookBody({ id, type, environment, at, data }) : null;
  const payload = JSON.stringify(payout);
  return { id, merchantId, ...NO_SUBJECT, payoutId: payout.id, version, type, payload, body, targetUrl: null, at };
}

const isPublic = (type: EventType): boolean => PUBLIC_EVENT_TYPES.some((publicType) => publicType === type);

const NO_SUBJECT = { paymentId: null, invoiceId: null, payoutId: null } as const;

/** Makes the row of a test event. It goes to `targetUrl`, otherwise to the primary endpoint. */
export function testEventRow(environment: string, merchantId: string, targetUrl: string | null, at: Date): EventRow {
  const id = newId('evt', at.getTime());
  const type = 'webhook.test';
  const body = webhookBody({ id, type, environment, at, data: '{}' });
  return { id, merchantId, ...NO_SUBJECT, version: null, type, payload: null, body, targetUrl, at };
}

/** Makes the row for a disabled endpoint. */
export const endpointDisabledRow = (merchantId: string, at: Date): EventRow =>
  noteRow('webhook.disabled', merchantId, at);

/** Makes the row for a settlement that was skipped. */
export const settlementSkippedRow = (merchantId: string, at: Date): EventRow =>
  noteRow('settlement.skipped', merchantId, at);

/** Without a body, so it is logged but not sent as a webhook. */
function noteRow(type: EventType, merchantId: string, at: Date): EventRow {
  const id = newId('evt', at.getTime());
  return { id, merchantId, ...NO_SUBJECT, version: null, type, payload: null, body: null, targetUrl: null, at };
}

interface BodyParts {
  id: string;
  type: EventType;
  environment: string;
  at: Date;
  /** JSON text. */
  data: string;
}

function webhookBody({ id, type, environment, at, data }: BodyParts): string {
  const head = JSON.stringify({ id, type, apiVersion: 'v1', environment, createdAt: at });
  return `${head.slice(0, -1)},"data":${data}}`;
}

/** An event's row for a statement that records it with other changes. */
export const toRecord = (row: EventRow): EventRow & { readonly trace: string | null } => ({
  ...row,
  trace: traceparent(),
});

/** Records events in the current transaction. */
export async function recordEvents(em: EntityManager, rows: readonly EventRow[]): Promise<void> {
  if (rows.length === 0) return;
  const column = <Value>(read: (row: EventRow) => Value) => rows.map(read);
  await query(
    em,
    `insert into event (id, merchant_id, payment_id, version, type, payload, body, target_url, created_at, invoice_id,
       payout_id, trace)
     select made.*, $12::text from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::text[], $6::json[], $7::text[],
       $8::text[], $9::timestamptz[], $10::text[], $11::text[]) made`,
    [
      column((row) => row.id),
      column((row) => row.merchantId),
      column((row) => row.paymentId),
      column((row) => row.version),
      column((row) => row.type),
      column((row) => row.payload),
      column((row) => row.body),
      column((row) => row.targetUrl),
      column((row) => row.at),
      column((row) => row.invoiceId),
      column((row) => row.payoutId),
      traceparent(),
    ],
  );
}
