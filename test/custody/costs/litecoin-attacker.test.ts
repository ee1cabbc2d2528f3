// The most that an attacker can cost us on Litecoin by registering, depositing and withdrawing, with very many very
// small deposits. On a real litecoind.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { defaultBounds } from '../../../src/values/payout-bounds.ts';
import { describeWithLitecoind } from '../../support/litecoind.ts';
import { createUtxoSetup, LITE, type UtxoSetup } from '../utxo/setup.fixture.ts';
import { holdBill } from './bill.fixture.ts';

/** The highest price the network may reach: base units for a virtual byte. */
const RATE = 1_000n;
/** The fee equals the cost limit, so that nothing is ever lost. */
const maxCost = 500_000n;
const DEPOSITS = 80;

describeWithLitecoind('an attacker', () => {
  let stage: UtxoSetup;
  let attacker: string;
  const names = new Map<string, string>();

  beforeAll(async () => {
    const terms = {
      networkFees: new Map([['LTC', maxCost]]),
      payoutBounds: { ...defaultBounds('LTC', { live: true }), maxCost },
    };
    stage = await createUtxoSetup({ minFeeRate: RATE }, terms);
    attacker = await stage.setup.merchant();
  });
  afterAll(() => stage.stop());

  async function ask(what: string, amount: string): Promise<string> {
    const { id } = await stage.withdraw(attacker, amount, await stage.outside());
    names.set(id, what);
    return id;
  }

  it('on Litecoin costs at most the bound for a payout, and no more than its fee where it was made', async () => {
    const { litecoin } = stage;
    for (let count = 0; count < DEPOSITS; count += 1) {
      const { address } = await stage.order(attacker);
      await litecoin.deposit({ address, currency: 'LTC', amount: LITE / 250n, confirmations: 0 });
    }
    await litecoin.mine(2);
    await stage.settle(stage.watcher());
    const all = await ask('80 deposits of 0.004, all at once', '0.2');
    stage.pass(15);
    await stage.finish();
    const held = await stage.setup.sql('select id, status, held_reason from payout');
    expect(held).toEqual([{ id: all, status: 'REQUESTED', held_reason: 'TOO_EXPENSIVE' }]);
    await ask('a small one, of few of them', '0.01');
    stage.pass(15);
    await stage.finish();
    await stage.pay(await stage.order(attacker), LITE);
    await ask('one that is stuck, and replaced for as long as it may', '0.5');
    const slow = stage.sender({ stuckAfterMs: 60_000 });
    for (let hours = 0; hours < 30; hours += 1) {
      stage.pass(60);
      await stage.settle(slow);
    }
    stage.pass(15);
    await stage.finish();
    await holdBill(stage.setup, { network: 'LTC', maxCost, names, worth: () => [1n, 1n] });
    await stage.audit();
  });
});
