// What explaining a transaction works with, and what comes of it.

import type { ChainAdapter } from '../../chain/adapter.ts';
import type { TransactionPurpose } from '../../database/queries/payouts/transactions.ts';
import type { MovedUnits, UnknownTransaction } from '../../database/queries/chain/unknown-transactions.ts';
import type { Rebuilding } from './rebuild-lines.ts';

export interface Explaining extends Rebuilding {
  readonly adapter: ChainAdapter;
  readonly requiredConfirmations: number;
  /** What the operator decided: payouts, or that there is none, by the hashes of the transactions that paid them. */
  readonly attached: ReadonlyMap<string, string>;
}

/** What a transaction turned out to be. */
export interface Explanation {
  readonly purpose: TransactionPurpose;
  readonly payoutId: string | null;
  /** What it moved; the least amount to ourselves where that cannot be told. */
  readonly moved: Omit<MovedUnits, 'ordinal'>;
  /** Of a replacement: the nonce of those that it replaces. */
  readonly nonce?: number;
}

/** Who sends: where the gas wallet pays for others, the one beside it. */
export function senderOf(
  { wallets, adapter }: Pick<Explaining, 'wallets' | 'adapter'>,
  { signers }: UnknownTransaction,
): string {
  if (adapter.model === 'OUTPUTS') return wallets.hot.key;
  return signers.find((key) => key !== wallets.gas.key) ?? wallets.gas.key;
}
