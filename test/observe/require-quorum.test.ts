// Large deposits are credited once two nodes agree; small ones, and networks with one node, do not wait.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ChainUnavailable } from '../../src/chain/errors.ts';
import { createNodePool } from '../../src/chain/pool/node-pool.ts';
import type { Worker } from '../../src/loop.ts';
import { createDepositWatcher } from '../../src/observe/watch-deposits.ts';
import { SHOP, startTestChain, type TestChain } from '../chain/evm/node.fixture.ts';
import { createSetup, type Order, type Setup } from '../domain/book.fixture.ts';
import { startUnsteadyNode, type UnsteadyNode } from './unsteady-node.fixture.ts';

const CONFIRMATIONS = 2;

let setup: Setup;
let chain: TestChain;
let second: UnsteadyNode;
let watcher: Worker;
let order: Order;
let later = 0;

beforeAll(async () => {
  setup = await createSetup();
  chain = await startTestChain();
  second = await startUnsteadyNode(() => chain.url);
  const adapters = [chain.adapter(), chain.adapter({ rpcUrl: second.url })];
  const adapter = createNodePool({ adapters, now: () => performance.now() + later });
  watcher = createDepositWatcher(setup.deps, {
    ...{ adapter, account: 'evm', requiredConfirmations: CONFIRMATIONS, networkFees: new Map() },
    quorumAbove: new Map([['USDT', 5_000_000n]]),
  });
  await drive();
  const fields = { address_key: SHOP, required_confirmations: CONFIRMATIONS, amount: '10000000' };
  order = await setup.order(await setup.merchant(), { ...fields, expires_at: new Date(Date.now() + 3_600_000) });
});
afterAll(async () => {
  await second.stop();
  await chain.stop();
  await setup.stop();
});

async function drive(): Promise<void> {
  for (let steps = 0; await watcher.processNext(); steps += 1) if (steps > 500) throw new Error('no rest');
}

const received = async () =>
  (await setup.sql<{ units: string }>('select amount_received::text as units from payment'))[0]?.units;

it('a small deposit needs one node, a large one two; without the second the network waits, and loses nothing', async () => {
  second.harm({ harm: 'status', after: 0, count: 1_000_000 });
  await chain.sendToken('transfer', 4_000_000n);
  await chain.mine();
  await drive();
  expect(await received()).toBe('4000000');

  await chain.sendToken('transfer', 6_000_000n);
  await chain.mine(CONFIRMATIONS);
  await expect(watcher.processNext()).rejects.toBeInstanceOf(ChainUnavailable);
  await expect(watcher.processNext()).rejects.toThrow('no second node');
  expect(await received()).toBe('4000000');

  second.heal();
  later += 60_000;
  await drive();
  expect(await received()).toBe('10000000');
  expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED' });
});
