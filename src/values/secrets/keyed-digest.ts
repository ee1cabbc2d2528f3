// HMAC-SHA256 (RFC 2104) with cached key objects, for keys used on every call.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** Key objects by their bytes: making one takes longer than the digest. */
const prepared = new WeakMap<Uint8Array, KeyObject>();

function keyOf(bytes: Uint8Array): KeyObject {
  const known = prepared.get(bytes);
  if (known) return known;
  const key = createSecretKey(bytes);
  prepared.set(bytes, key);
  return key;
}

/** The 32-byte digest of a text. The key's bytes must not change, because its key object is cached by the array. */
export function keyedDigest(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', keyOf(key)).update(text).digest();
}
