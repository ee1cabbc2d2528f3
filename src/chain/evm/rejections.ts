// Recognises why an EVM node rejects a transaction, from the wording of its error.

import type { Network } from '../../values/assets.ts';
import { NotTaken, type RejectionReason, TransactionRefused } from '../errors.ts';
import { RpcError } from './rpc.ts';

/**
 * Nodes word errors differently, and error codes say less. An error that matches none stays unrecognised. `revert`
 * comes first, because a contract can add any text, including that of another rejection.
 */
const REJECTIONS: readonly (readonly [RegExp, RejectionReason])[] = [
  [/revert/i, 'REVERTED'],
  [/nonce.{0,10}too low|nonce has already been used/i, 'NONCE'],
  [/insufficient funds|insufficient balance/i, 'FUNDS'],
  [/underpriced|max fee per gas less|fee cap|gas price below/i, 'FEES'],
];

/** Null if the error is not a recognised rejection. */
export function rejectionOf(network: Network, error: unknown): TransactionRefused | null {
  if (!(error instanceof RpcError)) return null;
  const reason = REJECTIONS.find(([wording]) => wording.test(error.message))?.[1];
  return reason ? new TransactionRefused(network, reason, { cause: error }) : null;
}

/** Codes of errors about the request or the node; any other error is about the transaction. */
const NODE_ERRORS: ReadonlySet<number> = new Set([-32_700, -32_600, -32_601, -32_004, -32_005]);

/**
 * The error to throw for a failed broadcast: a rejection, `NotTaken`, or the original error if the node is at fault.
 */
export function broadcastRejection(network: Network, error: unknown): unknown {
  const rejection = rejectionOf(network, error);
  if (rejection !== null || !(error instanceof RpcError)) return rejection ?? error;
  const isNodeError =
    NODE_ERRORS.has(error.code) || error.isMissingMethod || /rate limit|too many re/i.test(error.message);
  return isNodeError ? error : new NotTaken(network, error);
}
