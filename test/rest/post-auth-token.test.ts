// The contract of the token exchange: POST /auth/token.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { newMerchant, rest, type Rest, type TestMerchant } from '../support/clients.ts';
import { dataOf, expectFaults, expectKeys, expectRefusal, ISO } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let call: Rest;
let shop: TestMerchant;

beforeAll(async () => {
  gateway = await startTestGateway();
  call = rest(gateway);
  shop = await newMerchant(gateway, ['READ_WALLET', 'CREATE_PAYMENTS']);
});
afterAll(() => gateway.stop());

const change = (text: string) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');

describe('200', () => {
  it('answers the access-token object', async () => {
    const { keyId, secret } = shop;
    const before = Date.now();
    const answer = await call('POST', '/auth/token', { keyId, secret });
    const data = dataOf(answer);
    expectKeys(answer.body, ['success', 'data']);
    expectKeys(data, ['accessToken', 'tokenType', 'expiresIn', 'expiresAt', 'permissions']);
    expect(data).toMatchObject({ tokenType: 'Bearer', expiresIn: 86_400, expiresAt: expect.stringMatching(ISO) });
    expect(data.permissions).toEqual(['CREATE_PAYMENTS', 'READ_WALLET']);
    const { exp = 0, aud, jti, iss } = decodeJwt(data.accessToken as string);
    expect(new Date(exp * 1_000).toISOString()).toBe(data.expiresAt);
    expect(exp * 1_000 - before).toBeGreaterThan(86_390_000);
    expect([aud, typeof jti, typeof iss]).toEqual(['sandbox', 'string', 'string']);
  });

  it('every exchange gives another token', async () => {
    const { keyId, secret } = shop;
    const [first, second] = await Promise.all([1, 2].map(() => call('POST', '/auth/token', { keyId, secret })));
    expect(first?.body.data.accessToken).not.toBe(second?.body.data.accessToken);
  });

  it('a bearer that is no token does not matter: none is needed', async () => {
    const { keyId, secret } = shop;
    dataOf(await rest(gateway, 'rubbish')('POST', '/auth/token', { keyId, secret }));
  });
});

describe('400', () => {
  it('lists every fault (2001)', async () => {
    expectFaults(await call('POST', '/auth/token', {}), ['keyId', 'secret']);
    const body = { keyId: true, secret: 5, ttl: 9 };
    expectFaults(await call('POST', '/auth/token', body), ['keyId', 'secret', 'ttl']);
  });
});

describe('401', () => {
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

  it('a revoked key says so to whoever knows its secret (1006), and to nobody else (1005)', async () => {
    const { keyId, secret } = await newMerchant(gateway);
    await gateway.sql('update api_key set revoked_at = now() where key_id = $1', [keyId]);
    expectRefusal(await call('POST', '/auth/token', { keyId, secret }), 401, '1006');
    expectRefusal(await call('POST', '/auth/token', { keyId, secret: change(secret) }), 401, '1005');
  });
});

describe('403', () => {
  it("an address that is not on the key's allow-list gets no token (1003)", async () => {
    const { keyId, secret } = await newMerchant(gateway);
    const allow = (ranges: string[]) =>
      gateway.sql('update api_key set ip_whitelist = $2 where key_id = $1', [keyId, ranges]);
    await allow(['203.0.113.7', '198.51.100.0/24']);
    expectRefusal(await call('POST', '/auth/token', { keyId, secret }), 403, '1003');
    await allow(['203.0.113.7', '127.0.0.0/30']);
    dataOf(await call('POST', '/auth/token', { keyId, secret }));
  });
});
