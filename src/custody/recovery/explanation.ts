// The context for explaining an unknown transaction, and the result.

import type { ChainAdapter } from '../../chain/adapter.ts';
import type { TransactionPurpose } from '../../database/queries/payouts/transactions.ts';
import type { MovedUnits, UnknownTransaction } from '../../database/queries/chain/unknown-transactions.ts';
import type { RecoveryContext } from './rebuild-from-journal.ts';

export interface ExplanationContext extends RecoveryContext {
  readonly adapter: ChainAdapter;
  readonly requiredConfirmations: number;
  /** What the operator decided, by transaction hash: the payout that it paid, or that there is none. */
  readonly attached: ReadonlyMap<string, string>;
}

/** What a transaction turned out to be. */
export interface Explanation {
  readonly purpose: TransactionPurpose;
  readonly payoutId: string | null;
  /** What it moved; the least amount to ourselves if that is unknown. */
  readonly moved: Omit<MovedUnits, 'ordinal'>;
  /** For a replacement: the nonce of those that it replaces. */
  readonly nonce?: number;
}

/** The sender: if the gas wallet pays the fee for another wallet, the other one. */
export function senderOf(
  { wallets, adapter }: Pick<ExplanationContext, 'wallets' | 'adapter'>,
  { signers }: UnknownTransaction,
): string {
  if (adapter.model === 'OUTPUTS') return wallets.hot.key;
  return signers.find((key) => key !== wallets.gas.key) ?? wallets.gas.key;
}
