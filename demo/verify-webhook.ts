// What a receiver does before it believes a webhook. Written from the documentation alone, with nothing of the gateway's.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { expectLike } from './expect.ts';
import type { ReceivedWebhook } from './receiver.ts';
import type { PaymentOrder } from './shapes.ts';

/** The body of a webhook. */
export interface WebhookEvent {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly payment: PaymentOrder };
}

const REPLAY_WINDOW_SECONDS = 300;

/** Checks every documented header, the time and both signatures; answers the event. Throws `Difference`. */
export function verifyWebhook({ headers, rawBody }: ReceivedWebhook, secret: string): WebhookEvent {
  const event = JSON.parse(rawBody.toString('utf8')) as WebhookEvent;
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
  expectLike('the age of the webhook', Math.abs(Date.now() / 1_000 - Number(time)), {
    words: `at most ${REPLAY_WINDOW_SECONDS} seconds`,
    holds: (seconds) => Number(seconds) <= REPLAY_WINDOW_SECONDS,
  });
  verifyOwnSignature(String(headers['x-pgw-signature']), { time, rawBody, secret });
  verifyStandardSignature(headers, { id: event.id, time, rawBody, secret });
  return event;
}

interface Signed {
  readonly time: string;
  readonly rawBody: Buffer;
  readonly secret: string;
}

/** `X-PGW-Signature`: the whole secret, as text, is the key; `<t>.<raw body>` is what is signed. */
function verifyOwnSignature(header: string, { time, rawBody, secret }: Signed): void {
  const expected = createHmac('sha256', secret).update(`${time}.`).update(rawBody).digest('hex');
  expectEqualInConstantTime('X-PGW-Signature', header, `t=${time}, v1=${expected}`);
}

/** `webhook-signature` of Standard Webhooks: the decoded secret is the key; `<id>.<t>.<raw body>` is what is signed. */
function verifyStandardSignature(headers: ReceivedWebhook['headers'], signed: Signed & { id: string }): void {
  const { id, time, rawBody, secret } = signed;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(rawBody).digest('base64');
  expectLike('the Standard Webhooks headers', headers, { 'webhook-id': id, 'webhook-timestamp': time });
  expectEqualInConstantTime('webhook-signature', String(headers['webhook-signature']), `v1,${expected}`);
}

/** In constant time, as every receiver should: a comparison that stops early tells how much of a forgery was right. */
function expectEqualInConstantTime(what: string, came: string, expected: string): void {
  const [a, b] = [Buffer.from(came), Buffer.from(expected)];
  const equal = a.length === b.length && timingSafeEqual(a, b);
  expectLike(what, came, { words: expected, holds: () => equal });
}
