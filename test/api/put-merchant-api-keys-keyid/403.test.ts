// PUT /merchant/api-keys/{keyId}: the calls that are answered with 403.

import { describe, expect, it } from '@jest/globals';
import { clerk, make, PATH } from '../fixtures/api-keys.fixture.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';

describe('PUT /merchant/api-keys/{keyId}: 403', () => {
  it('is refused to who lacks an old or a new permission of the key', async () => {
    const { keyId } = await make({ permissions: ['READ_PAYMENTS', 'WITHDRAW'] });
    const reader = await clerk(['READ_PAYMENTS']);
    const refusal = expectRefusal(
      await reader('PUT', `${PATH}/${keyId}`, { permissions: ['READ_PAYMENTS'] }),
      403,
      '1004',
    );
    expect(refusal.message).toBe('Missing permission: WITHDRAW');
    expectRefusal(await reader('PUT', `${PATH}/${keyId}`, { name: 'Mine' }), 403, '1004');
    const own = await make({ permissions: ['READ_PAYMENTS'] });
    expectRefusal(await reader('PUT', `${PATH}/${own.keyId}`, { permissions: ['READ_WALLET'] }), 403, '1004');
    dataOf(await reader('PUT', `${PATH}/${own.keyId}`, { name: 'Fine' }));
  });
});
