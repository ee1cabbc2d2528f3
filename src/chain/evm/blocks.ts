// Reads complete blocks from an EVM node: the one after a cursor, or several at once far below the tip. A block without
// all its receipts and traces is not accepted.

import type { Logger } from 'pino';
import type { BlockRef, ChainBlock, Next } from '../blocks.ts';
import { createReceiptReader } from './receipts.ts';
import { RpcError, type Rpc } from './rpc.ts';
import { createTraceReader } from './traces.ts';
import { decodeBlock, signedOf } from './transfers.ts';
import type { WatchedAssets } from './watched-assets.ts';
import * as rpcTypes from './rpc-types.ts';

interface BlockReaderDeps {
  readonly rpc: Rpc;
  readonly assets: WatchedAssets;
  readonly trace: boolean;
  readonly log: Logger | undefined;
}

/** The adapter's checks that decide why a block is missing or incomplete. */
interface Checks {
  /** Throws unless the node is on the right chain. */
  assertChain(): Promise<void>;
  isCanonical(ref: BlockRef): Promise<boolean>;
}

export interface BlockReader {
  next(cursor: BlockRef): Promise<Next>;
  following(height: number, count: number, tipHeight: number): Promise<readonly ChainBlock[]>;
}

export function createBlockReader(deps: BlockReaderDeps, checks: Checks): BlockReader {
  const { rpc, assets } = deps;
  const readReceipts = createReceiptReader(deps);
  const readTraces = createTraceReader(deps);

  /** The block with its transfers, or which part of it the node lacks. */
  async function complete(block: rpcTypes.RpcBlock, tipHeight: number): Promise<ChainBlock | 'receipts' | 'traces'> {
    // In parallel, so that the traces do not add a round trip.
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
      return reorganised(rpc, checks);
    }
    assertHeight(rpc, block, height);
    if (block.parentHash !== cursor.hash) return reorganised(rpc, checks);
    const whole = await complete(block, tip.height).catch(async (error: unknown) => {
      // Every kind of node words "unknown block" differently, so check whether the block left the chain.
      if (!(error instanceof RpcError)) throw error;
      if (await checks.isCanonical(block)) throw error;
      return 'receipts' as const;
    });
    if (typeof whole === 'object') return { kind: 'block', block: whole, tipHeight: Math.max(tip.height, height) };
    if (await checks.isCanonical(block)) rpc.fail(`the node has block ${block.hash} but not all of its ${whole}`);
    return reorganised(rpc, checks);
  }

  async function following(height: number, count: number, tipHeight: number): Promise<ChainBlock[]> {
    const heights = Array.from({ length: count }, (_, index) => height + index);
    const answers = await rpc.batch(heights.map((at) => ({ method: 'eth_getBlockByNumber', params: [hex(at), true] })));
    return Promise.all(
      answers.map(async (answer, index) => {
        const at = height + index;
        const block = rpcTypes.readBlock(answer) ?? rpc.fail(`the node has no block ${String(at)}`);
        assertHeight(rpc, block, at);
        const whole = await complete(block, tipHeight);
        return typeof whole === 'object'
          ? whole
          : rpc.fail(`the node has block ${String(at)} but not all of its ${whole}`);
      }),
    );
  }

  return { next, following };
}

/**
 * A reorganisation makes the observer orphan deposits, so it is not accepted from a node that is on another chain or is
 * still syncing: such a node counts as unavailable.
 */
async function reorganised(rpc: Rpc, { assertChain }: Checks): Promise<Next> {
  await assertChain();
  const syncing = await rpc.call('eth_syncing', []);
  if (syncing !== false) rpc.fail('the node is still loading the chain');
  return { kind: 'reorganised' };
}

function assertHeight(rpc: Rpc, block: BlockRef, height: number): void {
  if (block.height !== height) rpc.fail(`the node answered with block ${String(block.height)} for ${String(height)}`);
}

const hex = (height: number): string => `0x${height.toString(16)}`;
