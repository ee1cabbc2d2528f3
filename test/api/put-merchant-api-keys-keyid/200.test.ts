// PUT /merchant/api-keys/{keyId}: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { aSecond, gateway, KEY, make, PATH, RECORD_KEYS, shop } from '../fixtures/api-keys.fixture.ts';
import { untilPasses } from '../../support/until.ts';
import { dataOf, expectKeys, expectRefusal } from '../../support/expectations.ts';
import { exchange, rest } from '../../support/clients.ts';

describe('PUT /merchant/api-keys/{keyId}: 200', () => {
  it('changes what is sent and nothing else', async () => {
    const { keyId } = await make(KEY);
    const changed = dataOf(await shop.rest('PUT', `${PATH}/${keyId}`, { ipWhitelist: ['198.51.100.0/24'] }));
    expectKeys(changed, RECORD_KEYS);
    expect(changed).toMatchObject({
      name: 'Till 1',
      permissions: ['READ_PAYMENTS', 'CREATE_PAYMENTS'],
      ipWhitelist: ['198.51.100.0/24'],
    });
    expect(dataOf(await shop.rest('PUT', `${PATH}/${keyId}`, { name: 'Till 2' }))).toMatchObject({
      name: 'Till 2',
      ipWhitelist: ['198.51.100.0/24'],
    });
  });

  it('holds for tokens already issued within a second', async () => {
    const key = await make();
    const till = rest(gateway, await exchange(gateway, key));
    dataOf(await till('GET', '/payments'));
    dataOf(await shop.rest('PUT', `${PATH}/${key.keyId}`, { permissions: ['READ_WALLET'] }));
    await aSecond();
    expectRefusal(await till('GET', '/payments'), 403, '1004');
    dataOf(await till('GET', '/wallet/balance'));
    dataOf(await shop.rest('PUT', `${PATH}/${key.keyId}`, { ipWhitelist: ['203.0.113.0/24'] }));
    await untilPasses(async () => expectRefusal(await till('GET', '/wallet/balance'), 403, '1003'));
    const from = (ip: string) => till('GET', '/wallet/balance', undefined, { 'x-forwarded-for': ip });
    dataOf(await from('203.0.113.200'));
    dataOf(await from('::ffff:203.0.113.200'));
    expectRefusal(await from('203.0.114.1'), 403, '1003');
  });
});
