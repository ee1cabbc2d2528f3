// An event of the log as the webhook that it is: the same fields, and the headers and signatures of docs/webhooks.md.

import { createHmac, randomBytes, type BinaryLike } from 'node:crypto';
import type { ItemOf } from '#sdk';

/** An event of the log. */
export type Event = ItemOf<'events'>;

/** A secret as the gateway makes them: `whsec_` and the base64 of 32 random bytes. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** The id of a delivery: a new one for each event, kept over its attempts. */
export const newDeliveryId = (): string => `dlv_${randomBytes(16).toString('hex')}`;

/**
 * The body, or null for an event that is sent nowhere: of a type that is not among `types`, of a payment that belongs
 * to an invoice (the invoice's events count), or of a customer who was erased.
 */
export function bodyOf(event: Event, types: ReadonlySet<string>, environment: string): string | null {
  const { id, type, createdAt, payment, invoice, withdrawal, refund } = event;
  const head = { id, type, apiVersion: 'v1', environment, createdAt };
  if (type === 'webhook.test') return JSON.stringify({ ...head, data: {} });
  if (!types.has(type) || payment?.invoiceId) return null;
  const subject = { payment, invoice, withdrawal, refund };
  const about = Object.entries(subject).filter(([, value]) => value !== null);
  return about.length === 0 ? null : JSON.stringify({ ...head, data: Object.fromEntries(about) });
}

/** What one attempt says about itself. */
export interface Attempt {
  readonly eventId: string;
  readonly deliveryId: string;
  /** From 1. */
  readonly attempt: number;
  /** Unix time, in whole seconds. */
  readonly time: number;
  readonly body: string;
  readonly secret: string;
}

/** All headers of an attempt. Both signatures: Turnpike's own, and that of Standard Webhooks 1.0.0. */
export function headersOf({ eventId, deliveryId, attempt, time, body, secret }: Attempt): Record<string, string> {
  const mac = (key: BinaryLike, text: string) => createHmac('sha256', key).update(text);
  const standardKey = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return {
    'content-type': 'application/json',
    'user-agent': 'Turnpike-Webhook/1.0',
    'x-pgw-event-id': eventId,
    'x-pgw-delivery-id': deliveryId,
    'x-pgw-attempt': String(attempt),
    'x-pgw-timestamp': String(time),
    'x-pgw-signature': `t=${time}, v1=${mac(secret, `${time}.${body}`).digest('hex')}`,
    'x-pgw-signature-alg': 'HMAC-SHA256',
    'webhook-id': eventId,
    'webhook-timestamp': String(time),
    'webhook-signature': `v1,${mac(standardKey, `${eventId}.${time}.${body}`).digest('base64')}`,
  };
}
