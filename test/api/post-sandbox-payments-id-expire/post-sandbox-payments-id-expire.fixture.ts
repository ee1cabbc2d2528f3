// Further helpers for the tests of POST /sandbox/payments/{id}/expire.

import { shop } from '../fixtures/sandbox.fixture.ts';

export const expire = (orderId: string) => shop.rest('POST', `/sandbox/payments/${orderId}/expire`);
