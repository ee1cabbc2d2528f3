// Reads blocks whole: the one after a cursor, or, far below the tip, several at once. A block with a part missing does
// not count.

import type { Logger } from 'pino';
import type { BlockRef, ChainBlock, Next } from '../blocks.ts';
import { createReceiptReader } from './receipts.ts';
import { RpcError, type Rpc } from './rpc.ts';
import { createTraceReader } from './traces.ts';
import { decodeBlock, signedOf, type WatchedAssets } from './transfers.ts';
import * as rpcTypes from './rpc-types.ts';

interface BlockReaderDeps {
  readonly rpc: Rpc;
  readonly assets: WatchedAssets;
  readonly trace: boolean;
  readonly log: Logger | undefined;
}

/** What a reader asks of the rest of the adapter when something is missing. */
interface Doubts {
  /** Throws unless the node is on the right chain. */
  assertChain(): Promise<void>;
  isCanonical(ref: BlockRef): Promise<boolean>;
}

export interface BlockReader {
  next(cursor: BlockRef): Promise<Next>;
  following(height: number, count: number, tipHeight: number): Promise<readonly ChainBlock[]>;
}

/** Makes the reader of one node. */
export function createBlockReader(deps: BlockReaderDeps, { assertChain, isCanonical }: Doubts): BlockReader {
  const { rpc, assets } = deps;
  const readReceipts = createReceiptReader(deps);
  const readTraces = createTraceReader(deps);

  /** A block with its transfers, or the part that the node has not (any more). */
  async function complete(block: rpcTypes.RpcBlock, tipHeight: number): Promise<ChainBlock | 'receipts' | 'traces'> {
    // At once, so that the traces take no round trip of their own.
    const [receipts, traces] = await Promise.all([readReceipts(block), readTraces(block, tipHeight)]);
    if (!receipts) return 'receipts';
    if (!traces) return 'traces';
    const { transactions, ...head } = block;
    return { ...head, transfers: decodeBlock(transactions, receipts, assets, traces), signed: signedOf(transactions) };
  }

  async function next(cursor: BlockRef): Promise<Next> {
    const height = cursor.height + 1;
    const [latest, following] = await rpc.batch([
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
      { method: 'eth_getBlockByNumber', params: [hex(height), true] },
    ]);
    const tip = rpcTypes.readHead(latest) ?? rpc.fail('the node has no blocks yet');
    const block = rpcTypes.readBlock(following);
    if (!block) {
      if (tip.hash === cursor.hash) return { kind: 'tip', tip };
      if (tip.height > cursor.height)
        rpc.fail(`the node is at ${String(tip.height)} but has no block ${String(height)}`);
      return reorganised();
    }
    assertHeight(block, height);
    if (block.parentHash !== cursor.hash) return reorganised();
    const whole = await complete(block, tip.height).catch(async (error: unknown) => {
      // "Unknown block" has as many wordings as there are nodes. Whether the block left the chain is asked instead.
      if (!(error instanceof RpcError)) throw error;
      if (await isCanonical(block)) throw error;
      return 'receipts' as const;
    });
    if (typeof whole === 'object') return { kind: 'block', block: whole, tipHeight: Math.max(tip.height, height) };
    if (await isCanonical(block)) rpc.fail(`the node has block ${block.hash} but not all of its ${whole}`);
    return reorganised();
  }

  /**
   * The news that makes the observer orphan deposits, so it is not taken from a node that lost its way: one that was
   * pointed at another chain, or that is loading the chain again, is unavailable instead.
   */
  async function reorganised(): Promise<Next> {
    await assertChain();
    const syncing = await rpc.call('eth_syncing', []);
    if (syncing !== false) rpc.fail('the node is still loading the chain');
    return { kind: 'reorganised' };
  }

  async function following(height: number, count: number, tipHeight: number): Promise<ChainBlock[]> {
    const heights = Array.from({ length: count }, (_, index) => height + index);
    const answers = await rpc.batch(heights.map((at) => ({ method: 'eth_getBlockByNumber', params: [hex(at), true] })));
    return Promise.all(
      answers.map(async (answer, index) => {
        const at = height + index;
        const block = rpcTypes.readBlock(answer) ?? rpc.fail(`the node has no block ${String(at)}`);
        assertHeight(block, at);
        const whole = await complete(block, tipHeight);
        return typeof whole === 'object'
          ? whole
          : rpc.fail(`the node has block ${String(at)} but not all its ${whole}`);
      }),
    );
  }

  function assertHeight(block: BlockRef, height: number): void {
    if (block.height !== height) rpc.fail(`the node answered with block ${String(block.height)} for ${String(height)}`);
  }

  return { next, following };
}

const hex = (height: number): string => `0x${height.toString(16)}`;
