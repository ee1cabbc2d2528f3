// Identifiers: a prefix for the kind, then 48 bits of time and 112 random bits in lower-case Crockford base32.
// Time first keeps B-tree inserts local; 112 random bits keep them unguessable (contract, section 2).
//
// Those made in a cell have 40 bits of time since 2020, ten of the cell, and 110 random bits. Their first letter is `1`
// or above since 2021, and that of the others is `0` until 2248: the two forms are never taken for one another, and all
// identifiers of a database from before it was a cell sort before those of the cell.

import { randomFillSync } from 'node:crypto';
import { MOST_CELL, ownCell, type OwnCell } from './cells/own-cell.ts';

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
  POOL.copy(bytes, 6, poolOffset, poolOffset + 14);
  poolOffset += 14;
  const own = ownCell();
  if (own === null) bytes.writeUIntBE(now, 0, 6);
  else writeCell(bytes, own, now);
  return `${prefix}_${base32(bytes)}`;
}

/** The beginning of 2020, from which the time in the identifiers of cells is counted; 40 bits last until 2054. */
const EPOCH = Date.UTC(2020, 0, 1);

/** Writes the time and the cell into the first 50 bits; the others stay. */
function writeCell(bytes: Buffer, { cell, since }: OwnCell, now: number): void {
  // A clock that was put back must not make identifiers of before the database was a cell: filters would miss them.
  bytes.writeUIntBE(Math.max(now, since) - EPOCH, 0, 5);
  bytes[5] = cell >> 2;
  bytes[6] = ((cell & 3) << 6) | ((bytes[6] ?? 0) & 0x3f);
}

/**
 * The lower bound of all identifiers made at or after an instant, given in Unix milliseconds. Those of before the
 * database was a cell have the other form.
 */
export function firstIdOf(prefix: IdPrefix, at: number): string {
  const bytes = Buffer.alloc(20);
  const own = ownCell();
  if (own === null || at < own.since) bytes.writeUIntBE(at, 0, 6);
  else bytes.writeUIntBE(Math.min(at - EPOCH, 2 ** 40 - 1), 0, 5);
  return `${prefix}_${base32(bytes)}`;
}

/** The cell that an identifier was made in; null if it was made without one, or is no identifier. */
export function cellOf(id: string): number | null {
  const [, high = '', low = ''] = OF_CELL.exec(id) ?? [];
  if (low === '') return null;
  const cell = ALPHABET.indexOf(high) * 32 + ALPHABET.indexOf(low);
  return cell > MOST_CELL ? null : cell;
}

/** The two letters of the cell, in an identifier that has one. */
const OF_CELL =
  /^[a-z]{3}_[1-9a-hjkmnp-tv-z][0-9a-hjkmnp-tv-z]{7}([0-9a-hjkmnp-tv-z])([0-9a-hjkmnp-tv-z])[0-9a-hjkmnp-tv-z]{22}$/;

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
