// Native coin transferred by contracts: on a real chain that offers traces, and with nodes that offer none or wrong
// ones.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChainAdapter } from '../../../src/chain/adapter.ts';
import type { BlockHead, Transfer } from '../../../src/chain/blocks.ts';
import { ChainUnavailable } from '../../../src/chain/errors.ts';
import { paymentsOf } from '../../../src/chain/evm/traces.ts';
import type { RpcTrace } from '../../../src/chain/evm/rpc-types.ts';
import { nextBlock, PAYER, SHOP, startOddNode, startTestChain, type Answer, type TestChain } from './node.fixture.ts';
import { compileTestPayer, payerCall, type PayerCall } from './test-payer.fixture.ts';

const OTHER_SHOP = '0x00000000000000000000000000000000000000c2';

let chain: TestChain;
let contract: string;
let snapshot: string;
let start: BlockHead;
const cleanups: Array<() => Promise<void>> = [];

beforeAll(async () => {
  chain = await startTestChain();
  const deployment = await chain.send({ data: compileTestPayer(), gas: 3_000_000 });
  await chain.mine();
  const receipt = await chain.rpc<{ contractAddress: string }>('eth_getTransactionReceipt', deployment);
  contract = receipt.contractAddress;
});
afterAll(() => chain.stop());
beforeEach(async () => {
  snapshot = await chain.rpc<string>('evm_snapshot');
  start = await chain.adapter().tip();
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  await chain.rpc('evm_revert', snapshot);
});

const call = (name: PayerCall, value = 100n, receivers = [SHOP, OTHER_SHOP]) =>
  chain.send({ to: contract, value, data: payerCall(name, receivers) });

/** What the next block pays to the two shops: `[ordinal, shop, units]`. */
async function paidToShops(adapter: ChainAdapter = chain.adapter()): Promise<unknown[]> {
  const { transfers } = await nextBlock(adapter, start);
  return transfers
    .filter(({ addressKey }) => addressKey === SHOP || addressKey === OTHER_SHOP)
    .map(({ ordinal, addressKey, amount }) => [ordinal, addressKey, amount]);
}

const heldByShops = async () =>
  [...(await chain.adapter().balances([SHOP, OTHER_SHOP], 'ETH')).values()].reduce((sum, units) => sum + units, 0n);

describe('a contract that pays', () => {
  it.each<[what: string, name: PayerCall, paid: unknown[]]>([
    ['two addresses', 'pay', [[1_000_000, SHOP, 50n], [1_000_001, OTHER_SHOP, 50n]]], // prettier-ignore
    ['them by a call of its own', 'payNested', [[1_000_001, SHOP, 50n], [1_000_002, OTHER_SHOP, 50n]]], // prettier-ignore
    ['them by a call that only repeats the value', 'payDelegated', [[1_000_000, SHOP, 50n], [1_000_001, OTHER_SHOP, 50n]]], // prettier-ignore
    ['one by its end', 'payByEnd', [[1_000_001, SHOP, 100n]]],
    ['nobody, because it fails afterwards', 'payAndFail', []],
    ['one, after two were paid by a call that failed', 'tryAndFail', [[1_000_000, SHOP, 50n]]],
    ['a contract that it makes', 'payToNew', []],
  ])('%s: they are paid what the chain says they hold', async (_what, name, paid) => {
    const before = await heldByShops();
    const txHash = await call(name);
    await chain.mine();
    const found = await paidToShops();
    expect(found).toEqual(paid);
    const total = (found as [number, string, bigint][]).reduce((sum, [, , units]) => sum + units, 0n);
    expect((await heldByShops()) - before).toBe(total);
    const { transfers } = await nextBlock(chain.adapter(), start);
    expect(new Set(transfers.map((transfer) => transfer.txHash))).toEqual(
      total > 0n ? new Set([txHash]) : expect.anything(),
    );
  });

  it('a contract that it makes is a transfer to that contract', async () => {
    await call('payToNew');
    await chain.mine();
    const { transfers } = await nextBlock(chain.adapter(), start);
    const [created] = transfers.filter(({ ordinal }) => ordinal >= 1_000_000);
    expect((await chain.adapter().balances([created?.addressKey ?? ''], 'ETH')).get(created?.addressKey ?? '')).toBe(
      100n,
    );
  });

  it('in one block with coins and tokens: all of it is there, each once, with what it spends', async () => {
    await chain.send({ to: SHOP, value: 12n });
    await chain.sendToken('transfer', 34n);
    await call('pay');
    await chain.mine();
    const { transfers } = await nextBlock(chain.adapter(), start);
    const ours = transfers.filter(({ addressKey }) => addressKey === SHOP);
    expect(ours.map(({ ordinal, currency, amount }) => [ordinal, currency, amount])).toEqual([
      [0, 'ETH', 12n],
      [1, 'USDT', 34n],
      [1_000_000, 'ETH', 50n],
    ]);
    const nonce = Number(ours[0]?.spends?.split(':')[1]);
    expect(ours.map(({ spends }) => spends)).toEqual([0, 1, 2].map((more) => `${PAYER}:${String(nonce + more)}`));
  });

  it('under the same ordinals when its transaction moves to another block', async () => {
    const raw = await chain.rpc<string>('eth_getRawTransactionByHash', await call('payNested'));
    await chain.mine();
    const before = (await nextBlock(chain.adapter(), start)).transfers;
    await chain.rpc('anvil_reorg', 1, []);
    const cursor = await chain.adapter().tip();
    await chain.rpc('eth_sendRawTransaction', raw);
    await chain.mine();
    expect((await nextBlock(chain.adapter(), cursor)).transfers).toEqual(before);
  });
});

/** An adapter whose node answers `trace_block` in its own way, with a count of the questions. */
async function adapterOf(answer: Answer): Promise<{ adapter: ChainAdapter; asked: () => number }> {
  let asked = 0;
  const node = await startOddNode(chain.url, (question) => {
    if (question.method !== 'trace_block') return undefined;
    asked += 1;
    return answer(question);
  });
  cleanups.push(() => node.stop());
  return { adapter: chain.adapter({ rpcUrl: node.url }), asked: () => asked };
}

/** A block with both kinds of payment, and what a reader without traces sees of it. */
async function mineBoth(): Promise<Transfer[]> {
  await chain.send({ to: SHOP, value: 12n });
  await call('pay');
  await chain.mine();
  const { transfers } = await nextBlock(chain.adapter({ trace: false }), start);
  return [...transfers];
}

describe('a node without traces', () => {
  it.each([
    ['an unknown method', { code: -32601, message: 'the method trace_block does not exist/is not available' }],
    ['not part of the contract', { code: -32600, message: 'trace_block is not available on the Free tier' }],
    ['switched off', { code: -32000, message: 'method trace_block is disabled' }],
  ])('(%s) gives all the rest, and is asked once', async (_what, error) => {
    const expected = await mineBoth();
    const { adapter, asked } = await adapterOf(() => ({ error }));
    expect(expected.filter(({ addressKey }) => addressKey === SHOP)).toHaveLength(1);
    expect((await nextBlock(adapter, start)).transfers).toEqual(expected);
    expect((await nextBlock(adapter, start)).transfers).toEqual(expected);
    expect(asked()).toBe(1);
  });

  it('by configuration is not asked, and nor is any where the coin is not taken', async () => {
    await mineBoth();
    const { adapter, asked } = await adapterOf(() => undefined);
    await nextBlock(adapter, start);
    expect(asked()).toBe(1);
    const node = await startOddNode(chain.url, ({ method }) => {
      if (method === 'trace_block') throw new Error('asked');
      return undefined;
    });
    cleanups.push(() => node.stop());
    const contracts = new Map([['USDT', chain.token]]);
    expect((await nextBlock(chain.adapter({ rpcUrl: node.url, contracts }), start)).transfers).toEqual([]);
    expect(await paidToShops(chain.adapter({ rpcUrl: node.url, trace: false }))).toEqual([[0, SHOP, 12n]]);
  });

  it('of old blocks only, whose state it dropped, gives the rest of them; of new ones it is unavailable', async () => {
    const expected = await mineBoth();
    const { adapter } = await adapterOf(() => ({ error: { code: -32000, message: 'missing trie node 12ab' } }));
    await expect(adapter.next(start)).rejects.toBeInstanceOf(ChainUnavailable);
    await chain.mine(101);
    expect((await nextBlock(adapter, start)).transfers).toEqual(expected);
  });
});

describe('a node whose traces cannot be right', () => {
  const traces = async (height: unknown) => chain.rpc<Record<string, unknown>[]>('trace_block', height);

  it.each<[what: string, answer: Answer]>([
    ['fails otherwise', () => ({ error: { code: -32000, message: 'overloaded' } })],
    ['has none', () => ({ result: [] })],
    ['does not know the block', () => ({ result: null })],
    ['leaves a transaction out', async ({ params }) => ({ result: (await traces(params[0])).slice(1) })],
    [
      'answers for another block',
      async ({ params }) => ({
        result: (await traces(params[0])).map((trace) => ({ ...trace, blockHash: `0x${'cd'.repeat(32)}` })),
      }),
    ],
    ['answers in no known shape', () => ({ result: [{ transactionHash: `0x${'cd'.repeat(32)}` }] })],
  ])('because it %s is unavailable, and the block is not passed over', async (_what, answer) => {
    await mineBoth();
    const { adapter } = await adapterOf(answer);
    await expect(adapter.next(start)).rejects.toBeInstanceOf(ChainUnavailable);
  });

  it('because the block left the chain between two questions reports a reorganisation', async () => {
    await mineBoth();
    const { adapter } = await adapterOf(async () => {
      await chain.rpc('anvil_reorg', 1, []);
      return undefined;
    });
    expect(await adapter.next(start)).toEqual({ kind: 'reorganised' });
  });
});

describe('the payments of traces', () => {
  const trace = (path: number[], units: bigint | null, failed = false): RpcTrace => ({
    ...{ txHash: '0x1', blockHash: '0x2', path, failed },
    payment: units === null ? null : { receiver: SHOP, units },
  });
  const unitsOf = (...traces: RpcTrace[]) =>
    paymentsOf(traces)
      .get('0x1')
      ?.map(({ units }) => units) ?? [];

  it('leave out the transaction itself, and what failed with all below it', () => {
    expect(unitsOf(trace([], 1n), trace([0], 2n), trace([1], 3n))).toEqual([2n, 3n]);
    expect(unitsOf(trace([], 1n), trace([0], 2n, true), trace([0, 0], 4n), trace([1], 3n))).toEqual([3n]);
    expect(unitsOf(trace([], 1n), trace([0], 2n), trace([0, 0], 4n, true), trace([0, 0, 0], 5n))).toEqual([2n]);
    expect(unitsOf(trace([], 1n, true), trace([0], 2n), trace([0, 0], 4n))).toEqual([]);
  });

  it('are numbered as they were made, in whatever order they are told, calls of nothing not counted', () => {
    const told = [
      trace([10], 6n),
      trace([2, 1], 5n),
      trace([2], 4n),
      trace([1], null),
      trace([0, 3], 3n),
      trace([0], 2n),
    ];
    expect(unitsOf(...told)).toEqual([2n, 3n, 4n, 5n, 6n]);
    expect(unitsOf(...told.toReversed())).toEqual([2n, 3n, 4n, 5n, 6n]);
  });
});
