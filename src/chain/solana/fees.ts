// Solana's fees: a fixed one per signature, an optional priority fee per compute unit, and rent for new accounts.

import { integerOf, listOf, fieldsOf } from './rpc-types.ts';
import type { SolanaNode } from './node.ts';

/** Lamports per signature. */
export const SIGNATURE_FEE = 5_000n;
/** Solana prices are microlamports per unit. We count gas in thousands of units, so that prices are in lamports. */
export const UNITS_PER_GAS = 1_000;
export const MICROLAMPORTS_PER_PRICE = 1_000n;
/** Limits in lamports per thousand units: the priority fee of a token payment is at most 0.0002 SOL. */
const PRICE = { least: 1n, most: 2_000n };
/** Take the third quartile of the recent fees. */
const QUANTILE = 0.75;

/** Lamports per thousand compute units, from what others recently paid to write to the same accounts. */
export async function readPriorityFee(node: SolanaNode, accounts: readonly string[]): Promise<bigint> {
  const answer = listOf(await node.call('getRecentPrioritizationFees', [accounts]), 'fees');
  const fees = answer.map((entry) => integerOf(fieldsOf(entry, 'fee').prioritizationFee, 'fee')).sort((a, b) => a - b);
  const fee = BigInt(fees[Math.floor(fees.length * QUANTILE)] ?? 0);
  const price = (fee + MICROLAMPORTS_PER_PRICE - 1n) / MICROLAMPORTS_PER_PRICE;
  return price < PRICE.least ? PRICE.least : price > PRICE.most ? PRICE.most : price;
}

/** The least balance that an account of this size must hold to be rent-exempt. */
export async function readRent(node: SolanaNode, bytes: number): Promise<bigint> {
  const lamports = await node.call('getMinimumBalanceForRentExemption', [bytes]);
  return BigInt(integerOf(lamports, 'rent'));
}
