// The chain of TRON's double: blocks with real ids and parents, a pool, and forks on command.

import { createHash } from 'node:crypto';
import { encodeMessage } from '../../../src/chain/tron/protobuf.ts';
import { decodeTransaction, type Decoded } from './protobuf.ts';
import { copyState, execute, type Outcome, type State } from './state.ts';

const SLOT_MS = 3_000;
const DAY_MS = 86_400_000;
/** A block is final with this many on top: 19 of the 27 producers. */
export const FINAL_AFTER = 18;

export interface Entry {
  readonly transaction: Decoded;
  readonly outcome: Exclude<Outcome, { refused: object }>;
}

export interface Block {
  readonly id: string;
  readonly height: number;
  readonly parent: string;
  /** Milliseconds. */
  readonly time: number;
  readonly root: string;
  readonly witness: string;
  readonly entries: readonly Entry[];
  readonly state: State;
}

export type Broadcast = { readonly id: string; readonly code: string; readonly message: string };

const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();

/** As java-tron computes it: the digest of the header, its first eight bytes replaced by the height. */
function blockId(height: number, time: number, root: string, parent: string, witness: string): string {
  const header = encodeMessage([
    [1, BigInt(time)],
    [2, Buffer.from(root, 'hex')],
    [3, Buffer.from(parent, 'hex')],
    [7, BigInt(height)],
    [9, Buffer.from(witness, 'hex')],
    [10, 31n],
  ]);
  return height.toString(16).padStart(16, '0') + sha256(header).toString('hex').slice(16);
}

export type DoubleChain = ReturnType<typeof createChain>;

/** Starts a chain with one block, in which `state` holds. */
export function createChain({ state, startMs }: { state: State; startMs: number }) {
  const start = Math.floor(startMs / SLOT_MS) * SLOT_MS;
  let branch = 0;
  const blocks: Block[] = [make(null, start, [], state)];
  const pool = new Map<string, string>();

  function make(parent: Block | null, time: number, entries: readonly Entry[], after: State): Block {
    const height = parent ? parent.height + 1 : 0;
    const parentId = parent?.id ?? '0'.repeat(64);
    // 27 producers take turns; after a fork it is another one's turn, so that the same slot gives another block.
    const witness = `41${sha256(Buffer.from(`producer ${(height + branch) % 27} of ${branch}`))
      .toString('hex')
      .slice(0, 40)}`;
    const root = sha256(...entries.map(({ transaction }) => Buffer.from(transaction.id, 'hex'))).toString('hex');
    const id = blockId(height, time, root, parentId, witness);
    return { ...{ id, height, parent: parentId, time, root, witness, entries }, state: after };
  }

  const tip = (): Block => blocks.at(-1) as Block;
  const find = (txId: string) => {
    const block = blocks.find(({ entries }) => entries.some(({ transaction }) => transaction.id === txId));
    const entry = block?.entries.find(({ transaction }) => transaction.id === txId);
    return block && entry ? { block, ...entry } : null;
  };

  /** What the network checks before it executes a transaction. */
  function check(transaction: Decoded): { code: string; message: string } | null {
    const head = tip();
    const { signer, action, expiration, refBlockBytes, refBlockHash } = transaction;
    if (signer !== action.owner) return { code: 'SIGERROR', message: 'Validate signature error' };
    const isKnown = (block: Block) =>
      block.id.slice(12, 16) === refBlockBytes && block.id.slice(16, 32) === refBlockHash;
    if (!blocks.some(isKnown)) return { code: 'TAPOS_ERROR', message: 'Tapos check error.' };
    if (expiration <= head.time || expiration > head.time + DAY_MS)
      return { code: 'TRANSACTION_EXPIRATION_ERROR', message: 'Transaction expired' };
    return null;
  }

  function broadcast(text: string): Broadcast {
    const transaction = decodeTransaction(text);
    const { id } = transaction;
    if (find(id) || pool.has(id)) return { id, code: 'DUP_TRANSACTION_ERROR', message: 'Dup transaction.' };
    const fault = check(transaction);
    if (fault) return { id, ...fault };
    // Waiting transactions are executed first.
    const state = copyState(tip().state);
    for (const waiting of pool.values()) execute(state, decodeTransaction(waiting));
    const { refused } = execute(state, transaction);
    if (refused) return { id, ...refused };
    pool.set(id, text);
    return { id, code: 'SUCCESS', message: '' };
  }

  function mineOne(time = tip().time + SLOT_MS): void {
    const parent = tip();
    const state = copyState(parent.state);
    const entries: Entry[] = [];
    for (const text of pool.values()) {
      const transaction = decodeTransaction(text);
      if (check(transaction)) continue;
      const outcome = execute(state, transaction);
      if (!outcome.refused) entries.push({ transaction, outcome });
    }
    pool.clear();
    blocks.push(make(parent, time, entries, state));
  }

  return {
    ...{ blocks, pool, tip, find, broadcast },
    final: (): Block => blocks[Math.max(0, blocks.length - 1 - FINAL_AFTER)] as Block,
    at: (height: number): Block | null => blocks[height] ?? null,
    mine: (count = 1) => {
      for (let mined = 0; mined < count; mined += 1) mineOne();
    },
    /** Forgets the waiting transactions, like a node that restarts. */
    forget: () => pool.clear(),
    /** Lets producers miss their slots: the next block comes later. A node drops what has expired by then. */
    skip: (ms: number) => {
      const parent = tip();
      blocks.push(make(parent, parent.time + Math.ceil(ms / SLOT_MS) * SLOT_MS, [], copyState(parent.state)));
      for (const [id, text] of pool) if (check(decodeTransaction(text))) pool.delete(id);
    },
    /**
     * Replaces the newest blocks by as many of the same slots and one more, of other producers; their transactions are
     * gone unless asked to wait again. Time does not go back: missed slots stay missed.
     */
    fork: (depth: number, { keep = false } = {}) => {
      if (depth >= blocks.length) throw new Error('the first block stays');
      const gone = blocks.splice(-depth);
      branch += 1;
      const texts = gone.flatMap(({ entries }) => entries.map(({ transaction }) => transaction));
      for (const { time } of gone) mineOne(time);
      if (keep) for (const transaction of texts) pool.set(transaction.id, signedText(transaction));
      mineOne();
    },
  };
}

/** Rebuilds the whole transaction from what was read of it. */
function signedText({ raw, signature }: Decoded): string {
  const signed: readonly [number, Uint8Array][] = [
    [1, raw],
    [2, Buffer.from(signature, 'hex')],
  ];
  return encodeMessage(signed).toString('hex');
}
