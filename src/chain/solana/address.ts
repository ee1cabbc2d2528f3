// Solana addresses: 32 bytes in base58 without a checksum. A wallet's address is its ed25519 public key. An address off
// the curve has no key and belongs to a program, like those of token accounts.

import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import type { ParsedAddress } from '../adapter.ts';
import { decodeBase58, encodeBase58 } from '../base58.ts';

/** Programs and system accounts that transactions name. */
export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';

const ADDRESS_BYTES = 32;
/** The bump is the highest number that gives an address off the curve; half of all do. */
const MAX_BUMP = 255;
/** How many bumps to try: one address in 2^32 would need more. */
const BUMPS_TRIED = 32;

/**
 * Parses a wallet address: 32 bytes on the curve. Null for addresses off the curve, which are mostly token accounts
 * pasted by mistake, where money sent as if to a wallet is lost; and for the system program, whose 32 zero bytes are on
 * the curve but have no owner.
 */
export function parseSolanaAddress(text: string): ParsedAddress | null {
  const bytes = bytesOrNull(text);
  return bytes && text !== SYSTEM_PROGRAM && isOnCurve(bytes) ? { address: text, key: text } : null;
}

/** Whether the text is the address of an account of any kind, including a mint. */
export function isAccount(text: string): boolean {
  return bytesOrNull(text) !== null;
}

/** The 32 bytes of a valid address; throws for any other text. */
export function bytesOfAddress(key: string): Buffer {
  const bytes = bytesOrNull(key);
  if (!bytes) throw new Error(`No Solana address: ${key}`);
  return bytes;
}

/** The address of an ed25519 public key (32 bytes). */
export function addressOfPublicKey(publicKey: Uint8Array): ParsedAddress {
  if (publicKey.length !== ADDRESS_BYTES) throw new Error('An ed25519 public key has 32 bytes');
  const key = encodeBase58(publicKey);
  return { address: key, key };
}

/** The address of an owner's associated token account for a mint of a token program. */
export function associatedTokenAccount(owner: string, mint: string, program: string): string {
  const seeds = seedsOf(owner, mint, program);
  for (let bump = MAX_BUMP; bump >= 0; bump -= 1) {
    const hash = candidate(seeds, bump);
    if (!isOnCurve(hash)) return encodeBase58(hash);
  }
  throw new Error(`${owner} has no token account`);
}

/**
 * Whether an existing token account is its owner's associated one. Only the associated-token program creates accounts
 * at such addresses, so comparing hashes is enough. The slow curve check is skipped: blocks hold hundreds of them.
 */
export function isAssociated(account: string, owner: string, mint: string, program: string): boolean {
  const bytes = bytesOrNull(account);
  const parts = [owner, program, mint].map(bytesOrNull).filter((part) => part !== null);
  if (!bytes || parts.length < 3) return false;
  const seeds = Buffer.concat(parts);
  for (let bump = MAX_BUMP; bump > MAX_BUMP - BUMPS_TRIED; bump -= 1)
    if (candidate(seeds, bump).equals(bytes)) return true;
  return false;
}

function seedsOf(owner: string, mint: string, program: string): Buffer {
  return Buffer.concat([owner, program, mint].map(bytesOfAddress));
}

function candidate(seeds: Buffer, bump: number): Buffer {
  return createHash('sha256').update(seeds).update(Buffer.of(bump)).update(associatedProgram).digest();
}

function bytesOrNull(text: string): Buffer | null {
  const bytes = text.length <= 44 ? decodeBase58(text) : null;
  return bytes?.length === ADDRESS_BYTES ? bytes : null;
}

/** Follows the network's rule, which accepts point encodings that stricter parsers reject (ZIP 215). */
function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(Uint8Array.from(bytes), true);
    return true;
  } catch {
    return false;
  }
}

/** The suffix that is hashed after the seeds of an associated token account's address. */
const associatedProgram = Buffer.concat([
  bytesOfAddress(ASSOCIATED_TOKEN_PROGRAM),
  Buffer.from('ProgramDerivedAddress'),
]);
