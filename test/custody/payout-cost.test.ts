// The cost limit of a payout: checked before it is signed, over its attempts, its sweeps and the gas they are given.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { SenderOptions } from '../../src/custody/send-transactions.ts';
import type { Chain } from '../../src/domain/deps.ts';
import { defaultBounds, type PayoutBounds } from '../../src/values/payout-bounds.ts';
import { createPayoutSetup, OUTSIDE, type PayoutSetup } from './payout-setup.fixture.ts';

const ETHER = 10n ** 18n;
const GWEI = 10n ** 9n;
const CHEAP_WEI = GWEI;

let stage: PayoutSetup;
let shop: string;

beforeAll(async () => {
  stage = await createPayoutSetup();
});
afterAll(() => stage.stop());
beforeEach(async () => {
  stage.pass(60);
  shop = await stage.setup.merchant();
  await setBaseFee(CHEAP_WEI);
});
afterEach(() => stage.audit());

const setBaseFee = async (wei: bigint) => {
  await stage.node('anvil_setNextBlockBaseFeePerGas', `0x${wei.toString(16)}`);
  await stage.node('anvil_mine', '0x1');
};

function chainWith(bounds: Partial<PayoutBounds>, more: Partial<Chain> = {}): Chain {
  const chain = stage.deps.chains.get('ETH');
  if (!chain) throw new Error('There is no chain');
  return { ...chain, payoutBounds: { ...defaultBounds('ETH'), ...bounds }, ...more };
}

const senderWith = (bounds: Partial<PayoutBounds>, options: Partial<SenderOptions> = {}) =>
  stage.sender({ chain: chainWith(bounds), ...options });

/** Code that uses about 26 gas a turn and accepts the money. */
async function burner(turns: number): Promise<string> {
  const address = `0x${turns.toString(16).padStart(40, 'b')}`;
  await stage.node('anvil_setCode', address, `0x61${turns.toString(16).padStart(4, '0')}5b600190038060035700`);
  return address;
}

interface Spending {
  readonly purpose: string;
  readonly status: string;
  readonly tx_hash: string;
  readonly max_cost: string;
  readonly cost: string | null;
}

/** Everything that was signed for a payout. */
const spending = (id: string) =>
  stage.setup.sql<Spending>(
    `select purpose, status, tx_hash, max_cost::text, cost::text from transfer
     where payout_id = $1 or for_payout_id = $1 order by id`,
    [id],
  );

const costOf = async (id: string) => (await spending(id)).reduce((sum, { cost }) => sum + BigInt(cost ?? 0), 0n);

const held = async (id: string) =>
  (await stage.setup.sql<{ reason: string | null }>('select held_reason as reason from payout where id = $1', [id]))[0]
    ?.reason;

describe('a recipient that takes gas', () => {
  it('far beyond that of a transfer to ourselves makes the payout fail, released, before anything is signed', async () => {
    await stage.pay(await stage.order(shop, 'ETH'), 'ETH', ETHER);
    const before = await stage.setup.balance(shop, 'ETH');
    const { id } = await stage.withdraw(shop, 'ETH', '0.0001', await burner(0xffff));
    await stage.settle(stage.sender(), stage.watcher());
    expect(await stage.payout(id)).toMatchObject({
      ...{ status: 'FAILED', tx_hash: null, failure: 'the recipient takes more gas than is allowed' },
    });
    expect((await spending(id)).filter(({ purpose }) => purpose === 'PAYOUT')).toEqual([]);
    expect(await stage.setup.balance(shop, 'ETH')).toEqual(before);
  });

  it('as multi-signature wallets do is paid', async () => {
    await stage.pay(await stage.order(shop, 'ETH'), 'ETH', ETHER);
    const { id } = await stage.withdraw(shop, 'ETH', '0.5', await burner(2_000));
    await stage.settle(stage.sender(), stage.watcher());
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
  });

  it('is judged by three blocks that span the confirmations, and delays nobody meanwhile', async () => {
    await stage.pay(await stage.order(shop, 'ETH'), 'ETH', ETHER);
    // From here on the hot wallet has enough.
    await stage.withdraw(shop, 'ETH', '0.1');
    await stage.settle(stage.sender(), stage.watcher());
    const { id } = await stage.withdraw(shop, 'ETH', '0.1', await burner(0xfffe));
    const { id: other } = await stage.withdraw(shop, 'ETH', '0.1');
    const sender = senderWith({}, { devChain: undefined });
    await stage.settle(sender);
    await stage.dev.mine(2);
    await stage.settle(sender, stage.watcher());
    expect(await stage.payout(other)).toMatchObject({ status: 'COMPLETED' });
    const look = async () => {
      stage.pass(10);
      await stage.settle(sender);
      return [(await stage.payout(id)).status, await held(id)];
    };
    // The other's blocks made it two; a third look at the same block does not count.
    expect(await look()).toEqual(['REQUESTED', 'RECIPIENT_REFUSES']);
    expect(await look()).toEqual(['REQUESTED', 'RECIPIENT_REFUSES']);
    await stage.dev.mine(1);
    expect(await look()).toEqual(['FAILED', null]);
  });
});

describe('a greatest cost', () => {
  it('makes a payout wait while prices are high, alone, and it goes on when they fall', async () => {
    await stage.pay(await stage.order(shop), 'USDT', 20_000_000n);
    const maxCost = ETHER / 500n;
    const sender = senderWith({ maxCost });
    await setBaseFee(200n * GWEI);
    const { id } = await stage.withdraw(shop, 'USDT', '1');
    await stage.settle(sender, stage.watcher());
    expect([(await stage.payout(id)).status, await held(id)]).toEqual(['REQUESTED', 'TOO_EXPENSIVE']);
    expect(await spending(id)).toEqual([]);
    await setBaseFee(CHEAP_WEI);
    stage.pass(15);
    await stage.settle(sender, stage.watcher());
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await held(id)).toBeNull();
    expect((await costOf(id)) <= maxCost).toBe(true);
  });

  it('holds for replacements: none is signed that could exceed it', async () => {
    await stage.pay(await stage.order(shop, 'ETH'), 'ETH', ETHER);
    await stage.withdraw(shop, 'ETH', '0.1');
    await stage.settle(stage.sender(), stage.watcher());
    const maxCost = 21_000n * 10n * GWEI;
    const slow = senderWith({ maxCost }, { devChain: undefined, stuckAfterMs: 60_000 });
    const { id } = await stage.withdraw(shop, 'ETH', '0.1');
    await stage.settle(slow);
    for (let hours = 0; hours < 40; hours += 1) {
      stage.pass(60);
      await stage.settle(slow);
    }
    const rows = await spending(id);
    expect(rows.length).toBeGreaterThan(3);
    for (const { max_cost } of rows) expect(BigInt(max_cost) <= maxCost).toBe(true);
    await stage.dev.mine(2);
    await stage.settle(slow, stage.watcher());
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect((await costOf(id)) <= maxCost).toBe(true);
  });

  it('frees the nonce of a stuck one that may offer no more, for those behind it; it is paid once, later', async () => {
    await stage.pay(await stage.order(shop, 'ETH'), 'ETH', ETHER);
    await stage.withdraw(shop, 'ETH', '0.1');
    await stage.settle(stage.sender(), stage.watcher());
    const maxCost = 80_000n * 5n * GWEI;
    const slow = senderWith({ maxCost }, { devChain: undefined, stuckAfterMs: 60_000 });
    const recipient = await burner(1_500);
    const { id } = await stage.withdraw(shop, 'ETH', '0.1', recipient);
    for (let round = 0; round < 8 && (await stage.payout(id)).status === 'REQUESTED'; round += 1) {
      await stage.dev.mine(2);
      stage.pass(15);
      await stage.settle(slow, stage.watcher());
    }
    for (let hours = 0; hours < 12; hours += 1) {
      await stage.settle(slow);
      stage.pass(60);
    }
    const rows = await spending(id);
    expect(rows.some(({ purpose }) => purpose === 'GAS')).toBe(true);
    for (const { max_cost } of rows) expect(BigInt(max_cost) <= maxCost).toBe(true);
    for (let round = 0; round < 16; round += 1) {
      await stage.dev.mine(2);
      await stage.settle(slow, stage.watcher());
      stage.pass(15);
    }
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.holds(recipient, 'ETH')).toBe(ETHER / 10n);
    expect((await costOf(id)) <= maxCost).toBe(true);
  });

  it('covers the sweeps and their gas: what does not fit is not begun, and what fits is paid within it', async () => {
    for (let count = 0; count < 8; count += 1) await stage.pay(await stage.order(shop, 'USDC'), 'USDC', 1_000_000n);
    const before = await stage.setup.sql('select id from transfer');
    const maxCost = 1_500_000n * GWEI;
    const sender = senderWith({ maxCost });
    const { id: large } = await stage.withdraw(shop, 'USDC', '7.9');
    await stage.settle(sender, stage.watcher());
    expect([(await stage.payout(large)).status, await held(large)]).toEqual(['REQUESTED', 'TOO_EXPENSIVE']);
    expect(await stage.setup.sql('select id from transfer')).toEqual(before);
    const wide = senderWith({ maxCost: ETHER });
    stage.pass(15);
    await stage.settle(wide, stage.watcher());
    expect(await stage.payout(large)).toMatchObject({ status: 'COMPLETED' });
    const rows = await spending(large);
    expect(rows.map(({ purpose }) => purpose).filter((purpose) => purpose === 'SWEEP')).toHaveLength(8);
    expect(rows.some(({ purpose }) => purpose === 'GAS')).toBe(true);
    expect((await costOf(large)) > 0n).toBe(true);
  });

  it('is judged by what each payout takes itself, however many want money in one round', async () => {
    const shops = await Promise.all([1, 2, 3, 4, 5].map(() => stage.setup.merchant()));
    for (const one of shops) await stage.pay(await stage.order(one, 'USDC'), 'USDC', 4_000_000n);
    const ids: string[] = [];
    for (const one of shops) ids.push((await stage.withdraw(one, 'USDC', '3.9')).id);
    // Two sweeps of a token with their gas and the payout fit; five do not.
    const sender = senderWith({ maxCost: 1_000_000n * GWEI });
    await stage.settle(sender, stage.watcher());
    for (const id of ids) expect([(await stage.payout(id)).status, await held(id)]).toEqual(['COMPLETED', null]);
    for (const id of ids) expect((await costOf(id)) <= 1_000_000n * GWEI).toBe(true);
  });

  it('is not exceeded by two signers that sweep for one payout at once', async () => {
    for (let count = 0; count < 4; count += 1) await stage.pay(await stage.order(shop, 'ETH'), 'ETH', ETHER / 1_000n);
    const { id } = await stage.withdraw(shop, 'ETH', '0.0039');
    const maxCost = 21_000n * 20n * GWEI;
    const senders = [senderWith({ maxCost }), stage.sender({ chain: chainWith({ maxCost }) }, await stage.another())];
    await Promise.all(senders.map((sender) => stage.settle(sender)));
    await stage.settle(...senders, stage.watcher());
    const signed = (await spending(id)).reduce((sum, row) => sum + BigInt(row.cost ?? row.max_cost), 0n);
    expect(signed <= maxCost).toBe(true);
    stage.pass(60);
    await stage.settle(stage.sender(), stage.watcher());
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
  });
});

describe('what is too little to be swept', () => {
  it('stays where it is, and the payout is made of the rest', async () => {
    const poor = await stage.order(shop, 'USDC');
    await stage.pay(poor, 'USDC', 900_000n);
    const rich = await stage.order(shop, 'USDC');
    await stage.pay(rich, 'USDC', 5_000_000n);
    const sender = senderWith({ sweepMin: new Map([['USDC', 1_000_000n]]) });
    const { id } = await stage.withdraw(shop, 'USDC', '5.8', OUTSIDE);
    await stage.settle(sender, stage.watcher());
    expect(await stage.payout(id)).toMatchObject({ status: 'REQUESTED' });
    expect(await stage.holds(poor.addressKey, 'USDC')).toBe(900_000n);
    await stage.settle(senderWith({}), stage.watcher());
    stage.pass(15);
    await stage.settle(senderWith({}), stage.watcher());
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.holds(poor.addressKey, 'USDC')).toBe(0n);
  });
});
