// POST /auth/token: the calls that are answered with 401.

import { describe, expect, it } from '@jest/globals';
import { call, change, gateway, shop } from './post-auth-token.fixture.ts';
import { expectRefusal } from '../../support/expectations.ts';
import { newMerchant } from '../../support/clients.ts';

describe('POST /auth/token: 401', () => {
  it('an unknown key, a wrong secret and ill-formed ones cannot be told apart (1005)', async () => {
    const other = await newMerchant(gateway);
    const headers = { 'x-request-id': 'the-same' };
    const pairs = [
      { keyId: change(shop.keyId), secret: shop.secret },
      { keyId: shop.keyId, secret: change(shop.secret) },
      { keyId: shop.keyId, secret: other.secret },
      { keyId: 'rubbish', secret: 'rubbish' },
      { keyId: '', secret: '' },
      { keyId: 'pk_test_'.padEnd(5_000, 'x'), secret: 'sk_test_'.padEnd(5_000, 'x') },
      { keyId: shop.secret, secret: shop.keyId },
    ];
    const texts = new Set<string>();
    for (const pair of pairs) {
      const answer = await call('POST', '/auth/token', pair, headers);
      expectRefusal(answer, 401, '1005');
      texts.add(answer.text);
    }
    expect(texts.size).toBe(1);
  });

  it.each([
    ['keyId', 'pk_live_0000000000000000'],
    ['secret', 'sk_live_0000000000000000'],
  ])('a %s of the other environment says so (1007)', async (field, value) => {
    const { keyId, secret } = shop;
    expectRefusal(await call('POST', '/auth/token', { keyId, secret, [field]: value }), 401, '1007');
  });

  it('a revoked key says so to a caller who knows its secret (1006), and to nobody else (1005)', async () => {
    const { keyId, secret } = await newMerchant(gateway);
    await gateway.sql('update api_key set revoked_at = now() where key_id = $1', [keyId]);
    expectRefusal(await call('POST', '/auth/token', { keyId, secret }), 401, '1006');
    expectRefusal(await call('POST', '/auth/token', { keyId, secret: change(secret) }), 401, '1005');
  });
});
