// Verifies a webhook as a receiver has to: with the verifier that merchants import, and by the other rules of the
// documentation.

import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  verifyWebhook as verify,
  type InvoiceEvent,
  type PaymentEvent,
  type TurnpikeEvent,
} from '../../sdk/typescript/src/webhooks/index.ts';
import { Difference, expectLike } from './expect.ts';
import type { ReceivedWebhook } from './receiver.ts';

/** Verifies a webhook about a payment; returns its event. Throws at the first difference. */
export async function verifyWebhook(received: ReceivedWebhook, secret: string): Promise<PaymentEvent> {
  const event = await verifyAny(received, secret);
  if (!isAboutPayment(event)) throw new Difference('the webhook', 'one about a payment', event.type);
  return event;
}

/** The same of a webhook about an invoice. */
export async function verifyInvoiceWebhook(received: ReceivedWebhook, secret: string): Promise<InvoiceEvent> {
  const event = await verifyAny(received, secret);
  if (!isAboutInvoice(event)) throw new Difference('the webhook', 'one about an invoice', event.type);
  return event;
}

const isAboutPayment = (event: TurnpikeEvent): event is PaymentEvent => event.type.startsWith('payment.');
const isAboutInvoice = (event: TurnpikeEvent): event is InvoiceEvent => event.type.startsWith('invoice.');

/** Checks every documented header, the time and both signatures. */
async function verifyAny({ headers, rawBody }: ReceivedWebhook, secret: string): Promise<TurnpikeEvent> {
  const signature = headers['x-pgw-signature'];
  const event = await verify({ rawBody, signature, secrets: [secret] });
  const time = String(headers['x-pgw-timestamp']);
  expectLike('the headers of the webhook', headers, {
    'x-pgw-event-id': event.id,
    'x-pgw-delivery-id': /^dlv_\w+$/,
    'x-pgw-attempt': '1',
    'x-pgw-timestamp': /^\d+$/,
    'x-pgw-signature': /^t=\d+, v1=[0-9a-f]{64}$/,
    'x-pgw-signature-alg': 'HMAC-SHA256',
    'user-agent': /^Turnpike-Webhook\/\d+/,
    'content-type': 'application/json',
  });
  expectLike('the time in the signature', String(signature).startsWith(`t=${time},`), true);
  verifyStandardSignature(headers, { id: event.id, time, rawBody, secret });
  return event;
}

interface Signed {
  readonly id: string;
  readonly time: string;
  readonly rawBody: Buffer;
  readonly secret: string;
}

/**
 * `webhook-signature` of Standard Webhooks: the key is the decoded secret, the signed text is `<id>.<t>.<raw body>`.
 */
function verifyStandardSignature(headers: ReceivedWebhook['headers'], signed: Signed): void {
  const { id, time, rawBody, secret } = signed;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(rawBody).digest('base64');
  expectLike('the Standard Webhooks headers', headers, { 'webhook-id': id, 'webhook-timestamp': time });
  const came = String(headers['webhook-signature']);
  expectLike('webhook-signature', came, { words: `v1,${expected}`, holds: () => isEqual(came, `v1,${expected}`) });
}

/** Compares in constant time, as every receiver should: stopping early reveals how much of a forgery is right. */
function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
