// The event log, which is the outbox: an event is a row of the transaction that makes the change, and nothing else.
// It gets its numbers after the commit (dispatch/number-events), so that readers by number never miss a slow transaction.

import { query, type EntityManager } from '../../database/connection.ts';
import { newId } from '../../values/id.ts';
import { toPayload, type PaymentSnapshot } from '../snapshots/payment.ts';

/** The types that become webhooks (specification, section 6). */
export const PUBLIC_EVENT_TYPES = [
  'payment.succeeded',
  'payment.failed',
  'payment.expired',
  'payment.refunded',
] as const;
export type PublicEventType = (typeof PUBLIC_EVENT_TYPES)[number];
export type EventType = PublicEventType | 'payment.created' | 'payment.updated' | 'webhook.test' | 'webhook.disabled';

/** A change to record: what happened to which version of a payment, and the payment as of then. */
export interface NewEvent {
  readonly type: EventType;
  readonly merchantId: string;
  readonly version: number;
  readonly payment: PaymentSnapshot;
  readonly at: Date;
}

/** An event as a row, ready to insert: the payload under REST names, and the webhook body where the type has one. */
export interface EventRow {
  readonly id: string;
  readonly merchantId: string;
  /** Null, like `version` and `payload`, where the event is of no payment. */
  readonly paymentId: string | null;
  readonly version: number | null;
  readonly type: EventType;
  readonly payload: string | null;
  readonly body: string | null;
  /** The one URL that a test event goes to, if it names one. */
  readonly targetUrl: string | null;
  readonly at: Date;
}

/** Makes the row of an event. The body is made here once and sent byte-identical on every attempt (contract, section 7). */
export function eventRow(environment: string, { type, merchantId, version, payment, at }: NewEvent): EventRow {
  const id = newId('evt', at.getTime());
  const payload = toPayload(payment);
  const isPublic = PUBLIC_EVENT_TYPES.some((publicType) => publicType === type);
  const body = isPublic ? webhookBody({ id, type, environment, at, data: `{"payment":${payload}}` }) : null;
  return { id, merchantId, paymentId: payment.id, version, type, payload, body, targetUrl: null, at };
}

/** Makes the row of a test event. It goes to `targetUrl`, else to the merchant's own endpoint. */
export function testEventRow(environment: string, merchantId: string, targetUrl: string | null, at: Date): EventRow {
  const id = newId('evt', at.getTime());
  const type = 'webhook.test';
  const body = webhookBody({ id, type, environment, at, data: '{}' });
  return { id, merchantId, paymentId: null, version: null, type, payload: null, body, targetUrl, at };
}

/** Makes the row that says that an endpoint was switched off. It has no body, so it is in the log and is no webhook. */
export function endpointDisabledRow(merchantId: string, at: Date): EventRow {
  const id = newId('evt', at.getTime());
  const type = 'webhook.disabled';
  return { id, merchantId, paymentId: null, version: null, type, payload: null, body: null, targetUrl: null, at };
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

/** Records events in the transaction at hand. */
export async function recordEvents(em: EntityManager, rows: readonly EventRow[]): Promise<void> {
  if (rows.length === 0) return;
  const column = <Value>(read: (row: EventRow) => Value) => rows.map(read);
  await query(
    em,
    `insert into event (id, merchant_id, payment_id, version, type, payload, body, target_url, created_at)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::text[], $6::json[], $7::text[], $8::text[],
       $9::timestamptz[])`,
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
    ],
  );
}
