// Decides what a mined transaction of ours did, and from when on that counts. An outcome that ends a payout, or lets
// another transaction pay it, must be final and confirmed by two nodes where there are two.

import type { Receipt } from '../../chain/blocks.ts';
import type { TransactionRow } from '../../database/queries/payouts/transactions.ts';
import { judgeReceipt, type Judged } from '../../chain/judge-receipt.ts';
import type { Context } from '../context.ts';
import { agreed, readFinalHeight } from './finality.ts';

/** What a mined transaction did: what it says, nothing, or something that cannot be read. */
export type Outcome = 'CONFIRMED' | 'FAILED' | 'UNCLEAR';

/**
 * A reverted transaction moved nothing; for payouts nothing else counts as FAILED, so that a transaction that succeeded
 * but did not do what it says is never paid again. A transfer between our own addresses counts as made even if a
 * token's fee was taken from it.
 */
export function outcomeOf({ payoutId }: TransactionRow, { verdict }: Judged): Outcome {
  if (verdict === 'PAID') return 'CONFIRMED';
  if (verdict === 'MOVED_NOTHING') return 'FAILED';
  if (payoutId !== null) return 'UNCLEAR';
  return verdict === 'FEE_TAKEN' ? 'CONFIRMED' : 'FAILED';
}

/**
 * Whether an outcome ends a payout or lets another transaction pay it: the payout's own transaction reverted, or a
 * different one took its nonce. `open` holds all transactions that are not final.
 */
function endsPayout(row: TransactionRow, outcome: Outcome, open: readonly TransactionRow[]): boolean {
  const { payoutId } = row;
  if (payoutId !== null && outcome === 'FAILED') return true;
  return open.some(
    (other) => other.payoutId !== null && other.payoutId !== payoutId && nonceOf(other) === nonceOf(row),
  );
}

/** What was read about a mined transaction, with all transactions that are not final. */
export interface Reading {
  readonly receipt: Receipt;
  readonly judged: Judged;
  readonly outcome: Outcome;
  readonly open: readonly TransactionRow[];
}

/** Blocks still missing until an outcome counts: what ends a payout must be final. */
export async function blocksToFinal({ chain }: Context, row: TransactionRow, reading: Reading): Promise<number> {
  if (!endsPayout(row, reading.outcome, reading.open)) return 0;
  return reading.receipt.block.height - (await readFinalHeight(chain.adapter, chain.requiredConfirmations));
}

/**
 * Whether an outcome is agreed. Two nodes, where there are two, must say that a payout was not paid or cannot be read,
 * or that a token takes a fee; a payment needs only one. Throws `ChainUnavailable`.
 */
export async function isAgreed(
  { chain, coin }: Context,
  row: TransactionRow,
  { judged, outcome, open }: Reading,
): Promise<boolean> {
  const { adapter, requiredConfirmations } = chain;
  const isEnd = endsPayout(row, outcome, open);
  if (!isEnd && outcome !== 'UNCLEAR' && judged.verdict !== 'FEE_TAKEN') return true;
  const confirmed = await agreed(adapter, async (node) => {
    const receipt = await node.receipt(row.txHash, row.recipientKey);
    if (!receipt || !(await node.isCanonical(receipt.block))) return null;
    const isFinal = !isEnd || receipt.block.height <= (await readFinalHeight(node, requiredConfirmations));
    return isFinal ? judgeReceipt(row, receipt, coin.currency) : null;
  });
  return confirmed !== null && isSame(confirmed, judged);
}

const isSame = (one: Judged, other: Judged): boolean =>
  one.verdict === other.verdict && one.left === other.left && one.arrived === other.arrived;

/** The sender and nonce of a transaction, which only one can take. */
export const nonceOf = ({ senderKey, nonce }: TransactionRow): string => `${senderKey}/${String(nonce)}`;
