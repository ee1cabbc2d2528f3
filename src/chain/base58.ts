// Base58 and Base58Check from @scure/base, with two additions: invalid text decodes to null, and its length is limited.

import { base58, createBase58check } from '@scure/base';
import { createHash } from 'node:crypto';

const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(bytes).digest());
const base58check = createBase58check(sha256);

/** The longest texts read are signatures and extended keys. Decoding takes quadratic time. */
const MAX_LENGTH = 90;
const MAX_CHECKED_LENGTH = 120;

/** Null if a character is not in the alphabet. */
export const decodeBase58 = (text: string): Buffer | null => decode(base58, text, MAX_LENGTH);

/** The payload without its checksum; null if a character or the checksum is wrong. */
export const decodeBase58Check = (text: string): Buffer | null => decode(base58check, text, MAX_CHECKED_LENGTH);

export const encodeBase58 = (bytes: Uint8Array): string => base58.encode(bytes);

/** Appends the checksum: the first four bytes of a double SHA-256. */
export const encodeBase58Check = (payload: Uint8Array): string => base58check.encode(payload);

function decode(coder: { decode(text: string): Uint8Array }, text: string, maxLength: number): Buffer | null {
  if (text.length > maxLength) return null;
  try {
    return Buffer.from(coder.decode(text));
  } catch {
    return null;
  }
}
