// POST /auth/token: the calls that are answered with 403.

import { describe, it } from '@jest/globals';
import { call, gateway } from './post-auth-token.fixture.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { newMerchant } from '../../support/clients.ts';

describe('POST /auth/token: 403', () => {
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
