// The watcher on a real development chain and a real PostgreSQL, driven step by step.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createEvmAdapter } from '../../src/chain/evm/adapter.ts';
import { createRpc } from '../../src/chain/evm/rpc.ts';
import type { Deps } from '../../src/domain/deps.ts';
import type { Worker } from '../../src/loop.ts';
import { createDepositWatcher } from '../../src/observe/watch-deposits.ts';
import { createDevChain, type DevChain } from '../../src/sandbox/evm/dev-chain.ts';
import { startOddNode, type Answer } from '../chain/evm/node.fixture.ts';
import { audit } from '../domain/audit.fixture.ts';
import { createSetup, log, type Order, type Setup } from '../domain/book.fixture.ts';
import { NODE_TIMEOUT_MS } from '../support/node-timeout.ts';

const WHOLE = 1_000_000n;
const NET = 990_000n;

let folder: string;
let setup: Setup;
let dev: DevChain;
let shop: string;
let order: Order;
let watcher: Worker;
/** The time of the gateway and of the chain, which the test advances. */
let now = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 60_000);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnpike-watch-'));
  setup = await createSetup();
  dev = await openChain('first');
});
afterAll(async () => {
  await dev.stop();
  await setup.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  pass(1);
  shop = await setup.merchant();
  order = await newOrder();
  watcher = watch(setup.deps);
  await drive(watcher);
});
afterEach(() => audit(setup));

const openChain = (name: string) => createDevChain({ dataDir: join(folder, name), log, now: () => now.getTime() });

function pass(minutes: number): void {
  now = new Date(now.getTime() + minutes * 60_000);
  setup.setNow(now);
}

/** An order that expires after 30 minutes. */
const newOrder = () => setup.order(shop, { created_at: now, expires_at: new Date(now.getTime() + 30 * 60_000) });

/** A watcher as in a process that has just started. */
function watch(deps: Deps, { rpcUrl = dev.rpcUrl, minesOnDemand = true } = {}): Worker {
  const { chainId, contracts } = dev;
  const adapter = createEvmAdapter({
    ...{ network: 'ETH', rpcUrl, chainId, minesOnDemand, timeoutMs: NODE_TIMEOUT_MS, log },
    contracts: new Map<string, string | null>([['ETH', null], ...contracts]),
  });
  return createDepositWatcher(deps, { adapter, account: 'evm', requiredConfirmations: 2, networkFees: new Map() });
}

/** Lets a watcher work until it rests. */
async function drive({ processNext }: Worker): Promise<void> {
  for (let steps = 0; await processNext(); steps += 1) {
    if (steps > 1_000) throw new Error('the watcher does not come to rest');
  }
}

const deposit = (amount: bigint, confirmations: number, to = order) =>
  dev.deposit({ address: to.addressKey, currency: 'USDT', amount, confirmations });

/** Mines a block that is dated ahead of all clocks. */
async function mineAhead(minutes: number): Promise<void> {
  const present = now;
  now = new Date(now.getTime() + minutes * 60_000);
  await dev.mine(1);
  now = present;
}

/** Asks the node directly. */
const node = (method: string, ...params: unknown[]) =>
  createRpc({ network: 'ETH', url: dev.rpcUrl, timeoutMs: NODE_TIMEOUT_MS }).call(method, params);

const cursor = async () =>
  (await setup.sql<{ height: string; hash: string }>('select height, hash from chain_cursor'))[0];

describe('a deposit', () => {
  it('is seen waiting, mined, and confirmed, and credited', async () => {
    const { txHash } = await deposit(WHOLE, -1);
    await drive(watcher);
    expect(await setup.read(order)).toMatchObject({
      status: 'CONFIRMING',
      transactions: [{ txHash, confirmations: 0 }],
    });
    await dev.mine(1);
    await drive(watcher);
    expect(await setup.read(order)).toMatchObject({ status: 'CONFIRMING', confirmations: 1 });
    expect(await setup.balance(shop)).toMatchObject({ available: 0n, pending: WHOLE });
    await dev.mine(1);
    await drive(watcher);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', exception: null, confirmations: 2 });
    expect(await setup.balance(shop)).toMatchObject({ available: NET, pending: 0n });
  });

  it('of the coin and of both tokens is credited each in its asset', async () => {
    for (const currency of ['ETH', 'USDT', 'USDC'])
      await dev.deposit({ address: order.addressKey, currency, amount: 200n, confirmations: 1 });
    await drive(watcher);
    for (const currency of ['ETH', 'USDT', 'USDC'])
      expect(await setup.balance(shop, currency)).toMatchObject({ available: 198n });
  });

  it('that disappears from the mempool takes the payment back', async () => {
    const { txHash } = await deposit(WHOLE, -1);
    await drive(watcher);
    expect(await setup.read(order)).toMatchObject({ status: 'CONFIRMING' });
    await node('anvil_dropTransaction', txHash);
    await drive(watcher);
    expect(await setup.read(order)).toMatchObject({
      status: 'PENDING',
      transactions: [{ txHash, status: 'ORPHANED' }],
    });
  });

  it('is credited once by two watchers that work at the same time', async () => {
    const other = watch(await setup.another());
    await deposit(WHOLE, 4);
    await Promise.all([drive(watcher), drive(other)]);
    await Promise.all([drive(watcher), drive(other)]);
    expect(await setup.balance(shop)).toMatchObject({ available: NET });
    expect(await setup.reportedEvents(order)).toEqual([
      ...['payment.created PENDING', 'payment.updated CONFIRMING', 'payment.succeeded SUCCEEDED'],
    ]);
  });

  it('is found by a watcher that starts in the middle', async () => {
    await deposit(WHOLE, 3);
    expect(await watcher.processNext()).toBe(true);
    expect(await setup.read(order)).toMatchObject({ status: 'CONFIRMING', confirmations: 1 });
    await drive(watch(await setup.another()));
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', confirmations: 4 });
    expect(await setup.balance(shop)).toMatchObject({ available: NET });
  });
});

describe('a reorganisation', () => {
  it('is noticed: the watcher goes back, and so does the payment', async () => {
    await deposit(WHOLE, 0);
    await drive(watcher);
    expect(await setup.read(order)).toMatchObject({ status: 'CONFIRMING' });
    const { height } = await dev.reorg(1);
    await drive(watcher);
    expect(await cursor()).toMatchObject({ height: String(height), hash: (await dev.tip()).hash });
    expect(await setup.read(order)).toMatchObject({ status: 'PENDING', amountReceived: '0' });
    await deposit(WHOLE, 1);
    await drive(watcher);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await setup.balance(shop)).toMatchObject({ available: NET });
  });

  it('that takes confirmed money for good reverses it', async () => {
    await deposit(WHOLE, 1);
    await drive(watcher);
    await dev.reorg(2);
    await drive(watcher);
    expect(await setup.read(order)).toMatchObject({ status: 'FAILED', exception: 'REORGED' });
    expect(await setup.balance(shop)).toEqual({ available: 0n, reserved: 0n, pending: 0n, owed: 0n });
  });

  it('above the deposit does not touch it', async () => {
    await deposit(WHOLE, 3);
    await drive(watcher);
    await dev.reorg(3);
    await drive(watcher);
    expect((await setup.reportedEvents(order)).at(-1)).toBe('payment.succeeded SUCCEEDED');
    expect(await setup.balance(shop)).toMatchObject({ available: NET });
  });

  it('may leave the chain shorter: the watcher waits there and goes on', async () => {
    await deposit(WHOLE, 0);
    await dev.mine(3);
    await drive(watcher);
    await node('anvil_rollback', 4);
    const { height } = await dev.tip();
    await drive(watcher);
    expect(await cursor()).toMatchObject({ height: String(height) });
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', amountReceived: '0' });
    await dev.mine(5);
    await drive(watcher);
    expect(await setup.read(order)).toMatchObject({ status: 'FAILED', exception: 'REORGED' });
  });
});

describe('time', () => {
  it('passes on a chain that mines on demand without a block', async () => {
    pass(29);
    await drive(watcher);
    expect(await setup.read(order)).toMatchObject({ status: 'PENDING' });
    pass(1);
    await drive(watcher);
    expect(await setup.read(order)).toMatchObject({ status: 'EXPIRED' });
  });

  it('is the time of the newest block on any other', async () => {
    const slow = watch(setup.deps, { minesOnDemand: false });
    pass(31);
    await drive(slow);
    expect(await setup.read(order)).toMatchObject({ status: 'PENDING' });
    await dev.mine(1);
    await drive(slow);
    expect(await setup.read(order)).toMatchObject({ status: 'EXPIRED' });
  });

  it('of a block that is dated ahead ends no order early, nor one that was paid in time and not seen yet', async () => {
    const slow = watch(setup.deps, { minesOnDemand: false });
    pass(1);
    await mineAhead(120);
    await drive(slow);
    pass(4);
    await drive(slow);
    expect(await setup.read(order)).toMatchObject({ status: 'PENDING' });
    // The node has shown no block since: what was paid in it is unseen, however late it is by our own clock.
    pass(60);
    await drive(watch(await setup.another(), { minesOnDemand: false }));
    expect(await setup.read(order)).toMatchObject({ status: 'PENDING' });
    await dev.mine(1);
    await drive(slow);
    expect(await setup.read(order)).toMatchObject({ status: 'EXPIRED' });
    // The chain's time never goes back, so the blocks of other tests come after it.
    pass(120);
  });

  it('a watcher that lags expires nobody who paid in time', async () => {
    const unpaid = await newOrder();
    pass(10);
    await deposit(WHOLE, 0);
    pass(500);
    await dev.mine(1);
    await drive(watcher);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', exception: null });
    expect(await setup.read(unpaid)).toMatchObject({ status: 'EXPIRED' });
  });

  it('who paid too late has paid late', async () => {
    pass(31);
    await deposit(WHOLE, 1);
    await drive(watcher);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', exception: 'PAID_LATE' });
  });
});

describe('a node that fails', () => {
  /** A node behind a proxy that fails as told. */
  async function through(answer: Answer, use: (watcher: Worker) => Promise<void>): Promise<void> {
    const odd = await startOddNode(dev.rpcUrl, answer);
    await use(watch(setup.deps, { rpcUrl: odd.url })).finally(() => odd.stop());
  }

  it.each([
    'eth_getBlockByNumber',
    'eth_getBlockReceipts',
    'txpool_content',
    'eth_getTransactionByHash',
    'eth_syncing',
  ])('at %s leaves nothing half done, and nothing out', async (method) => {
    await dev.deposit({ address: order.addressKey, currency: 'USDT', amount: 1n, confirmations: -1 });
    await drive(watcher);
    await dev.reorg(1);
    await deposit(WHOLE, 2);
    let failing = true;
    const answer: Answer = (question) =>
      failing && question.method === method ? Promise.reject(new Error('planted')) : undefined;
    await through(answer, async (harmed) => {
      await drive(harmed).catch(() => undefined);
      await audit(setup);
      failing = false;
      await drive(harmed);
    });
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await setup.balance(shop)).toMatchObject({ pending: 0n });
  });

  it('altogether changes nothing, and is asked again', async () => {
    const before = await cursor();
    const odd = await startOddNode(dev.rpcUrl, () => undefined);
    const harmed = watch(setup.deps, { rpcUrl: odd.url });
    await deposit(WHOLE, 1);
    await odd.stop();
    pass(60);
    await expect(harmed.processNext()).rejects.toThrow('could not be reached');
    expect(await cursor()).toEqual(before);
    expect(await setup.read(order)).toMatchObject({ status: 'PENDING' });
    await drive(watcher);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', exception: null });
  });
});

describe('a chain that was set up anew', () => {
  it('is read from its beginning: the watcher goes on, and who was paid there is paid', async () => {
    await deposit(WHOLE, 1);
    await drive(watcher);
    const height = Number((await cursor())?.height);
    await dev.stop();
    pass(1);
    dev = await openChain('second');
    const other = await newOrder();
    await deposit(WHOLE, 1, other);
    expect((await dev.tip()).height).toBeLessThan(height);
    await drive(watch(setup.deps));
    expect(await cursor()).toMatchObject({ hash: (await dev.tip()).hash });
    expect(await setup.read(other)).toMatchObject({ status: 'SUCCEEDED' });
    await dev.mine(height);
    await drive(watch(setup.deps));
    expect(await setup.read(order)).toMatchObject({ status: 'FAILED', exception: 'REORGED' });
    expect(await setup.balance(shop)).toMatchObject({ available: NET });
  });
});

describe('a network that was never watched', () => {
  it('is watched from its tip, and of two watchers that begin at once neither skips a block', async () => {
    await setup.sql('delete from chain_cursor');
    await setup.sql('delete from chain_block');
    const others = [watch(setup.deps), watch(await setup.another())];
    await Promise.all(others.map(({ processNext }) => processNext()));
    await deposit(WHOLE, 1);
    await Promise.all(others.map(drive));
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED' });
  });
});
