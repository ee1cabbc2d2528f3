// For the tests of POST /payments/{id}/accept: a merchant who decides about late payments by hand.

import { beforeAll } from '@jest/globals';
import { gateway } from '../fixtures/refunds.fixture.ts';
import { dataOf } from '../../support/expectations.ts';
import { newMerchant, type TestMerchant } from '../../support/clients.ts';

export let careful: TestMerchant;

beforeAll(async () => {
  careful = await newMerchant(gateway);
  dataOf(await careful.rest('PUT', '/merchant/settings', { latePaymentPolicy: 'MANUAL' }));
});
