// POST /merchant/api-keys: the calls that are answered with 201.

import { describe, expect, it } from '@jest/globals';
import { clerk, gateway, KEY, make, type NewKey, PATH, shop } from '../fixtures/api-keys.fixture.ts';
import { dataOf, expectKeys, expectRefusal, ISO } from '../../support/expectations.ts';
import { exchange, rest, USDT_PAYMENT } from '../../support/clients.ts';

describe('POST /merchant/api-keys: 201', () => {
  it('answers the key with its secret, which works at once', async () => {
    const created = dataOf(await shop.rest('POST', PATH, { ...KEY, ipWhitelist: [] }), 201);
    expectKeys(created, ['keyId', 'secret', 'name', 'permissions', 'ipWhitelist', 'createdAt']);
    expect(created).toMatchObject({
      name: 'Till 1',
      permissions: ['READ_PAYMENTS', 'CREATE_PAYMENTS'],
      ipWhitelist: [],
    });
    expect(created.keyId).toMatch(/^pk_test_[0-9a-z]{22,}$/);
    expect(created.secret).toMatch(/^sk_test_[0-9a-z]{22,}$/);
    expect(created.createdAt).toMatch(ISO);
    const token = await exchange(gateway, created as NewKey);
    dataOf(await rest(gateway, token)('POST', '/payments', USDT_PAYMENT), 201);
    expectRefusal(await rest(gateway, token)('GET', '/wallet/balance'), 403, '1004');
  });

  it('needs a valid token and no permission in particular', async () => {
    const reader = await clerk(['READ_PAYMENTS']);
    await make({ permissions: ['READ_PAYMENTS'] }, reader);
    expectRefusal(await rest(gateway)('POST', PATH, KEY), 401, '1001');
  });
});
