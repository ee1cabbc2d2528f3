// POST /wallet/withdraw: the calls that are answered with 201.

import { describe, expect, it } from '@jest/globals';
import {
  ADDRESS,
  balanceOf,
  BODY,
  fundedMerchant,
  gateway,
  KEYS,
  other,
  shop,
  withdraw,
} from '../fixtures/wallet.fixture.ts';
import { dataOf, expectKeys, expectRefusal, id, ISO } from '../../support/expectations.ts';
import { newMerchant, USDT_PAYMENT } from '../../support/clients.ts';

describe('POST /wallet/withdraw: 201', () => {
  it('answers the withdrawal as it was asked for', async () => {
    const withdrawal = dataOf(await withdraw({ amount: '0.50' }), 201);
    expectKeys(withdrawal, KEYS);
    expect(withdrawal).toEqual({
      ...{ ...BODY, withdrawalId: expect.stringMatching(id('wdr')), status: 'REQUESTED', amount: '0.5' },
      ...{
        networkFee: '0',
        txHash: null,
        heldReason: null,
        merchantWithdrawalId: null,
        createdAt: expect.stringMatching(ISO),
      },
      ...{
        addressId: null,
        batchId: null,
        failureReason: null,
        updatedAt: expect.stringMatching(ISO),
        completedAt: null,
      },
    });
  });

  it('takes codes in any case, aliases, and an address without a checksum', async () => {
    const fields = { currency: 'usdt', network: 'erc20', address: ADDRESS.toLowerCase(), merchantWithdrawalId: 'x' };
    expect(dataOf(await withdraw(fields), 201)).toMatchObject({ ...BODY, merchantWithdrawalId: 'x' });
  });

  it('"max" is all that is available; then nothing is', async () => {
    const merchant = await fundedMerchant();
    expect(dataOf(await withdraw({ amount: 'max' }, merchant), 201)).toMatchObject({ amount: '99', networkFee: '0' });
    expect(await balanceOf(merchant)).toMatchObject({ available: '0' });
    expectRefusal(await withdraw({ amount: 'max' }, merchant), 409, '4001');
  });

  it('once for a whole balance that many want at once (4001)', async () => {
    const merchant = await fundedMerchant();
    const answers = await Promise.all(Array.from({ length: 20 }, () => withdraw({ amount: '99' }, merchant)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) expectRefusal(answer, 409, '4001');
  });

  describe('with an Idempotency-Key', () => {
    it('answers the same again, and reserves once', async () => {
      const headers = { 'idempotency-key': 'one' };
      const first = await withdraw({}, shop, headers);
      const { available } = await balanceOf(shop);
      const again = await withdraw({}, shop, headers);
      expect(dataOf(again, 201)).toEqual(dataOf(first, 201));
      expect([first, again].map((answer) => answer.headers['idempotent-replayed'])).toEqual([undefined, 'true']);
      expect((await balanceOf(shop)).available).toBe(available);
      expectRefusal(await withdraw({ amount: '0.6' }, shop, headers), 422, '2002');
      expect(dataOf(await withdraw({}, other, headers), 201)).not.toEqual(dataOf(first, 201));
    });

    it('keeps no refusal', async () => {
      const merchant = await newMerchant(gateway);
      const headers = { 'idempotency-key': 'two' };
      expectRefusal(await withdraw({}, merchant, headers), 409, '4001');
      const { orderId } = dataOf(await merchant.rest('POST', '/payments', USDT_PAYMENT), 201);
      await merchant.rest('POST', `/sandbox/payments/${orderId}/deposit`);
      dataOf(await withdraw({}, merchant, headers), 201);
    });
  });
});
