// GET /refunds/{id}: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { paid, refund, shop } from '../fixtures/refunds.fixture.ts';
import { dataOf, expectKeys, expectRefusal, REFUND_KEYS } from '../../support/expectations.ts';

describe('GET /refunds/{id}: 200', () => {
  it('answers the same as the list; a withdrawal or a refund of nobody is 404 (2004)', async () => {
    const { refundId } = dataOf(await refund(await paid(), { amount: '1' }), 201);
    const found = dataOf(await shop.rest('GET', `/refunds/${String(refundId)}`));
    expectKeys(found, REFUND_KEYS);
    expect(found).toEqual(dataOf(await shop.rest('GET', '/refunds?limit=1')).items[0]);
    expectRefusal(await shop.rest('GET', `/refunds/wdr_${'0'.repeat(32)}`), 404, '2004');
    expectRefusal(await shop.rest('GET', `/refunds/rfd_${'0'.repeat(32)}`), 404, '2004');
  });
});
