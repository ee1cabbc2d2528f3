// POST /payments: the calls that are answered with 503.

import { describe, it } from '@jest/globals';
import { create } from './post-payments.fixture.ts';
import { expectRefusal } from '../../support/expectations.ts';

describe('POST /payments: 503', () => {
  it.each([
    ['BTC', 'BTC'],
    ['USDT', 'trc20'],
    ['bnb', 'BEP20'],
    ['SOL', 'SPL'],
  ])('%s on %s has no node here (3007)', async (currency, network) => {
    expectRefusal(await create({ currency, network }), 503, '3007');
  });
});
