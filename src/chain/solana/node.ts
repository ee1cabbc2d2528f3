// The JSON-RPC client of a Solana node. `confirmed` blocks have the votes of two thirds of the stake; `finalized` ones,
// some 32 slots later, cannot be reorganised.

import { createRpc, RpcError, type Rpc } from '../evm/rpc.ts';
import type { Network } from '../../values/assets.ts';
import { fieldsOf, integerOf, listOf, readBlock, readHead, type RpcBlock, type RpcHead } from './rpc-types.ts';

export type Commitment = 'confirmed' | 'finalized';

export interface SolanaNodeOptions {
  network: Network;
  /** http(s). Never in an error or a log, because it often contains a key. */
  url: string;
  /** From the start of a round trip to the last byte of the response. */
  timeoutMs: number;
}

/** Every failure is a `ChainUnavailable`. */
export interface SolanaNode extends Pick<Rpc, 'call' | 'fail'> {
  slot(commitment: Commitment): Promise<number>;
  /** The slots with a block, in order, including both ends. */
  slotsWithBlocks(first: number, last: number, commitment?: Commitment): Promise<readonly number[]>;
  /** Null if the slot has no block, or none yet. */
  head(slot: number, commitment?: Commitment): Promise<RpcHead | null>;
  block(slot: number): Promise<RpcBlock | null>;
  /** The block's head with the ids of its transactions. */
  ids(slot: number, commitment?: Commitment): Promise<(RpcHead & { readonly ids: readonly unknown[] }) | null>;
  /** Whether a transaction with this blockhash can still be included in the next block. */
  isRecent(blockhash: string, commitment: Commitment | 'processed'): Promise<boolean>;
}

/** Error codes for a slot that was skipped, is missing after a jump to a newer snapshot, or does not exist yet. */
const NO_BLOCK = [-32_007, -32_009, -32_004, -32_014];
/** How far to search for the next block after a slot without one. */
const MAX_SKIPPED = 1_000;

export function createSolanaNode({ network, url, timeoutMs }: SolanaNodeOptions): SolanaNode {
  // Hosts charge for each call in a batch anyway, and some reject batches.
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

  /** Throws if the node has lost the slot's block: then the next block names it as its parent. */
  async function assertNone(asked: number, commitment: Commitment): Promise<null> {
    const tip = await slot(commitment);
    if (asked > tip) return null;
    const [above] = await slotsWithBlocks(asked, Math.min(tip, asked + MAX_SKIPPED), commitment);
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
