// Base58Check: bytes as people write them, with a checksum of four bytes (the first of a double SHA-256).

import { createHash } from 'node:crypto';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Longer than any extended key; decoding is quadratic. */
const MAX_LENGTH = 120;

/** The payload of a Base58Check text without its checksum; null when a character or the checksum is wrong. */
export function decodeBase58Check(text: string): Buffer | null {
  if (text.length > MAX_LENGTH) return null;
  let value = 0n;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return null;
    value = value * 58n + BigInt(digit);
  }
  const hex = value.toString(16);
  const leadingZeros = /^1*/.exec(text)?.[0].length ?? 0;
  const digits = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  const bytes = Buffer.concat([Buffer.alloc(leadingZeros), digits]);
  const payload = bytes.subarray(0, -4);
  return checksumOf(payload).equals(bytes.subarray(-4)) ? payload : null;
}

/** Writes a payload with its checksum. */
export function encodeBase58Check(payload: Uint8Array): string {
  const bytes = Buffer.concat([payload, checksumOf(payload)]);
  let value = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (; value > 0n; value /= 58n) text = `${ALPHABET[Number(value % 58n)] ?? ''}${text}`;
  const leadingZeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(leadingZeros < 0 ? bytes.length : leadingZeros) + text;
}

function checksumOf(payload: Uint8Array): Buffer {
  return sha256(sha256(payload)).subarray(0, 4);
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
