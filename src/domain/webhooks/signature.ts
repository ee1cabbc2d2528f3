// Builds the headers of a webhook request: its identity, and the signatures that prove it (contract, section 7).

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { WEBHOOK_SECRET_PREFIX } from '../../values/secrets/webhook-secret.ts';

const USER_AGENT = 'Turnpike-Webhook/1.0';

/** What one attempt sends about itself, and the secrets to sign with. */
export interface SignedAttempt {
  readonly eventId: string;
  readonly deliveryId: string;
  /** Starting at 1. */
  readonly attempt: number;
  /** Unix time of this attempt in whole seconds. */
  readonly timestampSeconds: number;
  /** The raw body, exactly as sent. */
  readonly body: string | Buffer;
  /** The current secret first, then the rotated one while the two overlap. */
  readonly secrets: readonly string[];
}

/**
 * All headers of a webhook request. `X-PGW-Signature` is `t=<t>, v1=<hex>`, with one `v1` per secret, keyed with the
 * UTF-8 bytes of the whole secret. The `webhook-*` headers follow the Standard Webhooks specification 1.0.0, which keys
 * with the decoded bytes, so any of its libraries can verify them.
 */
export function signatureHeaders(signed: SignedAttempt): Record<string, string> {
  const { eventId, timestampSeconds, body, secrets } = signed;
  const time = String(timestampSeconds);
  const own = secrets.map((secret) => `v1=${hmac(secret, `${time}.`, body).toString('hex')}`);
  const standard = secrets.map((secret) => {
    return `v1,${hmac(standardKey(secret), `${eventId}.${time}.`, body).toString('base64')}`;
  });
  return {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    'X-PGW-Event-Id': eventId,
    'X-PGW-Delivery-Id': signed.deliveryId,
    'X-PGW-Attempt': String(signed.attempt),
    'X-PGW-Timestamp': time,
    'X-PGW-Signature': [`t=${time}`, ...own].join(', '),
    'X-PGW-Signature-Alg': 'HMAC-SHA256',
    'webhook-id': eventId,
    'webhook-timestamp': time,
    'webhook-signature': standard.join(' '),
  };
}

function hmac(key: string | KeyObject, prefix: string, body: string | Buffer): Buffer {
  return createHmac('sha256', key).update(prefix).update(body).digest();
}

/** As a key object: passing bytes to `createHmac` costs Node five times as much as the signature itself. */
function standardKey(secret: string): KeyObject {
  return createSecretKey(secret.slice(WEBHOOK_SECRET_PREFIX.length), 'base64');
}
