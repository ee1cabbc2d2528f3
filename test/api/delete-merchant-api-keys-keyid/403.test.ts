// DELETE /merchant/api-keys/{keyId}: the calls that are answered with 403.

import { describe, it } from '@jest/globals';
import { clerk, PATH, shop } from '../fixtures/api-keys.fixture.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';

describe('DELETE /merchant/api-keys/{keyId}: 403', () => {
  it('is refused to who lacks a permission of the key', async () => {
    const reader = await clerk(['READ_PAYMENTS']);
    expectRefusal(await reader('DELETE', `${PATH}/${shop.keyId}`), 403, '1004');
    dataOf(await shop.rest('GET', PATH));
  });
});
