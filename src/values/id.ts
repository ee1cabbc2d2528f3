// Identifiers: a prefix for the kind, then 48 bits of time and 112 random bits in lower-case Crockford base32.
// Time first keeps B-tree inserts local; 112 random bits keep them unguessable (contract, section 2).

import { randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const POOL = Buffer.alloc(14 * 256);
let poolOffset = POOL.length;

export type IdPrefix =
  | 'mer'
  | 'ord'
  | 'inv'
  | 'lnk'
  | 'evt'
  | 'dlv'
  | 'whk'
  | 'wdr'
  | 'rfd'
  | 'adr'
  | 'bat'
  | 'stl'
  | 'dep'
  | 'ltx'
  | 'trf'
  | 'aud'
  | 'ses'
  | 'usr'
  | 'rol'
  | 'ivn'
  | 'tok'
  | 'eml'
  | 'fct'
  | 'idn'
  | 'chg'
  | 'ers'
  | OwnPrefix;

/** The operator's own records: actions, payouts of the gateway's fees, freezes, operator log entries. */
type OwnPrefix = 'act' | 'fee' | 'frz' | 'opl';

/** A fresh identifier, e.g. `ord_06bq…` (32 characters after the prefix). `now` is in Unix milliseconds. */
export function newId(prefix: IdPrefix, now: number = Date.now()): string {
  if (poolOffset === POOL.length) {
    randomFillSync(POOL);
    poolOffset = 0;
  }
  const bytes = Buffer.allocUnsafe(20);
  bytes.writeUIntBE(now, 0, 6);
  POOL.copy(bytes, 6, poolOffset, poolOffset + 14);
  poolOffset += 14;
  return `${prefix}_${base32(bytes)}`;
}

/** The lower bound of all identifiers made at or after an instant, given in Unix milliseconds. */
export function firstIdOf(prefix: IdPrefix, at: number): string {
  const bytes = Buffer.alloc(20);
  bytes.writeUIntBE(at, 0, 6);
  return `${prefix}_${base32(bytes)}`;
}

/** Whether a text has the form of an identifier of this kind; it need not exist. */
export function isId(prefix: IdPrefix, text: string): boolean {
  return (
    text.length === prefix.length + 33 &&
    text.startsWith(`${prefix}_`) &&
    /^[0-9a-hjkmnp-tv-z]{32}$/.test(text.slice(prefix.length + 1))
  );
}

/** Lower-case Crockford base32 of bytes, whose count must be a multiple of five. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 5) {
    const high = ((bytes[i] ?? 0) << 12) | ((bytes[i + 1] ?? 0) << 4) | ((bytes[i + 2] ?? 0) >> 4);
    const low = (((bytes[i + 2] ?? 0) & 15) << 16) | ((bytes[i + 3] ?? 0) << 8) | (bytes[i + 4] ?? 0);
    for (const half of [high, low]) {
      for (let shift = 15; shift >= 0; shift -= 5) text += ALPHABET[(half >> shift) & 31];
    }
  }
  return text;
}
