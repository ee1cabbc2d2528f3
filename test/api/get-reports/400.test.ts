// GET /reports: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { shop } from '../fixtures/reports.fixture.ts';
import { expectFaults, expectRefusal } from '../../support/expectations.ts';

describe('GET /reports: 400', () => {
  it.each([
    ['?groupBy=year', ['groupBy']],
    ['?format=xml', ['format']],
    ['?startDate=2026-02-30&endDate=yesterday', ['startDate', 'endDate']],
    ['?startDate=2026-02-02&endDate=2026-02-01', ['endDate']],
    ['?startDate=1990-01-01', ['startDate']],
    ['?currency=USDT&currency=ETH', ['currency']],
  ])('%s is 2001', async (query, paths) => {
    expectFaults(await shop.rest('GET', `/reports${query}`), paths);
  });

  it('of a pair that does not exist is 3001', async () => {
    expectRefusal(await shop.rest('GET', '/reports?currency=BTC&network=ETH'), 400, '3001');
    expectRefusal(await shop.rest('GET', '/reports?network=MARS'), 400, '3001');
  });
});
