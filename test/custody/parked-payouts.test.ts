// A payout that cannot be sent is parked alone: those behind it are paid meanwhile, through nodes that stay in use.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { keccak256 } from 'viem/utils';
import { createEvmAdapter } from '../../src/chain/evm/adapter.ts';
import type { AccountAdapter } from '../../src/chain/adapter.ts';
import { createNodePool } from '../../src/chain/pool/node-pool.ts';
import { startUnsteadyNode, type UnsteadyNode } from '../observe/unsteady-node.fixture.ts';
import { startOddNode } from '../chain/evm/node.fixture.ts';
import { NODE_TIMEOUT_MS } from '../support/node-timeout.ts';
import { HOSTILE } from './hostile-contracts.fixture.ts';
import { createPayoutSetup, OUTSIDE, type PayoutSetup } from './payout-setup.fixture.ts';

const ETHER = 10n ** 18n;

let stage: PayoutSetup;
let shop: string;
let nodes: UnsteadyNode[];
const odd: { stop(): Promise<void> }[] = [];
let serial = 0xbad100;

beforeAll(async () => {
  stage = await createPayoutSetup();
  nodes = await Promise.all([0, 1].map(() => startUnsteadyNode(() => stage.dev.rpcUrl)));
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await stage.stop();
});
beforeEach(async () => {
  stage.pass(10);
  shop = await stage.setup.merchant();
});
afterEach(async () => {
  for (const node of nodes) node.heal();
  await Promise.all(odd.splice(0).map((one) => one.stop()));
  await stage.audit();
});

function adapterOf(rpcUrl: string, timeoutMs = NODE_TIMEOUT_MS): AccountAdapter {
  const { chainId, contracts } = stage.dev;
  return createEvmAdapter({
    ...{ network: 'ETH', rpcUrl, chainId, minesOnDemand: true, timeoutMs },
    contracts: new Map<string, string | null>([['ETH', null], ...contracts]),
  });
}

/** A sender over several nodes, as in live: it does not mine. */
function live(...urls: string[]) {
  const chain = stage.deps.chains.get('ETH');
  if (!chain) throw new Error('There is no chain');
  const adapter = createNodePool({ adapters: urls.map((url) => adapterOf(url)), now: () => 0 }) as AccountAdapter;
  const sender = stage.sender({ chain: { ...chain, adapter }, devChain: undefined });
  return { sender, statesOf: () => adapter.nodes?.().map(({ state }) => state) };
}

const urls = () => nodes.map(({ url }) => url);

/** A recipient that runs `code`. */
async function contract(code: string): Promise<string> {
  const address = `0x${(serial++).toString(16).padStart(40, '0')}`;
  await stage.node('anvil_setCode', address, code);
  return address;
}

/** The hot wallet holds more than all payouts of a test need, and gas. */
async function fill(): Promise<void> {
  await stage.pay(await stage.order(shop, 'ETH'), 'ETH', 10n * ETHER);
  await stage.pay(await stage.order(shop), 'USDT', 100_000_000n);
  const first = [await stage.withdraw(shop, 'USDT', '90'), await stage.withdraw(shop, 'ETH', '9')];
  await stage.settle(stage.sender(), stage.watcher());
  for (const { id } of first) expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
  await stage.pay(await stage.order(shop, 'ETH'), 'ETH', 10n * ETHER);
  const [hot] = await stage.setup.sql<{ key: string }>(`select address_key as key from sender where role = 'HOT'`);
  for (const [currency, amount] of [
    ['ETH', 10n * ETHER],
    ['USDT', 100_000_000n],
  ] as const)
    await stage.dev.deposit({ address: hot?.key ?? '', currency, amount, confirmations: 1 });
  await stage.settle(stage.watcher());
}

/** Lets blocks and time pass, as on a busy chain. */
async function blocks(sender: Parameters<PayoutSetup['settle']>[0], count: number): Promise<void> {
  for (let block = 0; block < count; block += 1) {
    await stage.dev.mine(1);
    stage.pass(6);
    await stage.settle(sender, stage.watcher());
  }
}

describe.each(Object.entries(HOSTILE))('a recipient that %s', (_name, code) => {
  it('waits as RECIPIENT_REFUSES, and fails after three blocks that span the confirmations; others are paid', async () => {
    await fill();
    const { sender, statesOf } = live(...urls());
    const bad = await stage.withdraw(shop, 'ETH', '0.01', await contract(code));
    // Requested a moment later, so that they come after it.
    stage.pass(0.1);
    const good = [await stage.withdraw(shop, 'ETH', '0.02'), await stage.withdraw(shop, 'USDT', '1')];
    await stage.settle(sender);
    expect(await stage.payout(bad.id)).toMatchObject({ status: 'REQUESTED', held_reason: 'RECIPIENT_REFUSES' });
    for (const { id } of good) expect(await stage.payout(id)).toMatchObject({ status: 'BROADCAST', held_reason: null });
    expect(statesOf()).toEqual(['up', 'up']);
    // Repeated looks within one block count as one answer.
    for (let look = 0; look < 4; look += 1) {
      stage.pass(6);
      await stage.settle(sender);
    }
    await blocks(sender, 1);
    expect(await stage.payout(bad.id)).toMatchObject({ status: 'REQUESTED', held_reason: 'RECIPIENT_REFUSES' });
    for (const { id } of good) expect(await stage.payout(id)).toMatchObject({ status: 'BROADCAST' });
    await blocks(sender, 1);
    expect(await stage.payout(bad.id)).toMatchObject({ status: 'FAILED', tx_hash: null, held_reason: null });
    for (const { id } of good) expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(statesOf()).toEqual(['up', 'up']);
    expect(await stage.setup.balance(shop, 'ETH')).toMatchObject({ reserved: 0n });
  });

  it('ends by itself where the chain makes blocks for our transfers', async () => {
    await fill();
    const { id } = await stage.withdraw(shop, 'ETH', '0.01', await contract(code));
    await stage.settle(stage.sender(), stage.watcher());
    expect(await stage.payout(id)).toMatchObject({ status: 'FAILED' });
  });
});

describe('a payout', () => {
  it('that was refused only for a while is paid, and begins to count anew', async () => {
    await fill();
    const { sender } = live(...urls());
    const recipient = await contract(HOSTILE['halts by 0xfe']);
    const { id } = await stage.withdraw(shop, 'ETH', '0.01', recipient);
    await stage.settle(sender);
    await blocks(sender, 1);
    await stage.node('anvil_setCode', recipient, '0x');
    await blocks(sender, 3);
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.setup.sql('select 1 from payout_refusal where payout_id = $1', [id])).toEqual([]);
  });

  it('of more than there is waits as MISSING_FUNDS, and a smaller one of the same currency is paid', async () => {
    const bare = await createPayoutSetup();
    try {
      const merchant = await bare.setup.merchant();
      await bare.pay(await bare.order(merchant), 'USDT', 10_000_000n);
      const order = await bare.order(merchant);
      await bare.pay(order, 'USDT', 400_000_000n);
      // The book has money that its address has not.
      await setHolding(bare, order.addressKey, 0n);
      const large = await bare.withdraw(merchant, 'USDT', '300');
      const small = await bare.withdraw(merchant, 'USDT', '2');
      await bare.settle(bare.sender());
      expect(await bare.payout(large.id)).toMatchObject({ status: 'REQUESTED', held_reason: 'MISSING_FUNDS' });
      expect(await bare.payout(small.id)).toMatchObject({ status: 'COMPLETED' });
      // The money is back, and the payout resumes by itself.
      await setHolding(bare, order.addressKey, 400_000_000n);
      bare.pass(10);
      await bare.settle(bare.sender());
      expect(await bare.payout(large.id)).toMatchObject({ status: 'COMPLETED', held_reason: null });
    } finally {
      await bare.stop();
    }
  });
});

/** Sets what an address holds of USDT without a transaction, since one signed with our key would halt the network. */
async function setHolding({ node, dev }: PayoutSetup, address: string, amount: bigint): Promise<void> {
  const word = (hex: string) => hex.padStart(64, '0');
  // The token's balances are its first variable.
  const place = keccak256(`0x${word(address.slice(2))}${word('0')}`);
  await node('anvil_setStorageAt', dev.contracts.get('USDT'), place, `0x${word(amount.toString(16))}`);
}

describe('ten thousand parked payouts', () => {
  it('of one merchant, all of them due, delay nobody else', async () => {
    await fill();
    const { sender } = live(...urls());
    const greedy = await stage.setup.merchant();
    const now = stage.deps.clock.now();
    await stage.setup.sql(
      `insert into payout (id, kind, merchant_id, currency, network, amount, network_fee, address, status, early,
         created_at, updated_at, held_reason, held_since, look_at)
       select 'wdr_parked' || n, 'WITHDRAWAL', $1, 'USDT', 'ETH', 1000000000000, 0, $2, 'REQUESTED', false, $3, $3,
         'MISSING_FUNDS', $3, $3 from generate_series(1, 10000) n`,
      [greedy, OUTSIDE, now],
    );
    const { id } = await stage.withdraw(shop, 'USDT', '1');
    await sender.processNext();
    expect(await stage.payout(id)).toMatchObject({ status: 'BROADCAST' });
    await stage.setup.sql(`delete from payout where id like 'wdr_parked%'`);
    await stage.dev.mine(2);
    await stage.settle(sender, stage.watcher());
  });
});

describe('a node', () => {
  it('a block behind at the estimate fails no payout: neither for want of money nor for an old recipient', async () => {
    await fill();
    const recipient = await contract(HOSTILE.reverts);
    // The lagging node estimates at a block in which the hot wallet had nothing.
    const [hot] = await stage.setup.sql<{ key: string }>(`select address_key as key from sender where role = 'HOT'`);
    let isBehind = true;
    const behind = await startOddNode(stage.dev.rpcUrl, ({ method, params }) => {
      if (method !== 'eth_estimateGas' || !isBehind) return undefined;
      const call = params[0] as { from: string; to: string };
      const fails = call.from === hot?.key && call.to === stage.dev.contracts.get('USDT')?.toLowerCase();
      return fails ? { error: { code: 3, message: 'execution reverted: balance' } } : undefined;
    });
    odd.push(behind);
    const { sender, statesOf } = live(behind.url);
    const poor = await stage.withdraw(shop, 'USDT', '1');
    const old = await stage.withdraw(shop, 'ETH', '0.01', recipient);
    await stage.settle(sender);
    expect(await stage.payout(poor.id)).toMatchObject({ status: 'REQUESTED', held_reason: 'NOT_ACCEPTED' });
    expect(await stage.payout(old.id)).toMatchObject({ status: 'REQUESTED', held_reason: 'RECIPIENT_REFUSES' });
    expect(statesOf()).toEqual(['up']);
    await stage.node('anvil_setCode', recipient, '0x');
    isBehind = false;
    await blocks(sender, 4);
    for (const { id } of [poor, old]) expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
  });

  it('that answers every estimate with an error of its own is left for another, and no payout waits for it', async () => {
    await fill();
    const [sick, well] = nodes;
    if (!sick || !well) throw new Error('There are two nodes');
    sick.harm({ harm: 'error', after: 0, count: 10_000, method: 'eth_estimateGas' });
    const { sender, statesOf } = live(sick.url, well.url);
    const { id } = await stage.withdraw(shop, 'ETH', '0.01');
    await stage.settle(sender);
    expect(await stage.payout(id)).toMatchObject({ status: 'BROADCAST' });
    expect(statesOf()).toEqual(['resting', 'up']);
    await blocks(sender, 2);
  });
});

describe('a refund', () => {
  it('that fails sends payment.updated, whatever the state of its payment', async () => {
    await fill();
    const order = await stage.order(shop, 'ETH');
    await stage.pay(order, 'ETH', ETHER);
    const { version } = await versionOf(order.id);
    const refund = await stage.refund(shop, order.id, '0.1');
    await stage.setup.sql('update payout set address = $2 where id = $1', [
      refund.id,
      await contract(HOSTILE['halts by 0xfe']),
    ]);
    const before = await stage.setup.reportedEvents(order);
    await stage.settle(stage.sender(), stage.watcher());
    expect(await stage.payout(refund.id)).toMatchObject({ status: 'FAILED' });
    const told = (await stage.setup.reportedEvents(order)).slice(before.length);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^payment\.updated /);
    expect(await versionOf(order.id)).toEqual({ version: version + 1 });
  });

  async function versionOf(id: string): Promise<{ version: number }> {
    const [row] = await stage.setup.sql<{ version: number }>('select version from payment where id = $1', [id]);
    return row ?? { version: -1 };
  }
});
