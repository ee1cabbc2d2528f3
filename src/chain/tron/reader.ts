// Reads TRON blocks and transactions from one node: the tip, the block after a cursor, and a transaction by its id.

import type { BlockHead, BlockRef, Next, TxState } from '../blocks.ts';
import type { TronNode } from './node.ts';
import { decodeBlock, signedOf, type WatchedAssets } from './transfers.ts';
import { readBlock, readHead, readInfo, type RpcBlock, type RpcInfo } from './rpc-types.ts';

interface ReaderDeps {
  readonly node: TronNode;
  readonly assets: WatchedAssets;
  /** Throws if the node is on another chain. */
  readonly assertChain: () => Promise<void>;
}

export type Reader = ReturnType<typeof createReader>;

/** A transaction's result and the block that includes it. */
export interface Found {
  readonly block: BlockHead;
  readonly info: RpcInfo;
  readonly succeeded: boolean;
}

export function createReader(deps: ReaderDeps) {
  const { node, assets, assertChain } = deps;
  const tip = async (): Promise<BlockHead> =>
    readHead(await node.ask('getblock', { detail: false })) ?? node.fail('the node has no blocks yet');

  async function headAt(height: number): Promise<BlockHead | null> {
    const head = readHead(await node.ask('getblock', { id_or_num: String(height), detail: false }));
    return requireHeight(node, head, height);
  }

  async function blockAt(height: number): Promise<RpcBlock | null> {
    return requireHeight(node, readBlock(await node.ask('getblockbynum', { num: height })), height);
  }

  const isCanonical = async (ref: BlockRef): Promise<boolean> => (await headAt(ref.height))?.hash === ref.hash;

  /** The height of the newest block seen on the node. */
  let seenHeight = -1;

  async function next(cursor: BlockRef): Promise<Next> {
    const height = cursor.height + 1;
    const whole = () => Promise.all([blockAt(height), node.list('gettransactioninfobyblocknum', { num: height })]);
    // Request the block together with the tip if it is known to exist; else only the tip.
    const [newest, early] = await Promise.all([tip(), height <= seenHeight ? whole() : null]);
    seenHeight = newest.height;
    const [block, infos] = early ?? (height <= newest.height ? await whole() : [null, []]);
    if (!block) return nothingAfter(deps, cursor, newest);
    if (block.parentHash !== cursor.hash) return reorganised(assertChain);
    const results = infos.map(readInfo).filter((info) => info !== null);
    if (belongTogether(block, results)) {
      const { transactions, ...head } = block;
      const transfers = decodeBlock(transactions, results, assets);
      const whole = { ...head, transfers, signed: signedOf(transactions) };
      return { kind: 'block', block: whole, tipHeight: Math.max(newest.height, height) };
    }
    if (await isCanonical(block)) node.fail(`the node has block ${block.hash} but not what became of its transactions`);
    return reorganised(assertChain);
  }

  /** Null while the transaction is in no block. */
  async function find(txHash: string): Promise<Found | null> {
    const info = readInfo(await node.ask('gettransactioninfobyid', { value: txHash }));
    if (!info) return null;
    const block = info.id === txHash ? await blockAt(info.height) : null;
    const transaction = block?.transactions.find(({ id }) => id === txHash);
    // A reorganisation may have happened between the two answers.
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

function requireHeight<Block extends BlockHead>(node: TronNode, block: Block | null, height: number): Block | null {
  if (block && block.height !== height)
    node.fail(`the node answered with block ${String(block.height)} for ${String(height)}`);
  return block;
}

async function nothingAfter({ node, assertChain }: ReaderDeps, cursor: BlockRef, newest: BlockHead): Promise<Next> {
  if (newest.hash === cursor.hash) return { kind: 'tip', tip: newest };
  if (newest.height > cursor.height)
    node.fail(`the node is at ${String(newest.height)} but has no block ${String(cursor.height + 1)}`);
  // The longest chain wins, so no reorganisation makes it shorter: such a node lags or is still syncing.
  if (newest.height < cursor.height)
    node.fail(`the node is at ${String(newest.height)}, and block ${String(cursor.height)} was read already`);
  return reorganised(assertChain);
}

/** A reorganisation makes the observer orphan deposits, so it is not accepted from a node on another chain. */
async function reorganised(assertChain: () => Promise<void>): Promise<Next> {
  await assertChain();
  return { kind: 'reorganised' };
}

/**
 * Whether the results belong to the block. Both are requested by height, so a reorganisation may come between them.
 * That is harmless if ids, height and time match: such blocks run the same transactions in the same state.
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
