// What explaining an unknown transaction needs and results in, and the wallet that counts as its sender.

import type { ChainAdapter } from '../../chain/adapter.ts';
import type { TransactionPurpose } from '../../database/queries/payouts/transactions.ts';
import type { MovedUnits, UnknownTransaction } from '../../database/queries/chain/unknown-transactions.ts';
import type { RecoveryContext } from './rebuild-from-journal.ts';

export interface ExplanationContext extends RecoveryContext {
  readonly adapter: ChainAdapter;
  readonly requiredConfirmations: number;
  /** The operator's decisions by transaction hash: the id of the payout that it paid, or `NO_PAYOUT`. */
  readonly attached: ReadonlyMap<string, string>;
}

/** What a transaction turned out to be. */
export interface Explanation {
  readonly purpose: TransactionPurpose;
  readonly payoutId: string | null;
  /** What it moved. If that is nothing, or several things: one base unit of the coin, to the gas wallet. */
  readonly moved: Omit<MovedUnits, 'ordinal'>;
  /** For a replacement: the nonce of those that it replaces. */
  readonly nonce?: number;
}

/** The sending wallet: if the gas wallet paid the fee for another, that other one; on UTXO chains the hot wallet. */
export function senderOf(
  { wallets, adapter }: Pick<ExplanationContext, 'wallets' | 'adapter'>,
  { signers }: UnknownTransaction,
): string {
  if (adapter.model === 'OUTPUTS') return wallets.hot.key;
  return signers.find((key) => key !== wallets.gas.key) ?? wallets.gas.key;
}
