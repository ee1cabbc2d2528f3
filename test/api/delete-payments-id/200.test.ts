// DELETE /payments/{id}: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { createFor, shop } from '../fixtures/payments.fixture.ts';
import { dataOf, ISO } from '../../support/expectations.ts';

describe('DELETE /payments/{id}: 200', () => {
  it('answers the full payment, canceled', async () => {
    const orderId = await createFor(shop);
    const before = dataOf(await shop.rest('GET', `/payments/${orderId}`));
    const canceled = dataOf(await shop.rest('DELETE', `/payments/${orderId}`));
    expect(canceled).toEqual({ ...before, status: 'CANCELED', updatedAt: expect.stringMatching(ISO) });
    expect(dataOf(await shop.rest('GET', `/payments/${orderId}`))).toEqual(canceled);
  });
});
