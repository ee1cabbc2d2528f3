// HMAC-SHA256 (RFC 2104) under keys that are used for every call.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** Keys as crypto takes them: making one of bytes takes longer than the digest does. */
const prepared = new WeakMap<Uint8Array, KeyObject>();

function keyOf(bytes: Uint8Array): KeyObject {
  const known = prepared.get(bytes);
  if (known) return known;
  const key = createSecretKey(bytes);
  prepared.set(bytes, key);
  return key;
}

/** The digest of a text, 32 bytes. The key's bytes must not change: it is remembered by its array. */
export function keyedDigest(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', keyOf(key)).update(text).digest();
}
