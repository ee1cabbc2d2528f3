// What the tests of POST /sandbox/payments/{id}/expire share besides.

import { shop } from '../fixtures/sandbox.fixture.ts';

export const expire = (orderId: string) => shop.rest('POST', `/sandbox/payments/${orderId}/expire`);
