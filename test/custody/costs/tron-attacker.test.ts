// The most that an attacker can cost us on TRON by registering, depositing and withdrawing. On the double of a node.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultBounds } from '../../../src/values/payout-bounds.ts';
import { createTronPayoutSetup, TRX, type TronPayoutSetup } from '../tron-setup.fixture.ts';
import { openAttack, type Attack } from './attack.fixture.ts';
import { holdBill } from './bill.fixture.ts';

const MAX_COST = 60n * TRX;
/** 18 USDT at 0.3 USDT for a TRX. */
const FEES = new Map([
  ['TRX', 3n * TRX],
  ['USDT', 18_000_000n],
]);

let stage: TronPayoutSetup;
let attack: Attack;

beforeAll(async () => {
  const payoutBounds = { ...defaultBounds('TRON', { live: true }), maxCost: MAX_COST };
  stage = await createTronPayoutSetup({ networkFees: FEES, payoutBounds });
  attack = await openAttack(stage, 10);
});
afterAll(() => stage.stop());

describe('an attacker', () => {
  it('on TRON costs at most the bound for a payout, and no more than its fee where it was made', async () => {
    for (let count = 0; count < 8; count += 1) await attack.deposit('USDT', count < 4 ? 900_000n : 12n * TRX);
    await attack.deposit('TRX', 40n * TRX);
    await attack.ask('the coin to an address that is no account', 'TRX', '0.1', stage.stranger());
    await attack.ask('a token to a fresh address, swept from one', 'USDT', '1', stage.stranger());
    await attack.run(8);
    await attack.ask('a token, out of another deposit', 'USDT', '11.5', stage.stranger());
    await attack.run(8);
    await attack.deposit('USDT', 200n * TRX);
    const turncoat = stage.stranger();
    const id = await attack.ask('a recipient that the token bars once it is signed', 'USDT', '10', turncoat);
    const sender = stage.sender();
    const isSigned = async () =>
      (await stage.setup.sql('select 1 from transfer where payout_id = $1', [id])).length > 0;
    for (let round = 0; round < 12 && !(await isSigned()); round += 1) {
      await stage.settle(sender, stage.watcher);
      if (!(await isSigned())) stage.mine(10);
    }
    stage.double.bar('USDT', turncoat);
    stage.mine(10);
    await attack.run(8);
    const worth = (currency: string) => (currency === 'TRX' ? ([1n, 1n] as const) : ([10n, 3n] as const));
    await holdBill(stage.setup, { network: 'TRON', maxCost: MAX_COST, names: attack.names, worth });
    const [last] = await stage.setup.sql<{ status: string }>('select status from payout where id = $1', [id]);
    expect(last).toEqual({ status: 'FAILED' });
    await stage.audit();
  });
});
