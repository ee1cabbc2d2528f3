// Writes payment URIs for Solana wallets (Solana Pay transfer requests).

import { createHash } from 'node:crypto';
import { formatAmount } from '../../values/amount.ts';
import { encodeBase58 } from '../base58.ts';

interface UriRequest {
  /** The owner's address, also for tokens: wallets find the token account themselves. */
  readonly address: string;
  /** The token's mint; null for the coin. */
  readonly mint: string | null;
  /** Base units. */
  readonly amount: bigint;
  readonly decimals: number;
  /** Accounts that the transaction lists only so that it can be found by them. */
  readonly references: readonly string[];
}

/**
 * `solana:<recipient>?amount=<decimal>&spl-token=<mint>&reference=<account>`. The amount is a decimal of
 * the currency, not base units, without trailing zeros.
 */
export function solanaPayUri({ address, mint, amount, decimals, references }: UriRequest): string {
  const parts = [
    `amount=${formatAmount(amount, decimals)}`,
    ...(mint === null ? [] : [`spl-token=${mint}`]),
    ...references.map((reference) => `reference=${reference}`),
  ];
  return `solana:${address}?${parts.join('&')}`;
}

/**
 * A reference account for an order: derived from its id, without a key. Wallets list it in the transaction, so that
 * explorers and `getSignaturesForAddress` find the transaction by it. Crediting does not depend on it.
 */
export function referenceOf(orderId: string): string {
  return encodeBase58(createHash('sha256').update(`order ${orderId}`).digest());
}
