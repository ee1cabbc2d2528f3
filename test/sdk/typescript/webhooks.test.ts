// `@turnpike/sdk/webhooks` as a merchant's code calls it: a typed event, or an error that says what is wrong.

import { setTimeout as rest } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import {
  handleWebhook,
  SeenInMemory,
  verifyWebhook,
  WebhookVerificationError,
  type Delivery,
  type TurnpikeEvent,
} from '../../../sdk/typescript/src/webhooks/index.ts';
import { signatureHeaders } from '../../../src/domain/webhooks/signature.ts';

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

async function refusalOf(changes: Partial<Delivery>): Promise<WebhookVerificationError> {
  try {
    await verifyWebhook({ ...delivery, ...changes });
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

describe('verifyWebhook', () => {
  it('answers the event, narrowed by its type', async () => {
    const event = await verifyWebhook(delivery);
    expect(event).toEqual(EVENT);
    expect('payment' in event.data ? event.data.payment.orderId : null).toBe('ord_1');
  });

  it('takes plain bytes, a header that came as a list, and any of several secrets', async () => {
    const changes = { rawBody: new Uint8Array(rawBody), signature: [signature ?? ''], secrets: ['whsec_b', SECRET] };
    expect(await verifyWebhook({ ...delivery, ...changes })).toEqual(EVENT);
  });

  it('takes either signature of a rotation', async () => {
    const [other = ''] = /v1=.*/.exec(signature ?? '') ?? [];
    const strange = 'v1='.padEnd(67, '0');
    for (const both of [`t=${SENT_AT}, ${other}, ${strange}`, `t=${SENT_AT}, ${strange}, ${other}`])
      expect(await verifyWebhook({ ...delivery, signature: both })).toEqual(EVENT);
  });

  it.each([-300, 0, 300])('takes what was signed %i s before', async (seconds) => {
    expect(await verifyWebhook({ ...delivery, now: at(seconds) })).toEqual(EVENT);
  });

  it('keeps to a window of the caller', async () => {
    expect(await verifyWebhook({ ...delivery, now: at(900), toleranceSeconds: 900 })).toEqual(EVENT);
    expect((await refusalOf({ now: at(31), toleranceSeconds: 30 })).fault).toBe('outside-tolerance');
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
  ])('says what is wrong: %s (%#)', async (fault, changes, message) => {
    expect(await refusalOf(changes)).toMatchObject({ name: 'WebhookVerificationError', fault, message });
  });

  it('never works without a secret: an unset variable is no key', async () => {
    await expect(verifyWebhook({ ...delivery, secrets: [] })).rejects.toThrow(TypeError);
    await expect(verifyWebhook({ ...delivery, secrets: ['', SECRET] })).rejects.toThrow(TypeError);
  });
});

describe('handleWebhook', () => {
  it('acts once on an event, however often and how many at once it is delivered', async () => {
    const [seen, acted] = [new SeenInMemory(), [] as string[]];
    const act = async ({ id }: TurnpikeEvent): Promise<void> => {
      acted.push(id);
      await rest(20);
    };
    const deliver = () => handleWebhook(delivery, seen, act);
    expect((await Promise.all([deliver(), deliver()])).sort()).toEqual(['busy', 'handled']);
    expect(await deliver()).toBe('repeated');
    expect(acted).toEqual(['evt_1']);
  });

  it('forgets an event that could not be acted on, so that the next delivery is', async () => {
    const seen = new SeenInMemory();
    const fails = handleWebhook(delivery, seen, () => Promise.reject(new Error('no database')));
    await expect(fails).rejects.toThrow('no database');
    expect(await handleWebhook(delivery, seen, () => undefined)).toBe('handled');
  });

  it('answers busy and not done while an event is acted on, as that may still fail', async () => {
    const seen = new SeenInMemory();
    let meanwhile = '';
    const fails = handleWebhook(delivery, seen, async () => {
      meanwhile = await handleWebhook(delivery, seen, () => undefined);
      throw new Error('no database');
    });
    await expect(fails).rejects.toThrow('no database');
    expect(meanwhile).toBe('busy');
    expect(await handleWebhook(delivery, seen, () => undefined)).toBe('handled');
  });

  it('acts on an event whose claim has lapsed: who claimed it was killed', async () => {
    const seen = new SeenInMemory();
    expect(seen.claim('evt_1', 0)).toBe('new');
    expect(await handleWebhook(delivery, seen, () => undefined)).toBe('handled');
    expect(seen.claim('evt_1', 60)).toBe('done');
  });

  it('notes nothing of a delivery that is not genuine', async () => {
    const seen = new SeenInMemory();
    const forged = handleWebhook({ ...delivery, secrets: ['whsec_other'] }, seen, () => undefined);
    await expect(forged).rejects.toThrow(WebhookVerificationError);
    expect(seen.claim('evt_1', 60)).toBe('new');
  });

  it('remembers as many ids as it was told, the newest ones', () => {
    const seen = new SeenInMemory(2);
    for (const id of ['a', 'b', 'c']) seen.claim(id, 60);
    expect(['c', 'b', 'a'].map((id) => seen.claim(id, 60))).toEqual(['busy', 'busy', 'new']);
  });
});
