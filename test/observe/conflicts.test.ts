// A deposit whose transaction lost its nonce to another one, on a real chain: gone once that one is confirmed, and not
// before.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Worker } from '../../src/loop.ts';
import { createDepositWatcher } from '../../src/observe/watch-deposits.ts';
import { SHOP, startTestChain, type TestChain } from '../chain/evm/node.fixture.ts';
import { audit } from '../domain/audit.fixture.ts';
import { createSetup, type Order, type Setup } from '../domain/book.fixture.ts';

const CONFIRMATIONS = 4;

let setup: Setup;
let chain: TestChain;
let watcher: Worker;
let shop: string;
let order: Order;
let start: number;

// A book of its own for each chain, because chains that begin alike have transactions of the same hashes.
beforeEach(async () => {
  setup = await createSetup();
  chain = await startTestChain();
  await chain.mine(5);
  watcher = newWatcher();
  await drive();
  start = await tip();
  shop = await setup.merchant();
  order = await setup.order(shop, {
    ...{ address_key: SHOP, required_confirmations: CONFIRMATIONS, expires_at: new Date(Date.now() + 3_600_000) },
  });
});
afterEach(() => audit(setup));
afterEach(async () => {
  await chain.stop();
  await setup.stop();
});

const newWatcher = () => {
  const adapter = chain.adapter();
  return createDepositWatcher(setup.deps, {
    adapter,
    account: 'evm',
    requiredConfirmations: 4,
    networkFees: new Map(),
  });
};
const tip = async () => (await chain.adapter().tip()).height;

async function drive(): Promise<void> {
  for (let steps = 0; await watcher.processNext(); steps += 1) if (steps > 500) throw new Error('no rest');
}

async function mineAndDrive(blocks: number): Promise<void> {
  await chain.mine(blocks);
  await drive();
}

/** The order is paid in block `start + 4`, and that is confirmed. */
async function payAndConfirm(): Promise<string> {
  await chain.mine(3);
  const txHash = await chain.sendToken('transfer', 1_000_000n);
  await mineAndDrive(CONFIRMATIONS);
  expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED' });
  return txHash;
}

/** The payment's nonce goes to another transaction, in block `start + 1`. */
async function displace(): Promise<void> {
  await chain.rpc('anvil_rollback', (await tip()) - start);
  await chain.send({ to: chain.token, value: 0n });
  await chain.mine();
}

const balance = () => setup.balance(shop);

describe('a confirmed deposit that left the chain, its nonce taken by another transaction below', () => {
  it('is reversed when that one has the confirmations, by itself, and not before', async () => {
    await payAndConfirm();
    await displace();
    await mineAndDrive(CONFIRMATIONS - 2);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await balance()).toMatchObject({ available: 990_000n });
    await mineAndDrive(1);
    expect(await tip()).toBe(start + CONFIRMATIONS);
    expect(await setup.read(order)).toMatchObject({ status: 'FAILED', exception: 'REORGED' });
    expect(await balance()).toEqual({ available: 0n, reserved: 0n, pending: 0n, owed: 0n });
    await mineAndDrive(10);
    expect((await setup.reportedEvents(order)).slice(-2)).toEqual([
      'payment.updated SUCCEEDED',
      'payment.failed FAILED REORGED',
    ]);
  });

  it('is given up at once by a watcher that finds it long confirmed', async () => {
    await payAndConfirm();
    await displace();
    await chain.mine(CONFIRMATIONS - 1);
    watcher = newWatcher();
    await drive();
    expect(await setup.read(order)).toMatchObject({ status: 'FAILED', exception: 'REORGED' });
  });

  it('waits for the whole branch again when that one leaves the chain too', async () => {
    await payAndConfirm();
    await displace();
    await mineAndDrive(1);
    const heights = () =>
      setup.sql<{ at: string; left: string }>(
        `select orphaned_height::text as at, left_height::text as left from deposit where payment_id = $1`,
        [order.id],
      );
    expect(await heights()).toEqual([{ at: String(start + 1), left: String(start + 4) }]);
    await chain.rpc('anvil_reorg', 2, []);
    await drive();
    expect(await heights()).toEqual([{ at: String(start + 4), left: String(start + 4) }]);
    await mineAndDrive(start + 6 - (await tip()));
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED' });
    await mineAndDrive(1);
    expect(await setup.read(order)).toMatchObject({ status: 'FAILED', exception: 'REORGED' });
  });
});

describe('a confirmed deposit that left the chain', () => {
  it('and whose nonce is free is given up by the branch alone; mined again it is credited anew', async () => {
    const txHash = await payAndConfirm();
    const raw = await chain.rpc<string>('eth_getRawTransactionByHash', txHash);
    await chain.rpc('anvil_rollback', (await tip()) - start);
    await mineAndDrive(6);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED' });
    await mineAndDrive(1);
    expect(await setup.read(order)).toMatchObject({ status: 'FAILED', exception: 'REORGED' });
    await chain.rpc('eth_sendRawTransaction', raw);
    await mineAndDrive(CONFIRMATIONS);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', exception: null });
    expect(await balance()).toMatchObject({ available: 990_000n });
  });

  it('only moved to another block: nothing of it is lost', async () => {
    const txHash = await payAndConfirm();
    const raw = await chain.rpc<string>('eth_getRawTransactionByHash', txHash);
    await chain.rpc('anvil_rollback', (await tip()) - start);
    await chain.mine();
    await chain.rpc('eth_sendRawTransaction', raw);
    await mineAndDrive(10);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED' });
    expect((await setup.reportedEvents(order)).filter((told) => told.includes('FAILED'))).toEqual([]);
  });

  it('keeps what it spends, from its first sighting in the mempool on', async () => {
    await chain.sendToken('transfer', 1_000_000n);
    await drive();
    const spends = () => setup.sql('select spends, block_height from deposit where payment_id = $1', [order.id]);
    expect(await spends()).toMatchObject([
      { spends: expect.stringMatching(/^0x[0-9a-f]{40}:\d+$/), block_height: null },
    ]);
    const [before] = await spends();
    await mineAndDrive(1);
    expect(await spends()).toMatchObject([{ spends: before?.spends }]);
  });
});
