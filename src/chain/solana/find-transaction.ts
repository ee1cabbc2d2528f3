// Finds a Solana transaction by its id: its status, the block that includes it, and its effect.

import type { BlockHead, TxState } from '../blocks.ts';
import type { SolanaNode } from './node.ts';
import { fieldsOf, headOf, integerOf, listOf, readOne, type RpcTransaction } from './rpc-types.ts';

/** A transaction with the block that includes it. */
export interface Found {
  readonly block: BlockHead;
  readonly transaction: RpcTransaction;
}

/** A transaction's slot, as the node reports it. */
export interface Status {
  readonly slot: number;
  readonly isConfirmed: boolean;
}

export function createTransactionFinder(node: SolanaNode) {
  /** Null while the node knows no block with the transaction. */
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

  /** Null while the transaction is in no confirmed block. */
  async function find(txHash: string): Promise<Found | null> {
    const status = await statusOf(txHash);
    if (!status?.isConfirmed) return null;
    const options = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 };
    const answer = await node.call('getTransaction', [txHash, options]);
    const found = answer === null ? node.fail(`${txHash} is not where the node says that it is`) : readOne(answer);
    const block = await node.ids(found.slot);
    // A reorganisation may have happened between the two answers.
    if (found.transaction.id !== txHash || !block?.ids.includes(txHash))
      return node.fail(`${txHash} is not where the node says that it is`);
    return { block: headOf(block), transaction: found.transaction };
  }

  async function txState(txHash: string): Promise<TxState> {
    const status = await statusOf(txHash);
    if (!status) return { kind: 'unknown' };
    const found = status.isConfirmed ? await find(txHash) : null;
    if (!found) return { kind: 'mempool' };
    const { hash, height } = found.block;
    return { kind: 'mined', block: { hash, height }, succeeded: found.transaction.succeeded };
  }

  return { find, statusOf, txState };
}
