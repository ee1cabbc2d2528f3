// Nodes that are down, slow, limited, on another chain or wrong: the adapter skips nothing and invents nothing.

import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChainAdapter } from '../../../src/chain/adapter.ts';
import type { BlockHead } from '../../../src/chain/blocks.ts';
import { ChainUnavailable } from '../../../src/chain/errors.ts';
import { nextBlock, SHOP, startOddNode, startTestChain, type Answer, type TestChain } from './node.fixture.ts';

let chain: TestChain;
let start: BlockHead;
const cleanups: Array<() => Promise<void>> = [];
const MISSING = { error: { code: -32601, message: 'the method does not exist' } };

beforeAll(async () => {
  chain = await startTestChain();
  start = await chain.adapter().tip();
  await chain.send({ to: SHOP, value: 1n });
  await chain.sendToken('transferLater', 10n);
  await chain.sendToken('transferAndFail', 20n);
  await chain.mine();
});
afterAll(() => chain.stop());
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** An adapter whose node answers some questions in its own way. */
async function adapterOf(answer: Answer, options?: { batches: boolean }): Promise<ChainAdapter> {
  const node = await startOddNode(chain.url, answer, options);
  cleanups.push(() => node.stop());
  return chain.adapter({ rpcUrl: node.url });
}

/** Expects `ChainUnavailable` and returns the error. */
async function unavailability(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.then(
    (value) => value,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ChainUnavailable);
  return (error as ChainUnavailable).message;
}

const everyQuestion = (adapter: ChainAdapter): Array<Promise<unknown>> => [
  adapter.verify(),
  adapter.tip(),
  adapter.headAt(1),
  adapter.next(start),
  adapter.isCanonical(start),
  adapter.mempool(),
  adapter.txState(`0x${'12'.repeat(32)}`),
];

describe('a node that does not answer', () => {
  it('is unavailable when nothing listens, without telling its URL', async () => {
    const rpcUrl = 'http://user:hush-password@127.0.0.1:9/hush-key';
    for (const attempt of everyQuestion(chain.adapter({ rpcUrl }))) {
      expect(await unavailability(attempt)).toMatch(/^ETH: the node could not be reached \(\w+\)$/);
    }
  });

  it('is unavailable after the time-out when it accepts and stays silent', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const sockets: Array<{ destroy(): void }> = [];
    server.on('connection', (socket) => sockets.push(socket));
    cleanups.push(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    const rpcUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    expect(await unavailability(chain.adapter({ rpcUrl, timeoutMs: 200 }).tip())).toContain('within 200 ms');
  });

  it.each<[what: string, answer: Answer]>([
    ['errors', () => ({ error: { code: -32000, message: 'overloaded' } })],
    ['neither result nor error', () => ({})],
    ['a result of the wrong shape', () => ({ result: { number: 'seven', pending: 5 } })],
    ['HTTP 500', () => Promise.reject(new Error('broken'))],
  ])('is unavailable when it answers with %s', async (_what, answer) => {
    for (const attempt of everyQuestion(await adapterOf(answer))) await unavailability(attempt);
  });
});

describe('a node on another chain', () => {
  const otherChain: Answer = ({ method }) => (method === 'eth_chainId' ? { result: '0x1' } : undefined);

  it('is not verified', async () => {
    expect(await unavailability((await adapterOf(otherChain)).verify())).toContain('on chain 1, expected 31337');
  });

  it('brings no news of a reorganisation', async () => {
    const gone = { height: start.height, hash: `0x${'ab'.repeat(32)}` };
    expect(await chain.adapter().next(gone)).toEqual({ kind: 'reorganised' });
    await unavailability((await adapterOf(otherChain)).next(gone));
  });

  it('nor does one that is still loading the chain', async () => {
    const loading: Answer = ({ method }) =>
      method === 'eth_syncing' ? { result: { currentBlock: '0x1' } } : undefined;
    const ahead = { height: 1_000, hash: `0x${'ab'.repeat(32)}` };
    expect(await chain.adapter().next(ahead)).toEqual({ kind: 'reorganised' });
    expect(await unavailability((await adapterOf(loading)).next(ahead))).toContain('loading');
  });
});

describe('a node with fewer methods', () => {
  it('without eth_getBlockReceipts gives the same block, and is asked for them once', async () => {
    let asked = 0;
    const adapter = await adapterOf(({ method }) => {
      if (method !== 'eth_getBlockReceipts') return undefined;
      asked += 1;
      return MISSING;
    });
    const expected = await nextBlock(chain.adapter(), start);
    expect(expected.transfers).toHaveLength(3);
    expect(await nextBlock(adapter, start)).toEqual(expected);
    expect(await nextBlock(adapter, start)).toEqual(expected);
    expect(asked).toBe(1);
  });

  it('without txpool_content shows waiting transactions by its pending block', async () => {
    const snapshot = await chain.rpc<string>('evm_snapshot');
    const txHash = await chain.send({ to: SHOP, value: 3n });
    const adapter = await adapterOf(({ method }) => (method === 'txpool_content' ? MISSING : undefined));
    const expected = [{ txHash, ordinal: 0, addressKey: SHOP, currency: 'ETH', amount: 3n }];
    expect((await adapter.mempool()).transfers).toMatchObject(expected);
    expect((await adapter.mempool()).transfers).toMatchObject(expected);
    await chain.rpc('evm_revert', snapshot);
    await chain.rpc('anvil_dropAllTransactions');
  });

  it('that passes its latest block off as the pending one shows nothing waiting', async () => {
    const adapter = await adapterOf(async ({ method, params }) => {
      if (method === 'txpool_content') return MISSING;
      if (params[0] !== 'pending') return undefined;
      return { result: await chain.rpc('eth_getBlockByNumber', 'latest', true) };
    });
    expect((await adapter.mempool()).transfers).toEqual([]);
  });

  it('that refuses batches is asked one question at a time', async () => {
    const adapter = await adapterOf(() => undefined, { batches: false });
    expect(await nextBlock(adapter, start)).toEqual(await nextBlock(chain.adapter(), start));
  });
});

describe('a node that contradicts itself', () => {
  type Receipts = Array<Record<string, unknown>>;
  const receiptsOf = (blockHash: unknown): Promise<Receipts> => chain.rpc<Receipts>('eth_getBlockReceipts', blockHash);

  it('that leaves out a receipt is asked for it alone, and nothing is lost', async () => {
    const adapter = await adapterOf(async ({ method, params }) =>
      method === 'eth_getBlockReceipts' ? { result: (await receiptsOf(params[0])).slice(1) } : undefined,
    );
    expect((await nextBlock(adapter, start)).transfers).toHaveLength(3);
  });

  it('that has a receipt nowhere is unavailable rather than believed', async () => {
    const adapter = await adapterOf(async ({ method, params }) => {
      if (method === 'eth_getTransactionReceipt') return { result: null };
      return method === 'eth_getBlockReceipts' ? { result: (await receiptsOf(params[0])).slice(1) } : undefined;
    });
    expect(await unavailability(adapter.next(start))).toContain('not all of its receipts');
  });

  it('whose receipts belong to another block is unavailable', async () => {
    const adapter = await adapterOf(async ({ method, params }) => {
      if (method !== 'eth_getBlockReceipts') return undefined;
      const receipts = await receiptsOf(params[0]);
      return { result: receipts.map((receipt) => ({ ...receipt, blockHash: `0x${'cd'.repeat(32)}` })) };
    });
    await unavailability(adapter.next(start));
  });

  it.each([
    ['with null', { result: null }],
    ['with "unknown block"', { error: { code: -32000, message: 'unknown block' } }],
  ])('that lost the block between two questions (%s) reports a reorganisation', async (_what, lost) => {
    // The snapshot's own block stays: anvil cannot return to a block that a reorganisation replaced.
    const snapshot = await chain.rpc<string>('evm_snapshot');
    const cursor = await chain.adapter().tip();
    await chain.send({ to: SHOP, value: 4n });
    await chain.mine();
    const adapter = await adapterOf(async ({ method }) => {
      if (method !== 'eth_getBlockReceipts') return undefined;
      await chain.rpc('anvil_reorg', 1, []);
      return lost;
    });
    expect(await adapter.next(cursor)).toEqual({ kind: 'reorganised' });
    await chain.rpc('evm_revert', snapshot);
  });

  it('that answers with another height than asked for is unavailable', async () => {
    const adapter = await adapterOf(async ({ method, params }) =>
      method === 'eth_getBlockByNumber'
        ? { result: await chain.rpc('eth_getBlockByNumber', '0x0', params[1]) }
        : undefined,
    );
    await unavailability(adapter.headAt(start.height));
    await unavailability(adapter.next(start));
  });
});
