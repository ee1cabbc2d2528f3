// Why an EVM node refuses a transaction, from the words of its error.

import type { Network } from '../../values/assets.ts';
import { NotTaken, type RejectionReason, TransactionRefused } from '../errors.ts';
import { RpcError } from './rpc.ts';

/**
 * Nodes differ in wording, and the codes say less. What none of these matches stays an unknown answer. A contract that
 * reverts adds words of its own, which may be those of any other refusal: it comes first.
 */
const REJECTIONS: readonly (readonly [RegExp, RejectionReason])[] = [
  [/revert/i, 'REVERTED'],
  [/nonce.{0,10}too low|nonce has already been used/i, 'NONCE'],
  [/insufficient funds|insufficient balance/i, 'FUNDS'],
  [/underpriced|max fee per gas less|fee cap|gas price below/i, 'FEES'],
];

/** What the node's error means; null where it is left open. */
export function rejectionOf(network: Network, error: unknown): TransactionRefused | null {
  if (!(error instanceof RpcError)) return null;
  const reason = REJECTIONS.find(([wording]) => wording.test(error.message))?.[1];
  return reason ? new TransactionRefused(network, reason, { cause: error }) : null;
}

/** A node that cannot be asked at all says nothing of the transaction; any other error is about it, and not about the node. */
const NODE_ERRORS: ReadonlySet<number> = new Set([-32_700, -32_600, -32_601, -32_004, -32_005]);

/** What a failed broadcast means: a refusal, or `NotTaken`, or what was thrown where that is about the node. */
export function broadcastRejection(network: Network, error: unknown): unknown {
  const refusal = rejectionOf(network, error);
  if (refusal !== null || !(error instanceof RpcError)) return refusal ?? error;
  const isOfNode =
    NODE_ERRORS.has(error.code) || error.isMissingMethod || /rate limit|too many re/i.test(error.message);
  return isOfNode ? error : new NotTaken(network, error);
}
