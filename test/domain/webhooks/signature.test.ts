// Webhook signatures, recomputed from the documented recipe as a receiver would.

import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { signatureHeaders } from '../../../src/domain/webhooks/signature.ts';
import { newWebhookSecret } from '../../../src/values/secrets/webhook-secret.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OLD_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const BODY = '{"id":"evt_1","note":"é€😀"}';
const ATTEMPT = { eventId: 'evt_1', deliveryId: 'dlv_2', attempt: 3, timestampSeconds: 1_700_000_000, body: BODY };

const hex = (key: string): string =>
  createHmac('sha256', Buffer.from(key, 'utf8')).update(`1700000000.${BODY}`).digest('hex');
const base64 = (byte: number): string => {
  return createHmac('sha256', Buffer.alloc(32, byte)).update(`evt_1.1700000000.${BODY}`).digest('base64');
};

describe('signatureHeaders', () => {
  it('carries every header of the specification and of Standard Webhooks', () => {
    expect(signatureHeaders({ ...ATTEMPT, secrets: [SECRET] })).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': 'Turnpike-Webhook/1.0',
      'X-PGW-Event-Id': 'evt_1',
      'X-PGW-Delivery-Id': 'dlv_2',
      'X-PGW-Attempt': '3',
      'X-PGW-Timestamp': '1700000000',
      'X-PGW-Signature': `t=1700000000, v1=${hex(SECRET)}`,
      'X-PGW-Signature-Alg': 'HMAC-SHA256',
      'webhook-id': 'evt_1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': `v1,${base64(7)}`,
    });
  });

  it('signs with both secrets while a rotation overlaps, the current one first', () => {
    const headers = signatureHeaders({ ...ATTEMPT, secrets: [SECRET, OLD_SECRET] });
    expect(headers['X-PGW-Signature']).toBe(`t=1700000000, v1=${hex(SECRET)}, v1=${hex(OLD_SECRET)}`);
    expect(headers['webhook-signature']).toBe(`v1,${base64(7)} v1,${base64(9)}`);
  });

  it('signs bytes and text alike', () => {
    const asBytes = signatureHeaders({ ...ATTEMPT, body: Buffer.from(BODY), secrets: [SECRET] });
    expect(asBytes).toEqual(signatureHeaders({ ...ATTEMPT, secrets: [SECRET] }));
  });

  it('agrees with the example of the Standard Webhooks specification', () => {
    const headers = signatureHeaders({
      eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      deliveryId: 'dlv_1',
      attempt: 1,
      timestampSeconds: 1614265330,
      body: '{"test": 2432232314}',
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    });
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
});

describe('newWebhookSecret', () => {
  it('is whsec_ and the padded base64 of 32 bytes, never twice the same', () => {
    const secrets = Array.from({ length: 100 }, newWebhookSecret);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    }
    expect(new Set(secrets).size).toBe(100);
  });
});
