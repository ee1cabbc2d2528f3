// GET /wallet/addresses: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { gateway } from '../fixtures/wallet.fixture.ts';
import { newMerchant } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';

describe('GET /wallet/addresses: 200', () => {
  it('answers an empty book for a merchant without one', async () => {
    const merchant = await newMerchant(gateway);
    expect(dataOf(await merchant.rest('GET', '/wallet/addresses'))).toEqual({ items: [] });
  });
});
