// Judges the transactions that the book has of a payout by the chain: whether one paid it, is dead, or may still be
// mined. From this, recovery tells whether another transaction may have paid the payout.

import type { AccountAdapter, ChainAdapter, UtxoAdapter } from '../../chain/adapter.ts';
import { ChainUnavailable } from '../../chain/errors.ts';
import type { OwnTransaction } from '../../database/queries/payouts/paid-candidates.ts';
import { judgeReceipt } from '../../chain/judge-receipt.ts';
import { NETWORKS } from '../../values/assets.ts';
import { agreed, heightBeyondDoubt, readFinalHeight } from '../transactions/finality.ts';

/**
 * PAID: it is in a block and paid. DEAD: it can never be mined, or it is final that it moved nothing. ALIVE: it may
 * still be in the next block. UNSURE: none of these, or not final yet.
 */
export type Standing = 'PAID' | 'DEAD' | 'ALIVE' | 'UNSURE';

/** The standing of one transaction; two nodes must agree where there are two. Throws `ChainUnavailable`. */
export function standingOf(
  adapter: ChainAdapter,
  requiredConfirmations: number,
  own: OwnTransaction,
): Promise<Standing> {
  return agreed(adapter, (node) => askNode(node, requiredConfirmations, own));
}

async function askNode(node: ChainAdapter, requiredConfirmations: number, own: OwnTransaction): Promise<Standing> {
  const receipt = await node.receipt(own.txHash, own.recipientKey);
  if (!receipt)
    return node.model === 'OUTPUTS'
      ? standingOnUtxoChain(node, requiredConfirmations, own)
      : standingOnAccountChain(node, requiredConfirmations, own);
  if (!(await node.isCanonical(receipt.block))) return 'UNSURE';
  const { verdict } = judgeReceipt(own, receipt, NETWORKS[node.network].coin);
  if (verdict === 'PAID') return 'PAID';
  if (verdict !== 'MOVED_NOTHING') return 'UNSURE';
  return receipt.block.height <= (await readFinalHeight(node, requiredConfirmations)) ? 'DEAD' : 'UNSURE';
}

/** For an unmined transaction on an account chain. */
async function standingOnAccountChain(
  node: AccountAdapter,
  requiredConfirmations: number,
  own: OwnTransaction,
): Promise<Standing> {
  const { txHash, validUntil, raw, senderKey, nonce } = own;
  if (validUntil !== null) return (await node.hasExpired({ txHash, validUntil, raw })) ? 'DEAD' : 'ALIVE';
  // An earlier recovery found it on the chain, so how long it was valid is unknown.
  if (!node.replaceable) return 'UNSURE';
  if (((await node.nonces([senderKey])).get(senderKey) ?? 0) <= nonce) return 'ALIVE';
  const final = await readFinalHeight(node, requiredConfirmations);
  const hasConflict =
    final >= 0 && (await hasConflictAt(node, { txHash, spends: `${senderKey}:${String(nonce)}` }, final));
  return hasConflict ? 'DEAD' : 'UNSURE';
}

/** For an unmined transaction on a UTXO chain. */
async function standingOnUtxoChain(
  node: UtxoAdapter,
  requiredConfirmations: number,
  { txHash, raw }: OwnTransaction,
): Promise<Standing> {
  if ((await node.txState(txHash)).kind === 'mempool') return 'ALIVE';
  if (raw === '') return 'UNSURE';
  const spends = node.spendsOf(raw);
  const outpoints = spends.split(',');
  if ((await node.unspent(outpoints))?.size === outpoints.length) return 'ALIVE';
  const upTo = heightBeyondDoubt((await node.tip()).height, requiredConfirmations);
  return (await hasConflictAt(node, { txHash, spends }, upTo)) ? 'DEAD' : 'UNSURE';
}

/** False if the node does not answer: it may have pruned the state of that block. */
async function hasConflictAt(
  node: ChainAdapter,
  transaction: { readonly txHash: string; readonly spends: string },
  upTo: number,
): Promise<boolean> {
  try {
    return (await node.conflictAt(transaction, upTo)) !== null;
  } catch (error) {
    if (error instanceof ChainUnavailable) return false;
    throw error;
  }
}
