// Payment URIs of Solana wallets (Solana Pay, transfer requests).

import { createHash } from 'node:crypto';
import { formatAmount } from '../../values/amount.ts';
import { encodeBase58 } from '../base58.ts';

interface UriRequest {
  /** The owner's address, whichever token is paid: wallets find its token account themselves. */
  readonly address: string;
  /** The token's mint, null for the coin. */
  readonly mint: string | null;
  /** Base units. */
  readonly amount: bigint;
  readonly decimals: number;
  /** Accounts that are only named, so that a transaction can be found by them. */
  readonly references: readonly string[];
}

/**
 * `solana:<recipient>?amount=<decimal>&spl-token=<mint>&reference=<account>`. The amount is a decimal of
 * the currency, not in base units, and has no zeros at its end.
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
 * The account that names an order: without a key, and the same whenever it is asked for. A wallet adds it to the
 * transaction, which explorers and `getSignaturesForAddress` then find by it. Money is credited by its address, with it
 * or without.
 */
export function referenceOf(orderId: string): string {
  return encodeBase58(createHash('sha256').update(`order ${orderId}`).digest());
}
