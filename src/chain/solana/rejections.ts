// Why a node refuses a transaction, from the errors of its simulation.

import type { RejectionReason } from '../errors.ts';

/** By the words that nodes put into the message of their error, and into the error of a simulation. */
const REJECTIONS: readonly (readonly [wording: RegExp, reason: RejectionReason | 'KNOWN'])[] = [
  [/already been processed|AlreadyProcessed/i, 'KNOWN'],
  [/blockhash not found|BlockhashNotFound/i, 'EXPIRED'],
  [/no record of a prior credit|AccountNotFound/i, 'FUNDS'],
  [/insufficient funds|InsufficientFundsForFee|insufficient lamports/i, 'FUNDS'],
  // The system program's "negative lamports" and the token programs' "insufficient funds".
  [/custom program error: 0x1$|"Custom":1\}/i, 'FUNDS'],
  [/simulation failed|InstructionError|TransactionError|verification failure/i, 'REVERTED'],
];

/** Null where it is left open what becomes of the transaction. */
export function rejectionOf(message: string): RejectionReason | 'KNOWN' | null {
  return REJECTIONS.find(([wording]) => wording.test(message))?.[1] ?? null;
}
