// Reads Solana's chain of one node: heads, whole blocks by their parents, and where a transaction stands.
//
// Heights are slots, some of which have no block. Blocks are read as soon as they are confirmed, and the newest that is
// told of is at most 31 slots above the newest final one: what has 32 confirmations here is final, without exception.

import type { BlockHead, BlockRef, ChainBlock, Next, TxState } from '../blocks.ts';
import type { SolanaNode } from './node.ts';
import { decodeBlock, signedOf, type WatchedAssets } from './transfers.ts';
import { fieldsOf, integerOf, listOf, readOne, type RpcBlock, type RpcHead, type RpcTransaction } from './rpc-types.ts';

interface ReaderDeps {
  readonly node: SolanaNode;
  readonly assets: WatchedAssets;
  /** Throws when the node is on another chain. */
  readonly assertChain: () => Promise<void>;
}

export type Reader = ReturnType<typeof createReader>;

/** A transaction with the block that holds it. */
export interface Found {
  readonly block: BlockHead;
  readonly transaction: RpcTransaction;
}

/** Where a transaction is, by the node's word. */
export interface Status {
  readonly slot: number;
  readonly isConfirmed: boolean;
}

/** How far above the newest final slot blocks are told of. */
const ABOVE_FINAL = 31;
/** Slots looked through for the newest block at or below one; the longest stretches without any are hours. */
const LOOKED_BACK = [64, 10_000, 400_000];
/** Blocks fetched at once while there are more: each takes longer to come than the network needs to make one. */
const AHEAD = 8;
/** Slots asked for at once, to find those that have blocks. */
const SLOTS = 200;
/** Nodes answer for half a million at most. */
const MANY_SLOTS = 400_000;

/** Creates the reading half of the adapter. */
export function createReader({ node, assets, assertChain }: ReaderDeps) {
  /** The last slot whose block may be told of now. */
  const lastSlot = async () => (await node.slot('finalized')) + ABOVE_FINAL;

  /** The newest block at or below a slot. */
  async function newestUpTo(slot: number): Promise<RpcHead> {
    for (const back of LOOKED_BACK) {
      const newest = (await node.slotsWithBlocks(Math.max(0, slot - back), slot)).at(-1);
      if (newest !== undefined) return (await node.head(newest)) ?? node.fail('the newest block is gone again');
    }
    return node.fail(`the node has no block at or below slot ${String(slot)}`);
  }

  const tip = async (): Promise<BlockHead> => plain(await newestUpTo(await lastSlot()));

  /** Between two blocks the chain's head is the earlier one. */
  async function headAt(height: number): Promise<BlockHead | null> {
    if (height > (await lastSlot()) || height > (await node.slot('confirmed'))) return null;
    return plain(await newestUpTo(height));
  }

  const isCanonical = async (ref: BlockRef): Promise<boolean> => (await node.head(ref.height))?.hash === ref.hash;

  const inTurn = createTurns(AHEAD);
  /** Blocks on their way, by slot. */
  const fetching = new Map<number, Promise<RpcBlock | null>>();

  function take(slots: readonly number[]): Promise<RpcBlock | null> {
    for (const slot of fetching.keys()) if (!slots.includes(slot)) fetching.delete(slot);
    for (const slot of slots) {
      if (fetching.has(slot)) continue;
      const block = node.block(slot);
      // Who needs it meets its failure then.
      block.catch(() => fetching.delete(slot));
      fetching.set(slot, block);
    }
    const first = slots[0] ?? 0;
    const block = fetching.get(first) ?? node.block(first);
    fetching.delete(first);
    return block;
  }

  /** The next slots that have blocks. Where a whole stretch was skipped, they are further on. */
  async function slotsAfter(height: number, last: number): Promise<readonly number[]> {
    for (let first = height + 1, many = SLOTS; first <= last; first += many, many = MANY_SLOTS) {
      const slots = await node.slotsWithBlocks(first, Math.min(last, first + many - 1));
      if (slots.length > 0) return slots;
    }
    return [];
  }

  /** Reads what follows a cursor. Either the whole block right after it is returned, or nothing is. */
  async function next(cursor: BlockRef): Promise<Next> {
    const last = await lastSlot();
    const slots = await slotsAfter(cursor.height, last);
    const [slot] = slots;
    if (slot === undefined) return nothingAfter(cursor);
    const block = (await take(slots.slice(0, AHEAD))) ?? node.fail(`the block of slot ${String(slot)} is gone again`);
    if (block.parentHash === cursor.hash) {
      // The newest of these, or the newest final one where there are more.
      const tipHeight = Math.max(slots.at(-1) ?? slot, last - ABOVE_FINAL);
      return { kind: 'block', block: transfersOf(block), tipHeight };
    }
    // What was fetched ahead may be of a branch that is left.
    fetching.clear();
    if (block.parentSlot > cursor.height) node.fail(`the node has lost the block of slot ${String(block.parentSlot)}`);
    if ((await node.block(slot))?.parentHash === cursor.hash) node.fail('the chain changed meanwhile');
    return reorganised();
  }

  function transfersOf({ transactions, ...head }: RpcBlock): ChainBlock {
    return { ...plain(head), transfers: decodeBlock(transactions, assets), signed: signedOf(transactions) };
  }

  /** For those who catch up; however many ask, only so many blocks are under way at once, as each is some megabytes. */
  async function following(height: number, count: number): Promise<readonly ChainBlock[]> {
    const slots = await node.slotsWithBlocks(height, height + count - 1);
    return Promise.all(
      slots.map((slot) =>
        inTurn(async () => transfersOf((await node.block(slot)) ?? node.fail(`slot ${String(slot)} has no block now`))),
      ),
    );
  }

  async function nothingAfter(cursor: BlockRef): Promise<Next> {
    if ((await node.slot('confirmed')) < cursor.height)
      node.fail(`the node lags: block ${String(cursor.height)} was read already`);
    const head = await node.head(cursor.height);
    return head?.hash === cursor.hash ? { kind: 'tip', tip: plain(head) } : reorganised();
  }

  /** The news that makes the observer orphan deposits is not taken from a node that is on another chain. */
  async function reorganised(): Promise<Next> {
    await assertChain();
    return { kind: 'reorganised' };
  }

  /** Null while no block that the node knows has it. */
  async function statusOf(txHash: string): Promise<Status | null> {
    const answer = fieldsOf(
      await node.call('getSignatureStatuses', [[txHash], { searchTransactionHistory: true }]),
      'statuses',
    );
    const [status] = listOf(answer.value, 'statuses');
    if (status == null) return null;
    const { slot, confirmationStatus } = fieldsOf(status, 'status');
    return { slot: integerOf(slot, 'slot'), isConfirmed: confirmationStatus !== 'processed' };
  }

  /** A transaction with the block that holds it; null while it is in none that is confirmed. */
  async function find(txHash: string): Promise<Found | null> {
    const status = await statusOf(txHash);
    if (!status?.isConfirmed) return null;
    const options = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 };
    const answer = await node.call('getTransaction', [txHash, options]);
    const found = answer === null ? node.fail(`${txHash} is not where the node says that it is`) : readOne(answer);
    const block = await node.ids(found.slot);
    // The answers may come from either side of a reorganisation.
    if (found.transaction.id !== txHash || !block?.ids.includes(txHash))
      return node.fail(`${txHash} is not where the node says that it is`);
    return { block: plain(block), transaction: found.transaction };
  }

  async function txState(txHash: string): Promise<TxState> {
    const status = await statusOf(txHash);
    if (!status) return { kind: 'unknown' };
    const found = status.isConfirmed ? await find(txHash) : null;
    if (!found) return { kind: 'mempool' };
    const { hash, height } = found.block;
    return { kind: 'mined', block: { hash, height }, succeeded: found.transaction.succeeded };
  }

  return { tip, headAt, isCanonical, next, following, find, statusOf, txState };
}

function plain({ hash, height, parentHash, time }: BlockHead): BlockHead {
  return { hash, height, parentHash, time };
}

/** Lets so many pieces of work run at once; the others wait in their order. */
function createTurns(atOnce: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <Value>(work: () => Promise<Value>): Promise<Value> => {
    if (running >= atOnce) await new Promise<void>((go) => waiting.push(go));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
