// Reads TRON's chain of one node: heads, whole blocks by their parents, and where a transaction stands.

import type { BlockHead, BlockRef, Next, TxState } from '../blocks.ts';
import type { TronNode } from './node.ts';
import { decodeBlock, signedOf, type WatchedAssets } from './transfers.ts';
import { readBlock, readHead, readInfo, type RpcBlock, type RpcInfo } from './rpc-types.ts';

interface ReaderDeps {
  readonly node: TronNode;
  readonly assets: WatchedAssets;
  /** Throws when the node is on another chain. */
  readonly assertChain: () => Promise<void>;
}

export type Reader = ReturnType<typeof createReader>;

/** A transaction in a block, with what became of it. */
export interface Found {
  readonly block: BlockHead;
  readonly info: RpcInfo;
  readonly succeeded: boolean;
}

/** Creates the reading half of the adapter. */
export function createReader({ node, assets, assertChain }: ReaderDeps) {
  const tip = async (): Promise<BlockHead> =>
    readHead(await node.ask('getblock', { detail: false })) ?? node.fail('the node has no blocks yet');

  async function headAt(height: number): Promise<BlockHead | null> {
    const head = readHead(await node.ask('getblock', { id_or_num: String(height), detail: false }));
    return sameHeight(head, height);
  }

  async function blockAt(height: number): Promise<RpcBlock | null> {
    return sameHeight(readBlock(await node.ask('getblockbynum', { num: height })), height);
  }

  function sameHeight<Block extends BlockHead>(block: Block | null, height: number): Block | null {
    if (block && block.height !== height)
      node.fail(`the node answered with block ${String(block.height)} for ${String(height)}`);
    return block;
  }

  const isCanonical = async (ref: BlockRef): Promise<boolean> => (await headAt(ref.height))?.hash === ref.hash;

  /** The height of the newest block that the node was seen to have. */
  let seen = -1;

  /** Reads what follows a cursor. Either the whole block right after it is returned, or nothing is. */
  async function next(cursor: BlockRef): Promise<Next> {
    const height = cursor.height + 1;
    const whole = () => Promise.all([blockAt(height), node.list('gettransactioninfobyblocknum', { num: height })]);
    // One question where there may be nothing new, and all at once where the node is known to be further.
    const isBehind = height <= seen;
    const [newest, known] = await Promise.all([tip(), isBehind ? whole() : null]);
    seen = newest.height;
    const [block, infos] = known ?? (height <= newest.height ? await whole() : [null, []]);
    if (!block) return nothingAfter(cursor, newest);
    if (block.parentHash !== cursor.hash) return reorganised();
    const results = infos.map(readInfo).filter((info) => info !== null);
    if (belongTogether(block, results)) {
      const { transactions, ...head } = block;
      const transfers = decodeBlock(transactions, results, assets);
      const whole = { ...head, transfers, signed: signedOf(transactions) };
      return { kind: 'block', block: whole, tipHeight: Math.max(newest.height, height) };
    }
    if (await isCanonical(block)) node.fail(`the node has block ${block.hash} but not what became of its transactions`);
    return reorganised();
  }

  async function nothingAfter(cursor: BlockRef, newest: BlockHead): Promise<Next> {
    if (newest.hash === cursor.hash) return { kind: 'tip', tip: newest };
    if (newest.height > cursor.height)
      node.fail(`the node is at ${String(newest.height)} but has no block ${String(cursor.height + 1)}`);
    // The longest chain wins, and so no reorganisation makes it shorter: such a node lags behind, or loads the chain.
    if (newest.height < cursor.height)
      node.fail(`the node is at ${String(newest.height)}, and block ${String(cursor.height)} was read already`);
    return reorganised();
  }

  /** The news that makes the observer orphan deposits is not taken from a node that is on another chain. */
  async function reorganised(): Promise<Next> {
    await assertChain();
    return { kind: 'reorganised' };
  }

  /** A transaction with the block that holds it; null while it is in none. */
  async function find(txHash: string): Promise<Found | null> {
    const info = readInfo(await node.ask('gettransactioninfobyid', { value: txHash }));
    if (!info) return null;
    const block = info.id === txHash ? await blockAt(info.height) : null;
    const transaction = block?.transactions.find(({ id }) => id === txHash);
    // The two answers may come from either side of a reorganisation.
    if (!block || !transaction) return node.fail(`${txHash} is not where the node says that it is`);
    const { transactions: _, ...head } = block;
    return { block: head, info, succeeded: transaction.succeeded && !info.failed };
  }

  async function txState(txHash: string): Promise<TxState> {
    const found = await find(txHash);
    if (found) {
      const { hash, height } = found.block;
      return { kind: 'mined', block: { hash, height }, succeeded: found.succeeded };
    }
    const waiting = await node.ask('gettransactionfrompending', { value: txHash });
    return { kind: waiting.txID === txHash ? 'mempool' : 'unknown' };
  }

  return { tip, headAt, blockAt, isCanonical, next, find, txState };
}

/**
 * Whether results are those of a block's transactions. Both are asked for by height, so that a reorganisation may come
 * between. But two blocks of one parent with the same transactions and the same time run them in the same state.
 */
function belongTogether({ height, time, transactions }: RpcBlock, infos: readonly RpcInfo[]): boolean {
  return (
    infos.length === transactions.length &&
    infos.every(
      (info, position) =>
        info.id === transactions[position]?.id && info.height === height && info.blockTime === time.getTime(),
    )
  );
}
