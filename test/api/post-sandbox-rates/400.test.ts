// POST /sandbox/rates: the calls that are answered with 400.

import { describe, expect, it } from '@jest/globals';
import { move, rateOf } from '../fixtures/rates.fixture.ts';
import { expectFaults } from '../../support/expectations.ts';

describe('POST /sandbox/rates: 400', () => {
  it.each(['', 'XAU', 'USD', 'usd', 'DOGE', 5, { toString: 1 }])(
    '%j is no code whose price can move (2001)',
    async (code) => {
      expectFaults(await move({ code, usd: '1' }), ['code']);
    },
  );

  it.each(['0', '0.0', '-1', '1e-7', 'NaN', '', '1.0000000000000000001', 3_000, { toString: 1 }])(
    '%j is no price (2001)',
    async (usd) => {
      expectFaults(await move({ code: 'ETH', usd }), ['usd']);
      expect(await rateOf('ETH', 'USD')).toMatchObject({ rate: '3000' });
    },
  );
});
