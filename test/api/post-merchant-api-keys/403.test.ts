// POST /merchant/api-keys: the calls that are answered with 403.

import { describe, expect, it } from '@jest/globals';
import { clerk, KEY, PATH, shop } from '../fixtures/api-keys.fixture.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';

describe('POST /merchant/api-keys: 403', () => {
  it('gives nobody what the caller lacks: 1004 names the first, in the order of the specification', async () => {
    const reader = await clerk(['READ_PAYMENTS', 'WITHDRAW']);
    const wanted = { ...KEY, permissions: ['MANAGE_SETTINGS', 'READ_WALLET', 'READ_PAYMENTS'] };
    const error = expectRefusal(await reader('POST', PATH, wanted), 403, '1004');
    expect(error.message).toBe('Missing permission: READ_WALLET');
    expect((dataOf(await shop.rest('GET', PATH)).items as unknown[]).length).toBe(2);
  });
});
