// Base58, as Bitcoin, TRON and Solana write bytes: plain, or with a checksum (Base58Check, the first four bytes of a
// double SHA-256).

import { base58, createBase58check } from '@scure/base';
import { createHash } from 'node:crypto';

const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(bytes).digest());
const base58check = createBase58check(sha256);

/** The longest texts that are read, signatures and extended keys: decoding is quadratic. */
const LONGEST = 90;
const LONGEST_CHECKED = 120;

/** The bytes of a text; null when a character is not in the alphabet. */
export const decodeBase58 = (text: string): Buffer | null => decode(base58, text, LONGEST);

/** The payload of a Base58Check text without its checksum; null when a character or the checksum is wrong. */
export const decodeBase58Check = (text: string): Buffer | null => decode(base58check, text, LONGEST_CHECKED);

/** Writes bytes; each zero in front is a `1`. */
export const encodeBase58 = (bytes: Uint8Array): string => base58.encode(bytes);

/** Writes a payload with its checksum. */
export const encodeBase58Check = (payload: Uint8Array): string => base58check.encode(payload);

function decode(coder: { decode(text: string): Uint8Array }, text: string, longest: number): Buffer | null {
  if (text.length > longest) return null;
  try {
    return Buffer.from(coder.decode(text));
  } catch {
    return null;
  }
}
