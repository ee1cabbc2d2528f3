// GET /reports/receipts: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { shop } from '../fixtures/reports.fixture.ts';
import { expectFaults } from '../../support/expectations.ts';

describe('GET /reports/receipts: 400', () => {
  it.each([
    ['?format=xml', ['format']],
    ['?format=csv&format=json', ['format']],
    ['?startDate=2026-02-30&endDate=yesterday', ['startDate', 'endDate']],
    ['?limit=0', ['limit']],
    ['?cursor=abc', ['cursor']],
    ['?orderId=ord_1', ['orderId']],
  ])('%s is 2001', async (query, paths) => {
    expectFaults(await shop.rest('GET', `/reports/receipts${query}`), paths);
  });
});
