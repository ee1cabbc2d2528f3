// GET /wallet/batches/{id}: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { batch, fundedMerchant } from '../fixtures/wallet.fixture.ts';
import { dataOf } from '../../support/expectations.ts';

describe('GET /wallet/batches/{id}: 200', () => {
  it('answers the batch as it was made', async () => {
    const merchant = await fundedMerchant();
    const made = dataOf(await batch({}, merchant), 201);
    expect(dataOf(await merchant.rest('GET', `/wallet/batches/${String(made.id)}`))).toEqual(made);
  });
});
