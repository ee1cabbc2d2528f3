// Several nodes used as one, on a real anvil behind proxies that fail, lag and lie.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChainAdapter } from '../../../src/chain/adapter.ts';
import type { BlockRef, ChainBlock } from '../../../src/chain/blocks.ts';
import { ChainUnavailable } from '../../../src/chain/errors.ts';
import { createNodePool } from '../../../src/chain/pool/node-pool.ts';
import { HARMS, startUnsteadyNode, type UnsteadyNode } from '../../observe/unsteady-node.fixture.ts';
import { startFailingProxy } from '../../support/proxies/failing-proxy.ts';
import { nextBlock, startOddNode, startTestChain, type TestChain } from '../evm/node.fixture.ts';

let chain: TestChain;
let nodes: UnsteadyNode[];
const liars: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  chain = await startTestChain();
  nodes = await Promise.all([0, 1, 2].map(() => startUnsteadyNode(() => chain.url)));
});
afterEach(async () => {
  for (const node of nodes) node.heal();
  await Promise.all(liars.splice(0).map((liar) => liar.stop()));
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await chain.stop();
});

const adapterOf = (url: string): ChainAdapter => chain.adapter({ rpcUrl: url });
let at = 0;
/** Advances only when a test advances it, so that rests and response times do not depend on the machine. */
const now = () => at;
/** Lets time pass for nodes that rest after a failure. */
const pass = (ms: number) => {
  at += ms;
};
const poolOf = (...urls: string[]) => createNodePool({ adapters: urls.map(adapterOf), now });
const unsteady = (place: number): UnsteadyNode => {
  const node = nodes[place];
  if (!node) throw new Error(`There is no node ${String(place)}`);
  return node;
};
const statesOf = (pool: ChainAdapter) => pool.nodes?.().map(({ state }) => state);

/** Mines a payment of the test token and returns the parent of its block. */
async function pay(amount: bigint): Promise<BlockRef> {
  const before = await chain.adapter().tip();
  await chain.sendToken('transfer', amount);
  await chain.mine();
  return before;
}

/**
 * A node that reports another amount in every token transfer: `tell` computes it from the true one; null omits the
 * logs.
 */
async function startLiar(tell: (amount: bigint) => bigint | null): Promise<string> {
  const lie = (receipt: { logs: { data: string }[] }) => ({
    ...receipt,
    logs: receipt.logs.flatMap((log) => {
      const told = tell(BigInt(log.data));
      return told === null ? [] : [{ ...log, data: `0x${told.toString(16).padStart(64, '0')}` }];
    }),
  });
  const liar = await startOddNode(chain.url, async ({ method, params }) => {
    if (method !== 'eth_getBlockReceipts') return undefined;
    const receipts = await chain.rpc<{ logs: { data: string }[] }[]>(method, ...params);
    return { result: receipts.map(lie) };
  });
  liars.push(liar);
  return liar.url;
}

describe('a pool of nodes', () => {
  it('reads every block once and in order, however its nodes fail in turn', async () => {
    const start = await chain.adapter().tip();
    for (let amount = 1n; amount <= 24n; amount += 1n) await pay(amount);
    const pool = poolOf(unsteady(0).url, unsteady(1).url);
    // One of the two fails at any time, in each possible way.
    const exchanges = HARMS.filter((harm) => ['status', 'reset', 'garbage', 'error'].includes(harm));
    const seen: bigint[] = [];
    let cursor: BlockRef = start;
    for (let turn = 0; seen.length < 24; turn += 1) {
      const harm = exchanges[turn % exchanges.length] ?? 'status';
      unsteady(turn % 2).harm({ harm, after: turn % 3, count: 1_000 });
      unsteady((turn + 1) % 2).heal();
      const next = await pool.next(cursor).catch((error: unknown) => {
        if (error instanceof ChainUnavailable) return null;
        throw error;
      });
      if (next?.kind === 'block') {
        expect(next.block.parentHash).toBe(cursor.hash);
        seen.push(...next.block.transfers.map(({ amount }) => amount));
        cursor = next.block;
      } else {
        expect(next?.kind).not.toBe('reorganised');
        pass(60_000);
      }
    }
    expect(seen).toEqual(Array.from({ length: 24 }, (_, index) => BigInt(index + 1)));
  });

  it('does not take back a block on the word of a node that is behind, and reads on with another', async () => {
    const pool = poolOf(unsteady(0).url, unsteady(1).url);
    const cursor = await chain.adapter().tip();
    await pay(7n);
    // Three blocks behind, a node has not seen the cursor's block.
    unsteady(0).harm({ harm: 'lagging', after: 0, count: 1_000, blocks: 3 });
    const next = await pool.next(cursor);
    expect(next).toMatchObject({ kind: 'block', block: { transfers: [{ amount: 7n }] } });
    expect(statesOf(pool)).toEqual(['resting', 'up']);
  });

  it('tells of a reorganisation that all its nodes see', async () => {
    const pool = poolOf(unsteady(0).url, unsteady(1).url);
    const snapshot = await chain.rpc<string>('evm_snapshot');
    await pay(8n);
    const cursor = await chain.adapter().tip();
    await chain.rpc('evm_revert', snapshot);
    await chain.mine(2);
    expect(await pool.next(cursor)).toEqual({ kind: 'reorganised' });
  });

  it('leaves a node alone for as long as it asks with Retry-After', async () => {
    const { createServer } = await import('node:http');
    let asked = 0;
    const limited = createServer((_request, response) => {
      asked += 1;
      response.writeHead(429, { 'retry-after': '120' }).end();
    });
    await new Promise<void>((resolve) => limited.listen(0, '127.0.0.1', resolve));
    const { port } = limited.address() as { port: number };
    const pool = poolOf(`http://127.0.0.1:${String(port)}`, unsteady(1).url);
    for (let times = 0; times < 5; times += 1) await pool.tip();
    expect(asked).toBe(1);
    expect(statesOf(pool)).toEqual(['resting', 'up']);
    limited.closeAllConnections();
    await new Promise((resolve) => limited.close(resolve));
  });

  it('asks no node that it does not know, or that failed, while one that answers is there', async () => {
    const dead = await startFailingProxy(chain.url);
    liars.push(dead);
    const pool = poolOf(dead.url, unsteady(1).url, unsteady(2).url);
    dead.fail('status');
    await pool.tip();
    expect(dead.asked()).toBe(1);
    // Its rest is over, but it was not seen working since; the third was never asked.
    pass(61_000);
    unsteady(2).harm({ harm: 'status', after: 0, count: 1_000 });
    for (let times = 0; times < 5; times += 1) await pool.tip();
    expect(statesOf(pool)).toEqual(['up', 'up', 'up']);
    expect(dead.asked()).toBe(1);
    // Once seen working, it is asked when the one in use fails.
    dead.heal();
    await pool.verify();
    unsteady(1).harm({ harm: 'status', after: 0, count: 1_000 });
    await pool.tip();
    expect(statesOf(pool)).toEqual(['up', 'resting', 'wrong']);
  });

  it('is unavailable when none of its nodes answers, and says so by their places and not by their URLs', async () => {
    const pool = poolOf('http://127.0.0.1:9/secret', 'http://127.0.0.1:9/other');
    await expect(pool.tip()).rejects.toBeInstanceOf(ChainUnavailable);
    const again = pool.tip();
    await expect(again).rejects.toThrow('node 1');
    await expect(again).rejects.not.toThrow('secret');
  });

  it('is as it should be while one node is, and asks none that is on another chain', async () => {
    const elsewhere = await startOddNode(chain.url, ({ method }) =>
      method === 'eth_chainId' ? { result: '0x1' } : undefined,
    );
    liars.push(elsewhere);
    const pool = poolOf(elsewhere.url, unsteady(1).url);
    await pool.verify();
    expect(statesOf(pool)).toEqual(['wrong', 'up']);
    await expect(poolOf(elsewhere.url, elsewhere.url).verify()).rejects.toThrow('expected 31337');
  });
});

describe('an answer that two nodes agree on', () => {
  const tellers = (...told: (string | null)[]) => {
    let place = 0;
    return () => {
      const answer = told[place++];
      if (answer == null) return Promise.reject(new ChainUnavailable('ETH', 'the node is tired'));
      return Promise.resolve(answer);
    };
  };
  const three = () => poolOf(unsteady(0).url, unsteady(1).url, unsteady(2).url);

  it('is taken, whatever a third one says, and none is asked for more', async () => {
    expect(await three().agreed?.(tellers('a', 'a'))).toBe('a');
    expect(await three().agreed?.(tellers('b', 'a', 'a'))).toBe('a');
  });

  it('is not there while no two say the same: nobody is believed, and nobody is blamed', async () => {
    const pool = poolOf(unsteady(0).url, unsteady(1).url);
    await expect(pool.agreed?.(tellers('a', 'b'))).rejects.toThrow('do not agree');
    expect(statesOf(pool)).toEqual(['up', 'up']);
    await expect(pool.agreed?.(tellers('a', null))).rejects.toThrow('no second node');
  });

  it('is that of the one node where there is one', () => {
    expect(poolOf(unsteady(0).url).agreed).toBeUndefined();
  });
});

describe('a broadcast', () => {
  it('that one node does not take is sent when another takes it, and neither rests for that', async () => {
    const picky = await startOddNode(chain.url, ({ method }) =>
      method === 'eth_sendRawTransaction' ? { error: { code: -32_000, message: 'the moon is full' } } : undefined,
    );
    liars.push(picky);
    const taking = await startOddNode(chain.url, ({ method }) =>
      method === 'eth_sendRawTransaction' ? { result: `0x${'00'.repeat(32)}` } : undefined,
    );
    liars.push(taking);
    const pool = poolOf(picky.url, taking.url);
    expect(await pool.broadcast('0x00')).toBe('sent');
    const alone = poolOf(picky.url);
    await expect(alone.broadcast('0x00')).rejects.toMatchObject({ name: 'NotTaken' });
    expect([statesOf(pool), statesOf(alone)]).toEqual([['up', 'up'], ['up']]);
  });
});

describe('a second opinion', () => {
  async function readLarge(pool: ChainAdapter, parent: BlockRef): Promise<ChainBlock> {
    const block = await nextBlock(pool, parent);
    await pool.requireQuorum?.(block, block.transfers);
    return block;
  }

  it('is had from any other node that shows the same', async () => {
    const parent = await pay(1_000n);
    const block = await readLarge(poolOf(unsteady(0).url, unsteady(1).url), parent);
    expect(block.transfers).toMatchObject([{ amount: 1_000n }]);
  });

  it('is waited for while the other node is not that far, or not there', async () => {
    const parent = await pay(1_000n);
    const pool = poolOf(unsteady(0).url, unsteady(1).url);
    const block = await nextBlock(pool, parent);
    unsteady(1).harm({ harm: 'status', after: 0, count: 1_000 });
    await expect(pool.requireQuorum?.(block, block.transfers)).rejects.toBeInstanceOf(ChainUnavailable);
    unsteady(1).heal();
    pass(1_100);
    await pool.requireQuorum?.(block, block.transfers);
  });

  it('that differs, one against one, credits nothing and drops nobody', async () => {
    const parent = await pay(1_000n);
    const pool = poolOf(unsteady(0).url, await startLiar(() => null));
    await expect(readLarge(pool, parent)).rejects.toThrow('do not agree');
    expect(statesOf(pool)).toEqual(['up', 'up']);
  });

  it('has the one who invents money dropped, two against one, and the true block is read from another', async () => {
    const parent = await pay(1_000n);
    const pool = poolOf(await startLiar((amount) => amount * 1_000n), unsteady(1).url, unsteady(2).url);
    await expect(readLarge(pool, parent)).rejects.toThrow('do not agree');
    expect(statesOf(pool)).toEqual(['dropped', 'up', 'up']);
    expect((await readLarge(pool, parent)).transfers).toMatchObject([{ amount: 1_000n }]);
  });

  it('has the one who denies money dropped, two against one, and the block is taken', async () => {
    const parent = await pay(1_000n);
    const pool = poolOf(unsteady(0).url, await startLiar(() => null), unsteady(2).url);
    expect((await readLarge(pool, parent)).transfers).toMatchObject([{ amount: 1_000n }]);
    expect(statesOf(pool)).toEqual(['up', 'dropped', 'up']);
  });
});
