// GET /wallet/withdrawals/{id}: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { KEYS, shop, withdraw } from '../fixtures/wallet.fixture.ts';
import { dataOf, expectKeys } from '../../support/expectations.ts';

describe('GET /wallet/withdrawals/{id}: 200', () => {
  it('answers the same as the list', async () => {
    const { withdrawalId } = dataOf(await withdraw(), 201);
    const found = dataOf(await shop.rest('GET', `/wallet/withdrawals/${withdrawalId}`));
    expectKeys(found, KEYS);
    expect(found).toEqual(dataOf(await shop.rest('GET', '/wallet/withdrawals?limit=1')).items[0]);
  });
});
