// POST /wallet/batches: the calls that are answered with 409.

import { describe, it } from '@jest/globals';
import { batch, BODY, fundedMerchant } from '../fixtures/wallet.fixture.ts';
import { expectRefusal } from '../../support/expectations.ts';

describe('POST /wallet/batches: 409', () => {
  it('more than is available, all together (4001)', async () => {
    const rows = ['50', '49.01'].map((amount) => ({ ...BODY, amount }));
    expectRefusal(await batch({ rows }, await fundedMerchant()), 409, '4001');
  });
});
