// GET /wallet/balance: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { createFor, deposit, gateway } from '../fixtures/sandbox.fixture.ts';
import { dataOf, expectKeys } from '../../support/expectations.ts';
import { newMerchant } from '../../support/clients.ts';

describe('GET /wallet/balance: 200', () => {
  it('answers nothing for a merchant whose money never moved', async () => {
    const merchant = await newMerchant(gateway);
    const answer = await merchant.rest('GET', '/wallet/balance');
    expect(dataOf(answer)).toEqual({ balances: [] });
    expectKeys(answer.body, ['success', 'data']);
  });

  it('answers each asset: credited less one percent, pending before the fee', async () => {
    const merchant = await newMerchant(gateway);
    dataOf(await deposit(await createFor(merchant), {}, merchant));
    dataOf(await deposit(await createFor(merchant, { amount: '0.01' }), {}, merchant));
    dataOf(
      await deposit(await createFor(merchant, { currency: 'ETH', amount: '0.5' }), { confirmations: 0 }, merchant),
    );
    const { balances } = dataOf(await merchant.rest('GET', '/wallet/balance'));
    const by = (currency: string) => (balances as { currency: string }[]).find((row) => row.currency === currency);
    const asset = { network: 'ETH', reserved: '0' };
    expect(balances).toHaveLength(2);
    // 25 less 0.25, and 0.01 less 0.0001.
    expect(by('USDT')).toEqual({ ...asset, currency: 'USDT', available: '24.7599', pending: '0' });
    expect(by('ETH')).toEqual({ ...asset, currency: 'ETH', available: '0', pending: '0.5' });
  });
});
