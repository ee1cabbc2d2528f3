// `turnpike/webhooks` as a merchant's code calls it: a typed event, or an error that says what is wrong.

import { describe, expect, it } from '@jest/globals';
import { signatureHeaders } from '../src/dispatch/webhooks/signature.ts';
import { verifyWebhook, WebhookVerificationError, type Delivery } from '../src/webhooks.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const EVENT = { id: 'evt_1', type: 'payment.expired', data: { payment: { orderId: 'ord_1', productName: 'é€😀' } } };
const rawBody = Buffer.from(JSON.stringify(EVENT));
const SENT_AT = 1_700_000_000;

const headers = signatureHeaders({
  ...{ eventId: 'evt_1', deliveryId: 'dlv_1', attempt: 1, timestampSeconds: SENT_AT },
  ...{ body: rawBody, secrets: [SECRET] },
});
const signature = headers['X-PGW-Signature'];
const at = (afterSeconds: number): Date => new Date((SENT_AT + afterSeconds) * 1_000);
const delivery: Delivery = { rawBody, signature, secrets: [SECRET], now: at(1) };

function refusalOf(changes: Partial<Delivery>): WebhookVerificationError {
  try {
    verifyWebhook({ ...delivery, ...changes });
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

describe('verifyWebhook', () => {
  it('answers the event, narrowed by its type', () => {
    const event = verifyWebhook(delivery);
    expect(event).toEqual(EVENT);
    expect('payment' in event.data ? event.data.payment.orderId : null).toBe('ord_1');
  });

  it('takes plain bytes, a header that came as a list, and any of several secrets', () => {
    const changes = { rawBody: new Uint8Array(rawBody), signature: [signature ?? ''], secrets: ['whsec_b', SECRET] };
    expect(verifyWebhook({ ...delivery, ...changes })).toEqual(EVENT);
  });

  it.each([-300, 0, 300])('takes what was signed %i s before', (seconds) => {
    expect(verifyWebhook({ ...delivery, now: at(seconds) })).toEqual(EVENT);
  });

  it('keeps to a window of the caller', () => {
    expect(verifyWebhook({ ...delivery, now: at(900), toleranceSeconds: 900 })).toEqual(EVENT);
    expect(refusalOf({ now: at(31), toleranceSeconds: 30 }).fault).toBe('outside-tolerance');
  });

  it.each<[string, Partial<Delivery>, string]>([
    ['missing-signature', { signature: undefined }, 'there is no X-PGW-Signature header'],
    ['missing-signature', { signature: null }, 'there is no X-PGW-Signature header'],
    ['missing-signature', { signature: [] }, 'there is no X-PGW-Signature header'],
    ['malformed-signature', { signature: 'sha256=abc' }, 'X-PGW-Signature is not like t=<unix>, v1=<64 hex digits>'],
    ['outside-tolerance', { now: at(301) }, 'signed 301 s before it arrived; at most 300 s are accepted'],
    ['outside-tolerance', { now: at(-301) }, 'signed 301 s after it arrived; at most 300 s are accepted'],
    ['no-match', { secrets: ['whsec_other'] }, 'no v1 signature matches: another secret, or the body was changed'],
    ['no-match', { rawBody: Buffer.from('{}') }, 'no v1 signature matches: another secret, or the body was changed'],
  ])('says what is wrong: %s (%#)', (fault, changes, message) => {
    expect(refusalOf(changes)).toMatchObject({ name: 'WebhookVerificationError', fault, message });
  });

  it('never works without a secret: an unset variable is no key', () => {
    expect(() => verifyWebhook({ ...delivery, secrets: [] })).toThrow(TypeError);
    expect(() => verifyWebhook({ ...delivery, secrets: ['', SECRET] })).toThrow(TypeError);
  });
});
