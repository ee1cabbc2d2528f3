// Payment URIs of Solana wallets (Solana Pay, transfer requests).

import { formatAmount } from '../../values/amount.ts';

interface UriRequest {
  /** The owner's address, whichever token is paid: wallets find its token account themselves. */
  readonly address: string;
  /** The token's mint, null for the coin. */
  readonly mint: string | null;
  /** Base units. */
  readonly amount: bigint;
  readonly decimals: number;
  /** Accounts that are only named, so that a transaction can be found by them. */
  readonly references?: readonly string[];
  /** Who is paid, for the person who pays. */
  readonly label?: string;
}

/**
 * `solana:<recipient>?amount=<decimal>&spl-token=<mint>&reference=<account>&label=<text>`. The amount is a decimal of
 * the currency, not in base units, and has no zeros at its end.
 */
export function solanaPayUri({ address, mint, amount, decimals, references = [], label }: UriRequest): string {
  const parts = [
    `amount=${formatAmount(amount, decimals)}`,
    ...(mint === null ? [] : [`spl-token=${mint}`]),
    ...references.map((reference) => `reference=${reference}`),
    ...(label === undefined ? [] : [`label=${encodeURIComponent(label)}`]),
  ];
  return `solana:${address}?${parts.join('&')}`;
}
