// What is asked of a Solana node, over JSON-RPC. Blocks are read as `confirmed`, when two thirds of the stake have voted
// for them; `finalized` is what no vote can change any more, some 32 slots later.

import { createRpc, RpcError, type Rpc } from '../evm/rpc.ts';
import type { Network } from '../../values/assets.ts';
import { fieldsOf, integerOf, listOf, readBlock, readHead, type RpcBlock, type RpcHead } from './rpc-types.ts';

export type Commitment = 'confirmed' | 'finalized';

export interface SolanaNodeOptions {
  network: Network;
  /** http(s). It never appears in an error or a log, as it often holds a key. */
  url: string;
  /** From the start of a round trip to the last byte of its answer. */
  timeoutMs: number;
}

/** The node's side of the adapter. Every failure is a `ChainUnavailable`. */
export interface SolanaNode extends Pick<Rpc, 'call' | 'fail'> {
  slot(commitment: Commitment): Promise<number>;
  /** The slots that have a block, in order, both ends included. */
  slotsWithBlocks(first: number, last: number, commitment?: Commitment): Promise<readonly number[]>;
  /** Null where the slot has no block, or none yet. */
  head(slot: number, commitment?: Commitment): Promise<RpcHead | null>;
  block(slot: number): Promise<RpcBlock | null>;
  /** A block's head with the ids of its transactions. */
  ids(slot: number, commitment?: Commitment): Promise<(RpcHead & { readonly ids: readonly unknown[] }) | null>;
  /** Whether a transaction that is tied to a block can be in the next one. */
  isRecent(blockhash: string, commitment: Commitment | 'processed'): Promise<boolean>;
}

/** A slot that was skipped, or is missing after a jump to a newer snapshot; or one that is not there yet. */
const NO_BLOCK = [-32_007, -32_009, -32_004, -32_014];
/** Where a slot without a block is looked around for the next one that has one. */
const SKIPPED_AT_MOST = 1_000;

/** Creates the client. */
export function createSolanaNode({ network, url, timeoutMs }: SolanaNodeOptions): SolanaNode {
  // Hosts count a batch as its calls, and some refuse it.
  const { call, fail } = createRpc({ network, url, timeoutMs, batchSize: 1 });

  const slot = async (commitment: Commitment) => integerOf(await call('getSlot', [{ commitment }]), 'slot');

  async function slotsWithBlocks(first: number, last: number, commitment: Commitment = 'confirmed') {
    if (last < first) return [];
    const slots = listOf(await call('getBlocks', [first, last, { commitment }]), 'slots');
    const read = slots.map((one) => integerOf(one, 'slot'));
    if (read.some((one, position) => one < first || one > last || one <= (read[position - 1] ?? -1)))
      fail(`the node answered with other slots than ${String(first)} to ${String(last)}`);
    return read;
  }

  async function ask(asked: number, transactionDetails: string, commitment: Commitment): Promise<unknown> {
    const options = { commitment, transactionDetails, maxSupportedTransactionVersion: 0, rewards: false };
    try {
      return await call('getBlock', [asked, { ...options, encoding: 'json' }]);
    } catch (error) {
      if (error instanceof RpcError && NO_BLOCK.includes(error.code)) return null;
      throw error;
    }
  }

  /** Whether there is no block at a slot, rather than that the node has lost it: a later block says what it follows. */
  async function assertNone(asked: number, commitment: Commitment): Promise<null> {
    const tip = await slot(commitment);
    if (asked > tip) return null;
    const [above] = await slotsWithBlocks(asked, Math.min(tip, asked + SKIPPED_AT_MOST), commitment);
    const answer = above === undefined || above === asked ? null : await ask(above, 'none', commitment);
    if (above === undefined || answer === null) return fail(`the node does not say what is at slot ${String(asked)}`);
    if (readHead(answer, above).parentSlot >= asked) fail(`the node has lost the block of slot ${String(asked)}`);
    return null;
  }

  async function read<Block>(
    asked: number,
    details: string,
    commitment: Commitment,
    decode: (answer: unknown, slot: number) => Block,
  ): Promise<Block | null> {
    const answer = await ask(asked, details, commitment);
    return answer === null ? assertNone(asked, commitment) : decode(answer, asked);
  }

  return {
    ...{ call, fail, slot, slotsWithBlocks },
    head: (asked, commitment = 'confirmed') => read(asked, 'none', commitment, readHead),
    isRecent: async (blockhash, commitment) => {
      const { value } = fieldsOf(await call('isBlockhashValid', [blockhash, { commitment }]), 'validity of a block');
      return typeof value === 'boolean' ? value : fail('the node does not say whether a block is recent');
    },
    block: (asked) => read(asked, 'accounts', 'confirmed', readBlock),
    ids: (asked, commitment = 'confirmed') =>
      read(asked, 'signatures', commitment, (answer, at) => {
        const { signatures } = answer as { signatures?: unknown };
        return { ...readHead(answer, at), ids: listOf(signatures, 'signatures') };
      }),
  };
}
