// POST /wallet/withdraw: the calls that are answered with 409.

import { describe, expect, it } from '@jest/globals';
import { other, withdraw } from '../fixtures/wallet.fixture.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';

describe('POST /wallet/withdraw: 409', () => {
  it('for more than is available, and for a coin there is none of (4001)', async () => {
    expectRefusal(await withdraw({ amount: '100' }), 409, '4001');
    expectRefusal(await withdraw({ currency: 'ETH', amount: '1' }), 409, '4001');
  });

  it('for a merchantWithdrawalId that was used before, whatever else is asked for (4005)', async () => {
    const fields = { merchantWithdrawalId: 'payroll 7' };
    const first = dataOf(await withdraw(fields), 201);
    for (const change of [{}, { amount: '0.7' }, { amount: 'max' }])
      expectRefusal(await withdraw({ ...fields, ...change }), 409, '4005');
    expect(dataOf(await withdraw(fields, other), 201).withdrawalId).not.toBe(first.withdrawalId);
    const work = () => withdraw({ merchantWithdrawalId: 'at once' });
    const answers = await Promise.all(Array.from({ length: 10 }, work));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    for (const answer of answers.filter(({ status }) => status !== 201)) expectRefusal(answer, 409, '4005');
  });
});
