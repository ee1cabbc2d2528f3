// GET /reports/movements: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { shop } from '../fixtures/reports.fixture.ts';
import { expectFaults, expectRefusal } from '../../support/expectations.ts';

describe('GET /reports/movements: 400', () => {
  it.each([
    ['?format=xml', ['format']],
    ['?startDate=2026-02-30&endDate=yesterday', ['startDate', 'endDate']],
    ['?limit=0', ['limit']],
    ['?cursor=abc', ['cursor']],
    ['?order=OLDEST_FIRST', ['order']],
    ['?format=csv&startDate=2024-01-01&endDate=2025-01-01', ['startDate']],
  ])('%s is 2001', async (query, paths) => {
    expectFaults(await shop.rest('GET', `/reports/movements${query}`), paths);
  });

  it.each(['?currency=XYZ', '?network=MOON', '?currency=BTC&network=ETH'])('%s is 3001', async (query) => {
    expectRefusal(await shop.rest('GET', `/reports/movements${query}`), 400, '3001');
  });
});
