// Solana addresses: 32 bytes in base58, without a checksum. A wallet's address is its ed25519 public key; an address
// that is no point of the curve has no key and belongs to a program, as token accounts do.

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
/** A bump is the first of these, downwards, that gives an address off the curve; half of all do. */
const MAX_BUMP = 255;
/** No account has a bump further down than this: one in 2^32 would. */
const BUMPS_LOOKED_AT = 32;

/**
 * Reads an address that a person can hold: 32 bytes on the curve, in their one spelling. Refused are addresses off the
 * curve, since most of those that people paste are token accounts, and what is sent to one in the belief that it is a
 * wallet is lost; and the system program's, whose 32 zeros are on the curve and have no owner. Null when it is no
 * address.
 */
export function parseSolanaAddress(text: string): ParsedAddress | null {
  const bytes = bytesOrNull(text);
  return bytes && text !== SYSTEM_PROGRAM && isOnCurve(bytes) ? { address: text, key: text } : null;
}

/** Whether a text names an account of whatever kind, a token's mint among them. */
export function isAccount(text: string): boolean {
  return bytesOrNull(text) !== null;
}

/** The 32 bytes of an address that was read before. */
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

/** Where the tokens of an owner are kept: the associated token account of a mint that belongs to a token program. */
export function associatedTokenAccount(owner: string, mint: string, program: string): string {
  const seeds = seedsOf(owner, mint, program);
  for (let bump = MAX_BUMP; bump >= 0; bump -= 1) {
    const hash = candidate(seeds, bump);
    if (!isOnCurve(hash)) return encodeBase58(hash);
  }
  throw new Error(`${owner} has no token account`);
}

/**
 * Whether a token account that exists is its owner's associated one. Its program makes no others at such addresses, so
 * that the hash says it and the curve need not be asked: blocks hold hundreds of them.
 */
export function isAssociated(account: string, owner: string, mint: string, program: string): boolean {
  const bytes = bytesOrNull(account);
  const parts = [owner, program, mint].map(bytesOrNull).filter((part) => part !== null);
  if (!bytes || parts.length < 3) return false;
  const seeds = Buffer.concat(parts);
  for (let bump = MAX_BUMP; bump > MAX_BUMP - BUMPS_LOOKED_AT; bump -= 1)
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

/** As the network decides it, which takes spellings of a coordinate that stricter readers refuse (ZIP 215). */
function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(Uint8Array.from(bytes), true);
    return true;
  } catch {
    return false;
  }
}

/** What addresses of the program of associated accounts are hashed with besides their seeds. */
const associatedProgram = Buffer.concat([
  bytesOfAddress(ASSOCIATED_TOKEN_PROGRAM),
  Buffer.from('ProgramDerivedAddress'),
]);
