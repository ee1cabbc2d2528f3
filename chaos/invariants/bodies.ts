// Invariants that a receiver can check by itself: the bytes of the body, both signatures, and their time.

import { createHash, createHmac } from 'node:crypto';
import type { Taken } from '../receiver/log.ts';
import type { Evidence } from './evidence.ts';
import { first } from './invariant.ts';

export function findOtherBody({ book, events }: Evidence): string | null {
  const digests = new Map(events.map(({ id, body }) => [id, body === null ? null : sha256(body)]));
  return first(book.taken, ({ eventId, deliveryId, attempt, digest }) => {
    const own = digests.get(eventId);
    if (own === digest) return null;
    return `delivery ${deliveryId}, attempt ${attempt}: its body is not the one of event ${eventId}`;
  });
}

export function findBadSignature({ book, notes, events, attempts }: Evidence): string | null {
  const merchants = new Map(events.map(({ id, merchantId }) => [id, merchantId]));
  const secrets = new Map(notes.shops.map(({ merchantId, webhookSecret }) => [merchantId, webhookSecret]));
  const times = new Map(attempts.map(({ deliveryId, attempt, at }) => [`${deliveryId} ${attempt}`, at]));
  const takenTwice = Map.groupBy(book.taken, ({ deliveryId, attempt }) => `${deliveryId} ${attempt}`);
  return first(book.taken, (taken) => {
    const key = `${taken.deliveryId} ${taken.attempt}`;
    const secret = secrets.get(merchants.get(taken.eventId) ?? '') ?? '';
    const what = `delivery ${taken.deliveryId}, attempt ${taken.attempt}:`;
    const fault = faultOfSignature(taken, book.bodies.get(taken.digest) ?? '', secret);
    if (fault !== null) return `${what} ${fault}`;
    const recordedAt = times.get(key);
    if (recordedAt === undefined || (takenTwice.get(key)?.length ?? 0) > 1) return null;
    if (Number(taken.timestamp) === Math.floor(recordedAt / 1_000)) return null;
    return `${what} signed for second ${taken.timestamp}, recorded as begun at ${new Date(recordedAt).toISOString()}`;
  });
}

/**
 * Checks the signatures as an integrator would, from the documentation: X-PGW-Signature with the whole secret as text,
 * Standard Webhooks with its decoded bytes.
 */
function faultOfSignature({ eventId, timestamp, signature, standard }: Taken, body: string, secret: string) {
  const own = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  if (signature !== `t=${timestamp}, v1=${own}`) return `X-PGW-Signature is ${signature}`;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const theirs = createHmac('sha256', key).update(`${eventId}.${timestamp}.${body}`).digest('base64');
  if (standard.id !== eventId || standard.timestamp !== timestamp) return 'the Standard Webhooks headers differ';
  return standard.signature === `v1,${theirs}` ? null : `webhook-signature is ${standard.signature}`;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
