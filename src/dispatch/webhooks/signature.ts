// The headers of a webhook request: who it is from, and the signatures that prove it (contract, section 7).

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { WEBHOOK_SECRET_PREFIX } from '../../values/secrets/webhook-secret.ts';

const USER_AGENT = 'Turnpike-Webhook/1.0';

/** What one attempt says about itself, and the secrets it is signed with. */
export interface SignedAttempt {
  readonly eventId: string;
  readonly deliveryId: string;
  /** Starting at 1. */
  readonly attempt: number;
  /** Unix time of this attempt in whole seconds. */
  readonly timestampSeconds: number;
  /** The raw body, exactly as it is sent. */
  readonly body: string | Buffer;
  /** The current secret first, then the rotated one for as long as the two overlap. */
  readonly secrets: readonly string[];
}

/**
 * Every header of a webhook request. `X-PGW-Signature` is `t=<t>, v1=<hex>`, one `v1` for each secret, keyed with the
 * UTF-8 bytes of the whole secret. The `webhook-*` headers follow the Standard Webhooks specification 1.0.0, which keys
 * with the decoded bytes, so that any of its libraries verifies too.
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

/** As a key object: bytes given to `createHmac` cost Node five times the signature itself. */
function standardKey(secret: string): KeyObject {
  return createSecretKey(secret.slice(WEBHOOK_SECRET_PREFIX.length), 'base64');
}
