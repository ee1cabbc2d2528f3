// The most that an attacker can cost us on an EVM chain by registering, depositing and withdrawing, with contracts of
// their own as recipients. On anvil; fees as in docs/guide/going-live.md, with a cost limit equal to what the fee
// brings.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Chain } from '../../../src/domain/deps.ts';
import { defaultBounds } from '../../../src/values/payout-bounds.ts';
import { createPayoutSetup, OUTSIDE, type PayoutSetup } from '../payout-setup.fixture.ts';
import { holdBill } from './bill.fixture.ts';

const ETHER = 10n ** 18n;
const GWEI = 10n ** 9n;
const MAX_COST = ETHER / 500n;
/** 6 USDT at 3,000 USDT for an ether. */
const FEES = new Map([
  ['ETH', MAX_COST],
  ['USDT', 6_000_000n],
]);
/** Wei for a millionth of a dollar. */
const WEI_A_UNIT = ETHER / 3_000_000_000n;

let stage: PayoutSetup;
let attacker: string;
const names = new Map<string, string>();

beforeAll(async () => {
  stage = await createPayoutSetup({ networkFees: FEES });
  attacker = await stage.setup.merchant();
});
afterAll(() => stage.stop());

async function setBaseFee(wei: bigint): Promise<void> {
  await stage.node('anvil_setNextBlockBaseFeePerGas', `0x${wei.toString(16)}`);
  await stage.node('anvil_mine', '0x1');
}

function senderWith(options: Parameters<PayoutSetup['sender']>[0] = {}) {
  const known = stage.deps.chains.get('ETH');
  if (!known) throw new Error('There is no chain');
  const payoutBounds = { ...defaultBounds('ETH', { live: true }), maxCost: MAX_COST };
  const chain: Chain = { ...known, payoutBounds };
  return stage.sender({ chain, ...options });
}

/** Code at an address; a loop uses about 26 gas a turn, up to all the gas there is. */
async function contract(nth: number, turns: number | 'ever'): Promise<string> {
  const address = `0x${nth.toString(16).padStart(40, 'c')}`;
  const loop = turns === 'ever' ? '0x5b600056' : `0x61${turns.toString(16).padStart(4, '0')}5b600190038060035700`;
  await stage.node('anvil_setCode', address, loop);
  return address;
}

async function ask(what: string, currency: string, amount: string, address = OUTSIDE): Promise<string> {
  const { id } = await stage.withdraw(attacker, currency, amount, address);
  names.set(id, what);
  return id;
}

async function run(sender = senderWith()): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    stage.pass(15);
    await stage.settle(sender, stage.watcher());
  }
}

describe('an attacker', () => {
  it('on an EVM chain costs at most the bound for a payout, and no more than its fee where it was made', async () => {
    await stage.pay(await stage.order(attacker, 'ETH'), 'ETH', ETHER);
    await ask('a plain one', 'ETH', '0.01');
    await ask('a contract that burns 1.7 million gas', 'ETH', '0.0001', await contract(1, 0xffff));
    await ask('a contract just below the extra gas', 'ETH', '0.0001', await contract(2, 2_900));
    await run();

    // It uses little gas in an estimate, and all that it is given when the block is made.
    const turncoat = await contract(3, 10);
    const id = await ask('a contract that burns all its gas when mined, each time', 'ETH', '0.0001', turncoat);
    const fickle = {
      ...stage.dev,
      sendRaw: async (raw: string) => {
        const [row] = await stage.setup.sql<{ one: number }>(
          'select 1 as one from transfer where payout_id = $1 and raw = $2',
          [id, raw],
        );
        if (row) await contract(3, 'ever');
        return stage.dev.sendRaw(raw);
      },
      mine: async (count: number) => {
        const mined = await stage.dev.mine(count);
        await contract(3, 10);
        return mined;
      },
    };
    await run(senderWith({ devChain: fickle }));

    for (let count = 0; count < 12; count += 1)
      await stage.pay(await stage.order(attacker), 'USDT', count < 6 ? 900_000n : 2_000_000n);
    await ask('many small deposits of a token, all at once', 'USDT', '5');
    await run();
    await stage.pay(await stage.order(attacker), 'USDT', 60_000_000n);
    await ask('a token to a fresh address', 'USDT', '10', `0x${'d'.repeat(40)}`);
    await run();

    await setBaseFee(45n * GWEI);
    await ask('a stuck one, and prices that rise and rise', 'ETH', '0.01');
    const slow = senderWith({ devChain: undefined, stuckAfterMs: 60_000 });
    for (let price = 45n; price < 2_000n; price *= 2n) {
      stage.pass(15);
      await stage.settle(slow);
      await stage.node('anvil_setNextBlockBaseFeePerGas', `0x${(price * GWEI).toString(16)}`);
    }
    await setBaseFee(GWEI);
    await stage.dev.mine(3);
    await run();
    await setBaseFee(300n * GWEI);
    await ask('one at a price beyond its bound', 'ETH', '0.01');
    await stage.settle(senderWith(), stage.watcher());

    const worth = (currency: string) => (currency === 'ETH' ? ([1n, 1n] as const) : ([WEI_A_UNIT, 1n] as const));
    await holdBill(stage.setup, { network: 'ETH', maxCost: MAX_COST, names, worth });
    const states = await stage.setup.sql<{ id: string; state: string }>(
      `select id, coalesce(held_reason, status) as state from payout`,
    );
    const stateOf = (what: string) => states.find((payout) => names.get(payout.id) === what)?.state;
    expect(stateOf('a plain one')).toBe('COMPLETED');
    expect(stateOf('a contract that burns 1.7 million gas')).toBe('FAILED');
    expect(stateOf('a contract that burns all its gas when mined, each time')).toBe('FAILED');
    expect(stateOf('one at a price beyond its bound')).toBe('TOO_EXPENSIVE');
    await stage.audit();
  });
});
