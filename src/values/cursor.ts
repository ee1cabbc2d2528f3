// Sealed list cursors: opaque positions with a tag, so that forged cursors and cursors of other lists are rejected.

import { timingSafeEqual } from 'node:crypto';
import { keyedDigest } from './secrets/keyed-digest.ts';

const TAG_BYTES = 12;

function tagOf(key: Uint8Array, scope: string, value: string): Buffer {
  return keyedDigest(key, `cursor\0${scope}\0${value}`).subarray(0, TAG_BYTES);
}

/** Seals a position in a list. `scope` names the list and its owner. */
export function sealCursor(key: Uint8Array, scope: string, value: string): string {
  return Buffer.concat([tagOf(key, scope, value), Buffer.from(value)]).toString('base64url');
}

/** Opens a cursor; null if it was not sealed for this scope. */
export function openCursor(key: Uint8Array, scope: string, cursor: string): string | null {
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.toString('base64url') !== cursor || bytes.length <= TAG_BYTES) return null;
  const value = bytes.subarray(TAG_BYTES).toString();
  return timingSafeEqual(bytes.subarray(0, TAG_BYTES), tagOf(key, scope, value)) ? value : null;
}
