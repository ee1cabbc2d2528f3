// The chain around litesvm, which has none of its own: blocks with parents, slots without blocks, transactions that
// expire with the block they are tied to, and forks, for which everything is executed anew on the other branch.

import { createHash } from 'node:crypto';
import type { EncodedAccount } from '@solana/kit';
import { encodeBase58 } from '../../../src/chain/base58.ts';
import { createSvm, decode, type Executed, type Svm } from './svm.ts';

export interface TestBlock {
  readonly slot: number;
  readonly height: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly parentSlot: number;
  /** Seconds. */
  readonly time: number;
  readonly entries: readonly Executed[];
  /** Accounts that were placed after it directly, not by transactions. */
  readonly placed: EncodedAccount[];
}

/** Why a transaction is rejected, in a node's words. */
export interface Refused {
  readonly message: string;
  readonly err: unknown;
}

export interface TestChain {
  /** By height. */
  readonly blocks: TestBlock[];
  readonly waiting: Buffer[];
  tip(): TestBlock;
  /** The newest block that no vote can change. */
  final(): TestBlock;
  /** Lets time pass without a slot, as in an outage. */
  idle(seconds: number): void;
  /** Holds finality back, as when the network stalls; null lets it follow again. */
  holdFinal(slot: number | null): void;
  bySlot(slot: number): TestBlock | undefined;
  find(id: string): { block: TestBlock; entry: Executed } | null;
  svm(): Svm;
  place(account: EncodedAccount): void;
  /** Accepts a transaction, which waits for a block. */
  submit(raw: Buffer): string | Refused;
  /** Makes blocks; the first holds what waits, and may have empty slots before it. */
  mine(count?: number, options?: { skip?: number; hold?: boolean }): TestBlock;
  /** Replaces the last blocks; with `keep`, the first replacement has their transactions. */
  fork(depth: number, options?: { keep?: boolean; blocks?: number }): void;
}

/** The number of blocks in which a transaction stays valid. */
export const LIFETIME = 150;
/** Slots between confirmed and final. */
const FINAL_AFTER = 31;
const SLOT_SECONDS = 0.4;

export function createTestChain(genesis: readonly EncodedAccount[], startSeconds: number): TestChain {
  let svm = createSvm(genesis);
  let branch = 0;
  let held: number | null = null;
  let idleSeconds = 0;
  const waiting: Buffer[] = [];
  const hashOf = (...parts: readonly unknown[]) => encodeBase58(createHash('sha256').update(parts.join('/')).digest());
  const first: TestBlock = {
    ...{ slot: 0, height: 0, parentSlot: 0, time: startSeconds, entries: [], placed: [] },
    ...{ hash: hashOf('genesis', startSeconds), parentHash: encodeBase58(new Uint8Array(32)) },
  };
  const blocks: TestBlock[] = [first];

  const tip = () => blocks.at(-1) ?? first;
  const bySlot = (slot: number) => blocks.find((block) => block.slot === slot);
  const newestUpTo = (slot: number) => blocks.findLast((block) => block.slot <= slot) ?? first;

  function find(id: string) {
    for (const block of blocks.toReversed()) {
      const entry = block.entries.find((one) => one.id === id);
      if (entry) return { block, entry };
    }
    return null;
  }

  const isAlive = (blockhash: string, height: number) => {
    const anchor = blocks.findLast(({ hash }) => hash === blockhash);
    return anchor !== undefined && height - anchor.height <= LIFETIME;
  };

  function add(raws: readonly Buffer[], skip: number): TestBlock {
    const { slot, height, hash } = tip();
    const next = slot + 1 + skip;
    const entries: Executed[] = [];
    for (const raw of raws) {
      const { blockhash, signatures } = decode(raw);
      if (!isAlive(blockhash, height + 1) || find(signatures[0] ?? '')) continue;
      const executed = svm.execute(raw);
      if (executed) entries.push(executed);
    }
    const ids = entries.map(({ id }) => id).join();
    const block = {
      ...{ slot: next, height: height + 1, hash: hashOf(hash, next, branch, ids), parentHash: hash, parentSlot: slot },
      ...{ time: Math.floor(startSeconds + idleSeconds + next * SLOT_SECONDS), entries, placed: [] },
    };
    blocks.push(block);
    return block;
  }

  function mine(count = 1, { skip = 0, hold = false } = {}): TestBlock {
    for (let made = 0; made < count; made += 1)
      add(made === 0 && !hold ? waiting.splice(0) : [], made === 0 ? skip : 0);
    return tip();
  }

  /** Executes the blocks that stay once more. */
  function rebuild(): void {
    svm = createSvm(genesis);
    for (const { entries, placed } of blocks) {
      for (const { raw } of entries) svm.replay(raw);
      placed.forEach(svm.set);
    }
  }

  return {
    ...{ blocks, waiting, tip, bySlot, find, mine },
    final: () => newestUpTo(Math.min(held ?? Infinity, Math.max(0, tip().slot - FINAL_AFTER))),
    idle: (seconds) => {
      idleSeconds += seconds;
    },
    holdFinal: (slot) => {
      held = slot;
    },
    svm: () => svm,
    place: (account) => {
      tip().placed.push(account);
      svm.set(account);
    },
    submit: (raw) => {
      const { blockhash, signatures } = decode(raw);
      const [id = ''] = signatures;
      if (find(id)) return { message: 'This transaction has already been processed', err: 'AlreadyProcessed' };
      if (!isAlive(blockhash, tip().height + 1)) return { message: 'Blockhash not found', err: 'BlockhashNotFound' };
      const { err } = svm.simulate(raw);
      if (err !== null) return { message: describe(err), err };
      if (!waiting.some((other) => other.equals(raw))) waiting.push(raw);
      return id;
    },
    fork: (depth, { keep = false, blocks: many = depth } = {}) => {
      const left = blocks.splice(-depth);
      branch += 1;
      rebuild();
      add(keep ? left.flatMap(({ entries }) => entries.map(({ raw }) => raw)) : [], 0);
      for (let made = 1; made < many; made += 1) add([], 0);
    },
  };
}

/** In a node's words. */
function describe(err: unknown): string {
  if (err === 'AccountNotFound') return 'Attempt to debit an account but found no record of a prior credit.';
  if (err === 'InsufficientFundsForFee') return 'Insufficient funds for fee';
  const [index, error] = (err as { InstructionError?: [number, unknown] }).InstructionError ?? [];
  if (index === undefined) return `Transaction results in an account with insufficient funds for rent`;
  const custom = (error as { Custom?: number }).Custom;
  const detail = custom === undefined ? String(error) : `custom program error: 0x${custom.toString(16)}`;
  return `Error processing Instruction ${String(index)}: ${detail}`;
}
