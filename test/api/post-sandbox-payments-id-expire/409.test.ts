// POST /sandbox/payments/{id}/expire: the calls that are answered with 409.

import { describe, it } from '@jest/globals';
import { createFor, deposit, shop } from '../fixtures/sandbox.fixture.ts';
import { expire } from './post-sandbox-payments-id-expire.fixture.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';

describe('POST /sandbox/payments/{id}/expire: 409', () => {
  it('404 where there is no such payment (2004), 409 once it is over (3005)', async () => {
    expectRefusal(await expire('ord_00000000000000000000000000000000'), 404, '2004');
    const orderId = await createFor(shop);
    dataOf(await deposit(orderId));
    expectRefusal(await expire(orderId), 409, '3005');
  });
});
