// The most that an attacker can cost us on Solana by registering, depositing and withdrawing. On litesvm.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultBounds } from '../../../src/values/payout-bounds.ts';
import { newKey } from '../../doubles/solana/accounts.ts';
import { createSolanaPayoutSetup, type SolanaPayoutSetup } from '../solana-setup.fixture.ts';
import { openAttack, type Attack } from './attack.fixture.ts';
import { holdBill } from './bill.fixture.ts';

const UNIT = 1_000_000n;
const { maxCost } = defaultBounds('SOL');
/** At 150 USDT for a SOL: 0.05 USDT, and 0.4 for an account. */
const FEES = new Map([
  ['SOL', 100_000n],
  ['USDT', 50_000n],
]);
const ACCOUNT_FEES = new Map([['USDT', 400_000n]]);

let stage: SolanaPayoutSetup;
let attack: Attack;

beforeAll(async () => {
  const payoutBounds = defaultBounds('SOL', { live: true });
  stage = await createSolanaPayoutSetup({ networkFees: FEES, newAccountFees: ACCOUNT_FEES, payoutBounds });
  attack = await openAttack(stage, 20);
});
afterAll(() => stage.stop());

describe('an attacker', () => {
  it('on Solana costs at most the bound for a payout, and no more than its fee where it was made', async () => {
    // The first payout of any merchant opens the hot wallet's own token account, once.
    const honest = await stage.setup.merchant();
    await stage.pay(await stage.order(honest, 'USDT'), 'USDT', 5n * UNIT);
    await stage.withdraw(honest, 'USDT', '1', newKey().address);
    await attack.run(8);
    await attack.deposit('SOL', 100_000_000n);
    for (let count = 0; count < 6; count += 1) await attack.deposit('USDT', count < 3 ? 900_000n : 3n * UNIT);
    await attack.ask('the coin to a fresh wallet', 'SOL', '0.001', newKey().address);
    for (let count = 1; count <= 4; count += 1)
      await attack.ask(`0.01 USDT to a fresh wallet, number ${String(count)}`, 'USDT', '0.01', newKey().address);
    await attack.run(12);
    const known = newKey().address;
    stage.node.pay({ to: known, currency: 'USDT', amount: 1n });
    stage.mine(1);
    await attack.ask('0.01 USDT to a wallet with an account', 'USDT', '0.01', known);
    await attack.ask('all deposits that are worth a sweep', 'USDT', '6', newKey().address);
    await attack.run(12);
    // Lamports for a millionth of a dollar.
    const worth = (currency: string) => (currency === 'SOL' ? ([1n, 1n] as const) : ([20n, 3n] as const));
    await holdBill(stage.setup, { network: 'SOL', maxCost, names: attack.names, worth });
    const states = await stage.setup.sql('select distinct status from payout');
    expect(states).toEqual([{ status: 'COMPLETED' }]);
    await stage.audit();
  });
});
