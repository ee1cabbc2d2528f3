// Finds the block where another transaction used a transaction's nonce, so that it can no longer be mined.

import type { TxState } from '../blocks.ts';
import { RpcError, type Rpc } from './rpc.ts';
import { integerOf } from './rpc-types.ts';

interface ConflictDeps {
  rpc: Rpc;
  txState(txHash: string): Promise<TxState>;
}

/** Nodes keep the state of the last 128 blocks, and no network requires more confirmations. */
const SEARCHED_BLOCKS = 100;

/**
 * Creates `ChainAdapter.conflictAt`. The sender's transaction count exceeds the nonce from one block on, which a binary
 * search finds in about eight calls. Heights whose state the node lacks count as below it, so the answer may be too
 * high but never too low.
 */
export function createConflictReader({ rpc, txState }: ConflictDeps) {
  return async (transaction: { txHash: string; spends: string }, upTo: number): Promise<number | null> => {
    const [, sender, digits] = /^(0x[0-9a-f]{40}):(\d+)$/.exec(transaction.spends) ?? [];
    if (sender === undefined) throw new Error(`${transaction.spends} is not a sender with a nonce`);
    const isUsed = async (height: number): Promise<boolean> => {
      const params = [sender, `0x${height.toString(16)}`];
      return integerOf(await rpc.call('eth_getTransactionCount', params), 'nonce') > Number(digits);
    };
    if (!(await isUsed(upTo)) || (await txState(transaction.txHash)).kind === 'mined') return null;
    const isKnownUsed = (height: number) =>
      isUsed(height).catch((error: unknown) => {
        if (error instanceof RpcError) return false;
        throw error;
      });
    let highest = upTo;
    for (let lowest = Math.max(0, upTo - SEARCHED_BLOCKS); lowest < highest;) {
      const middle = Math.floor((lowest + highest) / 2);
      if (await isKnownUsed(middle)) highest = middle;
      else lowest = middle + 1;
    }
    return highest;
  };
}
