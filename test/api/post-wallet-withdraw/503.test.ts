// POST /wallet/withdraw: the calls that are answered with 503.

import { describe, expect, it } from '@jest/globals';
import { whileFrozen } from '../fixtures/freeze.fixture.ts';
import { balanceOf, gateway, other, shop, withdraw } from '../fixtures/wallet.fixture.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';

describe('POST /wallet/withdraw: 503', () => {
  it('for a pair this deployment has no node for (3007)', async () => {
    const bitcoin = { currency: 'BTC', network: 'BTC', amount: '1', address: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa' };
    expectRefusal(await withdraw(bitcoin), 503, '3007');
  });

  it('while the operator has frozen payouts (4009), before the balance is looked at and after the id', async () => {
    const merchantWithdrawalId = 'before-the-freeze';
    dataOf(await withdraw({ merchantWithdrawalId }), 201);
    const balance = await balanceOf(shop);
    await whileFrozen(gateway, shop.id, async () => {
      for (const fields of [{}, { amount: '1000' }, { amount: 'max' }])
        expectRefusal(await withdraw(fields), 503, '4009');
      expectRefusal(await withdraw({ merchantWithdrawalId }), 409, '4005');
      expectRefusal(await withdraw({ address: 'nowhere' }), 400, '4002');
      dataOf(await withdraw({}, other), 201);
    });
    expect(await balanceOf(shop)).toEqual(balance);
    dataOf(await withdraw(), 201);
  });
});
