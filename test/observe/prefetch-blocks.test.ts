// Catching up: far below the tip blocks are fetched many at a time, but still delivered in order, each once.

import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { ChainAdapter } from '../../src/chain/adapter.ts';
import type { BlockRef, ChainBlock } from '../../src/chain/blocks.ts';
import { ChainUnavailable } from '../../src/chain/errors.ts';
import { createPrefetch } from '../../src/observe/prefetch-blocks.ts';
import { startTestChain } from '../chain/evm/node.fixture.ts';

const log = pino({ level: 'silent' });

/** A chain made of data; the reader sees only what an adapter would report. */
function createDataChain(length: number) {
  const block = (height: number, branch: string, parentHash: string): ChainBlock => ({
    ...{ hash: `${branch}${String(height)}`, height, parentHash, time: new Date(height * 1_000), transfers: [] },
  });
  const blocks: ChainBlock[] = [block(0, 'a', '')];
  const grow = (to: number, branch: string) => {
    for (let height = blocks.length; height <= to; height += 1)
      blocks.push(block(height, branch, blocks[height - 1]?.hash ?? ''));
  };
  grow(length, 'a');
  const asked = { next: 0, following: [] as number[] };
  let broken = 0;
  const tipHeight = () => blocks.length - 1;
  const adapter = {
    network: 'ETH',
    next: async (cursor: BlockRef) => {
      asked.next += 1;
      const found = blocks[cursor.height + 1];
      if (blocks[cursor.height]?.hash !== cursor.hash) return { kind: 'reorganised' };
      return found ? { kind: 'block', block: found, tipHeight: tipHeight() } : { kind: 'tip', tip: blocks.at(-1) };
    },
    following: async (height: number, count: number) => {
      asked.following.push(height);
      if (broken-- > 0) throw new ChainUnavailable('ETH', 'not now');
      return blocks.slice(height, height + count);
    },
  } as unknown as ChainAdapter;
  return {
    adapter,
    asked,
    blocks,
    /** Replaces everything from a height on. */
    fork: (height: number) => {
      blocks.length = height;
      grow(length + 5, 'b');
    },
    fail: (times: number) => (broken = times),
  };
}

async function readTo(next: ReturnType<typeof createPrefetch>, from: BlockRef, most: number): Promise<BlockRef[]> {
  const read: BlockRef[] = [];
  let cursor = from;
  while (read.length < most) {
    const answer = await next(cursor);
    if (answer.kind !== 'block') break;
    expect(answer.block.parentHash).toBe(cursor.hash);
    cursor = answer.block;
    read.push(cursor);
  }
  return read;
}

const START = { hash: 'a0', height: 0 };
const heights = (read: readonly BlockRef[]) => read.map(({ height }) => height);
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

describe('a watcher that is far behind', () => {
  it('reads every block once and in order, and asks for most of them many at a time', async () => {
    const chain = createDataChain(1_000);
    const read = await readTo(createPrefetch({ log }, chain.adapter), START, 2_000);
    expect(heights(read)).toEqual(upTo(1_000));
    expect(chain.asked.following.length).toBeLessThan(130);
    // The first, those near the tip, and the question that finds the tip.
    expect(chain.asked.next).toBeLessThan(90);
  });

  it('asks for no block twice, and for none near the tip', async () => {
    const chain = createDataChain(300);
    await readTo(createPrefetch({ log }, chain.adapter), START, 2_000);
    expect(new Set(chain.asked.following).size).toBe(chain.asked.following.length);
    expect(Math.max(...chain.asked.following) + 8).toBeLessThanOrEqual(300 - 64);
  });

  it('drops what it fetched when that does not follow upon what was read: the adapter says what is there now', async () => {
    const chain = createDataChain(500);
    const next = createPrefetch({ log }, chain.adapter);
    const [, , third] = await readTo(next, START, 3);
    if (!third) throw new Error('Nothing was read');
    chain.fork(2);
    // Prefetched blocks still follow; the first question to the node shows the other branch.
    const read = await readTo(next, third, 1_000);
    expect(read.length).toBeLessThanOrEqual(8 * 5);
    expect(await next(read.at(-1) ?? third)).toEqual({ kind: 'reorganised' });
    const other = await readTo(next, { hash: 'a1', height: 1 }, 1_000);
    expect(other.map(({ hash }) => hash)).toEqual(chain.blocks.slice(2).map(({ hash }) => hash));
  });

  it('says every ten seconds how far it is, how quick, and when it will be done; and nothing near the tip', async () => {
    const chain = createDataChain(500);
    const lines: Record<string, unknown>[] = [];
    const told = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) });
    // Five blocks a second.
    let nowMs = 0;
    const next = createPrefetch({ log: told }, chain.adapter, () => (nowMs += 200));
    await readTo(next, START, 2_000);
    expect(lines).toHaveLength(8);
    const [first, second] = lines;
    expect(first).toMatchObject({ network: 'ETH', msg: 'catching up with the chain', tipHeight: 500 });
    for (const { height, blocksBehind, blocksPerSecond, secondsLeft } of lines) {
      expect(blocksBehind).toBe(500 - Number(height));
      expect(blocksPerSecond).toBe(5);
      expect(secondsLeft).toBe(Math.round(Number(blocksBehind) / 5));
    }
    expect(Number(second?.height) - Number(first?.height)).toBe(50);
    expect(Number(lines.at(-1)?.height)).toBeLessThan(500 - 64);
  });

  it('reads on across heights that have no block, however many, and asks for the others many at a time', async () => {
    const chain = createDataChain(900);
    // Heights with gaps of one, and one gap longer than all that is fetched at once.
    const heightOf = (index: number) => index + Math.floor(index / 7) + (index > 300 ? 50 : 0);
    const blocks = chain.blocks.map((block, index) => ({ ...block, height: heightOf(index) }));
    const tipHeight = heightOf(900);
    const adapter = {
      network: 'SOL',
      next: async (cursor: BlockRef) => {
        chain.asked.next += 1;
        const block = blocks.find(({ height }) => height > cursor.height);
        return block ? { kind: 'block', block, tipHeight } : { kind: 'tip', tip: blocks.at(-1) };
      },
      following: async (from: number, count: number) =>
        blocks.filter(({ height }) => height >= from && height < from + count),
    } as unknown as ChainAdapter;
    const read = await readTo(createPrefetch({ log }, adapter), START, 2_000);
    expect(heights(read)).toEqual(blocks.slice(1).map(({ height }) => height));
    expect(chain.asked.next).toBeLessThan(90);
  });

  it('goes on one by one where fetching ahead fails', async () => {
    const chain = createDataChain(400);
    chain.fail(10);
    const read = await readTo(createPrefetch({ log }, chain.adapter), START, 2_000);
    expect(heights(read)).toEqual(upTo(400));
  });
});

it('blocks of a real chain are the same whichever way they are read', async () => {
  const chain = await startTestChain();
  try {
    const adapter = chain.adapter();
    const start = await adapter.tip();
    for (let amount = 1n; amount <= 6n; amount += 1n) {
      await chain.sendToken('transfer', amount);
      await chain.send({ to: `0x${'c1'.padStart(40, '0')}`, value: amount });
      await chain.mine();
    }
    const fetched = await adapter.following?.(start.height + 1, 6, start.height + 6);
    const read: ChainBlock[] = [];
    for (let cursor: BlockRef = start; ; cursor = read.at(-1) ?? start) {
      const next = await adapter.next(cursor);
      if (next.kind !== 'block') break;
      read.push(next.block);
    }
    expect(fetched).toEqual(read);
    await expect(adapter.following?.(start.height + 4, 8, start.height + 6)).rejects.toBeInstanceOf(ChainUnavailable);
  } finally {
    await chain.stop();
  }
});
