// Ed25519 keys of a seed (SLIP-10). There is no public derivation, so every address of such a chain needs its private
// key.

import { createHmac, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import type { Signature } from '../../chain/transactions.ts';

interface Node {
  readonly key: Buffer;
  readonly chainCode: Buffer;
}

const HARDENED = 0x8000_0000;
/** A private key of 32 bytes as PKCS#8 (RFC 8410), without the key. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Creates the keys of a seed. Keeps the master key, not the seed. */
export function createEd25519Keys(seed: Uint8Array) {
  const root = split(createHmac('sha512', 'ed25519 seed').update(seed).digest());

  function keyAt(path: string): KeyObject {
    const { key } = readPath(path).reduce(deriveChild, root);
    return createPrivateKey({ key: Buffer.concat([PKCS8, key]), format: 'der', type: 'pkcs8' });
  }

  return {
    /** 32 bytes. */
    publicKey: (path: string): Uint8Array => {
      const encoded = createPublicKey(keyAt(path)).export({ format: 'der', type: 'spki' });
      return Uint8Array.from(encoded.subarray(-32));
    },
    sign: (path: string, message: Uint8Array): Signature => ({
      compact: Uint8Array.from(sign(null, message, keyAt(path))),
      recoveryId: 0,
    }),
  };
}

/** The hardened child (SLIP-10, private parent key to private child key). */
function deriveChild({ key, chainCode }: Node, index: number): Node {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(index + HARDENED);
  return split(
    createHmac('sha512', chainCode)
      .update(Buffer.concat([Buffer.of(0), key, number]))
      .digest(),
  );
}

const split = (mac: Buffer): Node => ({ key: mac.subarray(0, 32), chainCode: mac.subarray(32) });

/** Parses `m` and its hardened levels, at least one; ed25519 has no others. */
function readPath(path: string): number[] {
  if (!/^m(\/\d{1,10}')+$/.test(path)) throw new Error(`This is not the path of an ed25519 key: ${path}`);
  return path
    .split('/')
    .slice(1)
    .map((level) => {
      const index = Number.parseInt(level, 10);
      if (index >= HARDENED) throw new Error(`This is not the path of an ed25519 key: ${path}`);
      return index;
    });
}
