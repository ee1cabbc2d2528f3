// What became of a mined transaction of ours, and from when on that counts: what ends a payout, or has it paid by another
// transaction, is final and told by two nodes where there are two.

import type { Receipt } from '../../chain/blocks.ts';
import type { TransferRow } from '../../database/queries/payouts/transactions.ts';
import { judgeReceipt, type Judged } from '../../chain/judge-receipt.ts';
import type { Context } from '../context.ts';
import { agreed, readFinalHeight } from './finality.ts';

/** What a mined transaction did: what it says, nothing, or what nobody can read. */
export type Outcome = 'CONFIRMED' | 'FAILED' | 'UNCLEAR';

/**
 * What reverted has moved nothing, and of payouts nothing else has: what was mined with success and is not what it says
 * is never paid again. A transfer to ourselves that lost a part on its way has been made.
 */
export function outcomeOf({ payoutId }: TransferRow, { verdict }: Judged): Outcome {
  if (verdict === 'PAID') return 'CONFIRMED';
  if (verdict === 'MOVED_NOTHING') return 'FAILED';
  if (payoutId !== null) return 'UNCLEAR';
  return verdict === 'FEE_TAKEN' ? 'CONFIRMED' : 'FAILED';
}

/**
 * Whether an outcome is the end of a payout, or has it paid by another transaction: its own one reverted, or another one
 * has taken its nonce. `open` are all transactions that are not settled.
 */
function endsPayout(row: TransferRow, outcome: Outcome, open: readonly TransferRow[]): boolean {
  const { payoutId } = row;
  if (payoutId !== null && outcome === 'FAILED') return true;
  return open.some(
    (other) => other.payoutId !== null && other.payoutId !== payoutId && nonceOf(other) === nonceOf(row),
  );
}

/** What was read of a mined transaction, beside all transactions that are not settled. */
export interface Reading {
  readonly receipt: Receipt;
  readonly judged: Judged;
  readonly outcome: Outcome;
  readonly open: readonly TransferRow[];
}

/** Blocks that are missing until an outcome counts: what ends a payout has to be final. */
export async function blocksToFinal({ chain }: Context, row: TransferRow, reading: Reading): Promise<number> {
  if (!endsPayout(row, reading.outcome, reading.open)) return 0;
  return reading.receipt.block.height - (await readFinalHeight(chain.adapter, chain.requiredConfirmations));
}

/**
 * Whether two nodes, where there are two, say that a payout was not paid, or not so that anybody could read it, or that a
 * token takes a fee. What paid needs no second word. Throws `ChainUnavailable`.
 */
export async function isAgreed(
  { chain, coin }: Context,
  row: TransferRow,
  { judged, outcome, open }: Reading,
): Promise<boolean> {
  const { adapter, requiredConfirmations } = chain;
  const isEnd = endsPayout(row, outcome, open);
  if (!isEnd && outcome !== 'UNCLEAR' && judged.verdict !== 'FEE_TAKEN') return true;
  const told = await agreed(adapter, async (node) => {
    const receipt = await node.receipt(row.txHash, row.recipientKey);
    if (!receipt || !(await node.isCanonical(receipt.block))) return null;
    const isFinal = !isEnd || receipt.block.height <= (await readFinalHeight(node, requiredConfirmations));
    return isFinal ? judgeReceipt(row, receipt, coin.currency) : null;
  });
  return told !== null && isSame(told, judged);
}

const isSame = (one: Judged, other: Judged): boolean =>
  one.verdict === other.verdict && one.left === other.left && one.arrived === other.arrived;

/** The place that a transaction takes, which only one can have. */
export const nonceOf = ({ senderKey, nonce }: TransferRow): string => `${senderKey}/${String(nonce)}`;
