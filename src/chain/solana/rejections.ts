// Recognises why a Solana node rejects a transaction, from its error message.

import type { RejectionReason } from '../errors.ts';

/** Wordings of node errors and of simulation errors. */
const REJECTIONS: readonly (readonly [wording: RegExp, reason: RejectionReason | 'KNOWN'])[] = [
  [/already been processed|AlreadyProcessed/i, 'KNOWN'],
  [/blockhash not found|BlockhashNotFound/i, 'EXPIRED'],
  [/no record of a prior credit|AccountNotFound/i, 'FUNDS'],
  [/insufficient funds|InsufficientFundsForFee|insufficient lamports/i, 'FUNDS'],
  // Error 1: "negative lamports" of the system program, "insufficient funds" of the token programs.
  [/custom program error: 0x1$|"Custom":1\}/i, 'FUNDS'],
  [/simulation failed|InstructionError|TransactionError|verification failure/i, 'REVERTED'],
];

/** Null if the error is not a recognised rejection. */
export function rejectionOf(message: string): RejectionReason | 'KNOWN' | null {
  return REJECTIONS.find(([wording]) => wording.test(message))?.[1] ?? null;
}
