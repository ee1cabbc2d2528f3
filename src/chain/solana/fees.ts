// What Solana charges: so much for each signature, and by choice something for each compute unit, to be taken sooner.

import { integerOf, listOf, fieldsOf } from './rpc-types.ts';
import type { SolanaNode } from './node.ts';

/** Lamports for a signature. */
export const SIGNATURE_FEE = 5_000n;
/** Prices are millionths of a lamport for a unit; we count thousands of units, so that prices are lamports. */
export const UNITS_PER_GAS = 1_000;
export const MICROLAMPORTS_PER_PRICE = 1_000n;
/** Bounds in lamports for a thousand units: a payment of tokens costs at most 0.0002 SOL for its priority. */
const PRICE = { least: 1n, most: 2_000n };
/** Of what others paid lately to write to the same accounts: three of four blocks took less. */
const QUANTILE = 0.75;

/** Lamports for a thousand compute units, by what the last blocks took of those who wrote to the same accounts. */
export async function readPriorityFee(node: SolanaNode, accounts: readonly string[]): Promise<bigint> {
  const answer = listOf(await node.call('getRecentPrioritizationFees', [accounts]), 'fees');
  const fees = answer.map((entry) => integerOf(fieldsOf(entry, 'fee').prioritizationFee, 'fee')).sort((a, b) => a - b);
  const fee = BigInt(fees[Math.floor(fees.length * QUANTILE)] ?? 0);
  const price = (fee + MICROLAMPORTS_PER_PRICE - 1n) / MICROLAMPORTS_PER_PRICE;
  return price < PRICE.least ? PRICE.least : price > PRICE.most ? PRICE.most : price;
}

/** What an account of so many bytes must hold to be kept. */
export async function readRent(node: SolanaNode, bytes: number): Promise<bigint> {
  const lamports = await node.call('getMinimumBalanceForRentExemption', [bytes]);
  return BigInt(integerOf(lamports, 'rent'));
}
