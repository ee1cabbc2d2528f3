// DELETE /merchant/api-keys/{keyId}: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { aSecond, gateway, make, PATH, shop } from '../fixtures/api-keys.fixture.ts';
import { dataOf, expectRefusal, ISO } from '../../support/expectations.ts';
import { exchange, rest } from '../../support/clients.ts';

describe('DELETE /merchant/api-keys/{keyId}: 200', () => {
  it('revokes the key for good, and its tokens within a second; a repeat changes nothing', async () => {
    const key = await make();
    const till = rest(gateway, await exchange(gateway, key));
    dataOf(await till('GET', '/payments'));
    const revoked = dataOf(await shop.rest('DELETE', `${PATH}/${key.keyId}`));
    expect(revoked.revokedAt).toMatch(ISO);
    await aSecond();
    expectRefusal(await till('GET', '/payments'), 401, '1006');
    expectRefusal(await rest(gateway)('POST', '/auth/token', { keyId: key.keyId, secret: key.secret }), 401, '1006');
    const again = dataOf(await shop.rest('DELETE', `${PATH}/${key.keyId}`));
    expect(again.revokedAt).toBe(revoked.revokedAt);
  });
});
