// GET /wallet/policy: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { gateway } from '../fixtures/wallet.fixture.ts';
import { newMerchant } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';

describe('GET /wallet/policy: 200', () => {
  it('answers that everything is allowed for a merchant without one', async () => {
    const merchant = await newMerchant(gateway);
    const inForce = { bookOnly: false, listedOnly: false, refundsNeedApproval: false, requireSecondFactor: false };
    expect(dataOf(await merchant.rest('GET', '/wallet/policy'))).toEqual({
      ...{ version: 0, inForce: { ...inForce, limits: [] }, pending: null, pendingFrom: null },
    });
  });
});
