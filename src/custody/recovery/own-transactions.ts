// Where the transactions stand that a payout has in the book: whether one of them paid it, so that nothing else did, and
// whether any may yet be carried out, so that it is not certain that another was signed for it.

import type { AccountAdapter, ChainAdapter, UtxoAdapter } from '../../chain/adapter.ts';
import { ChainUnavailable } from '../../chain/errors.ts';
import type { OwnTransaction } from '../../database/queries/payouts/paid-candidates.ts';
import { judgeReceipt } from '../../chain/judge-receipt.ts';
import { NETWORKS } from '../../values/assets.ts';
import { agreed, heightBeyondDoubt, readFinalHeight } from '../transactions/finality.ts';

/**
 * PAID: a block has it, and it paid. DEAD: no block can ever have it, or it is final that it moved nothing. ALIVE: the next
 * block could have it. UNSURE: none of these, or not for good.
 */
export type Standing = 'PAID' | 'DEAD' | 'ALIVE' | 'UNSURE';

/** Where one stands, by the word of two nodes where there are two. Throws `ChainUnavailable`. */
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
      ? unmined(node, requiredConfirmations, own)
      : unsent(node, requiredConfirmations, own);
  if (!(await node.isCanonical(receipt.block))) return 'UNSURE';
  const { verdict } = judgeReceipt(own, receipt, NETWORKS[node.network].coin);
  if (verdict === 'PAID') return 'PAID';
  if (verdict !== 'MOVED_NOTHING') return 'UNSURE';
  return receipt.block.height <= (await readFinalHeight(node, requiredConfirmations)) ? 'DEAD' : 'UNSURE';
}

/** Of one that is in no block, where money belongs to accounts. */
async function unsent(node: AccountAdapter, requiredConfirmations: number, own: OwnTransaction): Promise<Standing> {
  const { txHash, validUntil, raw, senderKey, nonce } = own;
  if (validUntil !== null) return (await node.isDead({ txHash, validUntil, raw })) ? 'DEAD' : 'ALIVE';
  // What an earlier recovery found on the chain: for how long it was valid is not known.
  if (!node.replaceable) return 'UNSURE';
  if (((await node.nonces([senderKey])).get(senderKey) ?? 0) <= nonce) return 'ALIVE';
  const final = await readFinalHeight(node, requiredConfirmations);
  const isDisplaced =
    final >= 0 && (await isDisplacedAt(node, { txHash, spends: `${senderKey}:${String(nonce)}` }, final));
  return isDisplaced ? 'DEAD' : 'UNSURE';
}

/** The same where money lies in outputs. */
async function unmined(
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
  return (await isDisplacedAt(node, { txHash, spends }, upTo)) ? 'DEAD' : 'UNSURE';
}

/** False where the node does not say: it may have given up the state of that block. */
async function isDisplacedAt(
  node: ChainAdapter,
  transaction: { readonly txHash: string; readonly spends: string },
  upTo: number,
): Promise<boolean> {
  try {
    return (await node.displacedAt(transaction, upTo)) !== null;
  } catch (error) {
    if (error instanceof ChainUnavailable) return false;
    throw error;
  }
}
