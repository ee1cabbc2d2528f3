// Our addresses in generated blocks, by the number of the payment's row, and what else the node and the database must
// agree on.

import { createHash } from 'node:crypto';
import { encodeBase58 } from '../../src/chain/base58.ts';
import { keyOfBytes } from '../../src/chain/tron/address.ts';
import type { BenchNetwork } from './task.ts';

/** One block in this many has a deposit of ours: to row 1, 2, 3 and so on. */
export const OURS_EVERY = 10;
export const TRANSFERRED = 25_000_000n;
export const SOLANA_USDT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB';
export const TRON_USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
/** On Solana, one slot in this many has no block. */
export const SKIPPED_EVERY = 20;

export const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** An address key in the form that database rows use. */
export function keyOf(network: BenchNetwork, text: string): string {
  const bytes = digest(text);
  if (network === 'SOL') return encodeBase58(bytes);
  if (network === 'TRON') return keyOfBytes(Buffer.concat([Buffer.of(0x41), bytes.subarray(0, 20)])) ?? '';
  return `0014${bytes.subarray(0, 20).toString('hex')}`;
}

export const ourKey = (network: BenchNetwork, row: number): string => keyOf(network, `ours ${String(row)}`);

/** The row that a block pays; null if it pays none. */
export function rowOf(height: number): number | null {
  return height > 0 && height % OURS_EVERY === 0 ? height / OURS_EVERY : null;
}
