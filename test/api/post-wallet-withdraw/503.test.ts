// POST /wallet/withdraw, as far as it answers 503.

import { describe, it } from '@jest/globals';
import { withdraw } from '../fixtures/wallet.ts';
import { expectRefusal } from '../../support/expectations.ts';

describe('POST /wallet/withdraw: 503', () => {
  it('for a pair this deployment has no node for (3007)', async () => {
    const bitcoin = { currency: 'BTC', network: 'BTC', amount: '1', address: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa' };
    expectRefusal(await withdraw(bitcoin), 503, '3007');
  });
});
