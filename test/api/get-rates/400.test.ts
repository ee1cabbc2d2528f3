// GET /rates: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { shop } from '../fixtures/rates.fixture.ts';
import { expectFaults, expectRefusal } from '../../support/expectations.ts';

describe('GET /rates: 400', () => {
  it.each(['', '?currency=', '?currency=XAU', '?currency=EURO'])('%s names no currency (2001)', async (query) => {
    expectFaults(await shop.rest('GET', `/rates${query}`), ['currency']);
  });

  it('a currency that nothing here quotes is 3008', async () => {
    expectRefusal(await shop.rest('GET', '/rates?currency=ISK'), 400, '3008');
  });
});
