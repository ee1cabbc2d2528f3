// PUT /merchant/webhook: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { configure, EVENTS, gateway, receiverUrl, shop } from '../fixtures/webhooks/webhooks.fixture.ts';
import { dataOf, expectKeys, id } from '../../support/expectations.ts';
import { newMerchant, rest } from '../../support/clients.ts';

describe('PUT /merchant/webhook: 200', () => {
  it('answers the endpoint and the secret that signs its webhooks', async () => {
    const answer = await configure({ url: 'https://example.com/hook', enabled: true });
    const data = dataOf(answer);
    expectKeys(answer.body, ['success', 'data']);
    expect(data).toEqual({
      id: expect.stringMatching(id('whk')),
      url: 'https://example.com/hook',
      enabled: true,
      events: EVENTS,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
  });

  it('changes only the fields that are sent', async () => {
    const first = dataOf(await configure({ url: 'https://example.com/a' }));
    const off = dataOf(await configure({ enabled: false }));
    expect(off).toEqual({ ...first, enabled: false });
    expect(dataOf(await configure({ url: 'https://example.com/b' }))).toEqual({
      ...off,
      url: 'https://example.com/b',
    });
    expect(dataOf(await configure({}))).toEqual({ ...off, url: 'https://example.com/b' });
  });

  it('takes the secret of a key as the bearer', async () => {
    const merchant = await newMerchant(gateway);
    const bySecret = rest(gateway, merchant.secret);
    expect(dataOf(await bySecret('PUT', '/merchant/webhook', { url: receiverUrl })).url).toBe(receiverUrl);
  });

  it('every merchant has a secret of their own', async () => {
    const other = await newMerchant(gateway);
    const secrets = [shop, other].map(
      async (merchant) => dataOf(await configure({ url: receiverUrl }, merchant)).secret,
    );
    expect(new Set(await Promise.all(secrets)).size).toBe(2);
  });
});
