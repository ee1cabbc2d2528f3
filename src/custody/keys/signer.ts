// The interface between the gateway and what holds its keys (a seed in memory here; a KMS or an HSM elsewhere).

import { HARDENED_OFFSET, HDKey } from '@scure/bip32';
import { privateAdd, privateNegate, signRecoverable, signSchnorr } from 'tiny-secp256k1';
import { deriveChild, publicNode, type PublicNode } from '../../chain/extended-key.ts';
import type { Curve, Signature } from '../../chain/transactions.ts';
import { taggedHash } from '../../chain/utxo/derive.ts';
import { createEd25519Keys } from './ed25519-keys.ts';

export type { Signature } from '../../chain/transactions.ts';

/**
 * Signs with keys named by paths: of BIP-32 such as `m/44'/60'/0'/0/7`, or of SLIP-10 on ed25519, where all levels are
 * hardened. No method ever returns a secret.
 */
export interface Signer {
  /** The compressed public key (33 bytes), or 32 bytes on ed25519. */
  publicKey(path: string, curve?: Curve): Promise<Uint8Array>;
  /**
   * Signs a 32-byte digest; the same digest gives the same signature (RFC 6979). On ed25519, signs a message of any
   * length (RFC 8032).
   */
  sign(path: string, message: Uint8Array, curve?: Curve): Promise<Signature>;
  /**
   * Signs a 32-byte digest by BIP-340, with the taproot output key of the key at a path, without scripts (BIP-341,
   * BIP-86); `recoveryId` is 0.
   */
  signTaproot(path: string, digest: Uint8Array): Promise<Signature>;
}

/** Creates the signer of a BIP-39 seed (64 bytes). Account keys are derived once; the seed itself is not kept. */
export function createSeedSigner(seed: Uint8Array): Signer {
  const { keyAt, publicKeyAt } = createKeyTree(seed);
  const ed25519 = createEd25519Keys(seed);

  function signAt(path: string, digest: Uint8Array): Signature {
    if (digest.length !== 32) throw new Error(`A digest has 32 bytes, not ${String(digest.length)}`);
    const { privateKey } = keyAt(path);
    if (!privateKey) throw new Error(`There is no key at ${path}`);
    const { signature, recoveryId } = signRecoverable(digest, privateKey);
    return { compact: signature, recoveryId };
  }

  /** d' = d + H_TapTweak(P), where d is the private key whose point has an even y. */
  function signTaprootAt(path: string, digest: Uint8Array): Signature {
    if (digest.length !== 32) throw new Error(`A digest has 32 bytes, not ${String(digest.length)}`);
    const { privateKey, publicKey } = keyAt(path);
    if (!privateKey || !publicKey) throw new Error(`There is no key at ${path}`);
    const even = publicKey[0] === 0x03 ? privateNegate(privateKey) : privateKey;
    const tweaked = privateAdd(even, taggedHash('TapTweak', publicKey.subarray(1)));
    if (!tweaked) throw new Error(`There is no taproot key at ${path}`);
    return { compact: signSchnorr(digest, tweaked, new Uint8Array(32)), recoveryId: 0 };
  }

  // Errors become rejections, as with signers that are asked over a network.
  return {
    publicKey: (path, curve = 'secp256k1') =>
      new Promise((resolve) => {
        resolve(curve === 'ed25519' ? ed25519.publicKey(path) : publicKeyAt(path));
      }),
    sign: (path, message, curve = 'secp256k1') =>
      new Promise((resolve) => {
        resolve(curve === 'ed25519' ? ed25519.sign(path, message) : signAt(path, message));
      }),
    signTaproot: (path, digest) =>
      new Promise((resolve) => {
        resolve(signTaprootAt(path, digest));
      }),
  };
}

/** The secp256k1 keys of a seed, by path. */
function createKeyTree(seed: Uint8Array) {
  const root = HDKey.fromMasterSeed(seed);
  const accounts = new Map<string, HDKey>();
  const chains = new Map<string, PublicNode>();

  /** Caches the hardened levels: they are few, and deriving them is slow. Keys below are derived each time. */
  function accountOf(hardened: readonly number[]): HDKey {
    const name = hardened.join('/');
    let node = accounts.get(name);
    if (!node) {
      node = hardened.reduce((parent, index) => parent.deriveChild(index), root);
      accounts.set(name, node);
    }
    return node;
  }

  function keyAt(path: string): HDKey {
    const { hardened, plain } = parsePath(path);
    return plain.reduce((parent, index) => parent.deriveChild(index), accountOf(hardened));
  }

  /** Caches all but the last level of a path that ends in a plain one. An account has two: deposits' and wallets'. */
  function chainOf(hardened: readonly number[], plain: readonly number[]): PublicNode {
    const name = [...hardened, ...plain].join('/');
    let node = chains.get(name);
    if (!node) {
      const { publicKey, chainCode } = accountOf(hardened);
      if (!publicKey || !chainCode) throw new Error('The account has no key');
      node = plain.reduce(deriveChild, publicNode(publicKey, chainCode));
      chains.set(name, node);
    }
    return node;
  }

  /** Derives without private keys where possible: a recovery asks for a million of these. */
  function publicKeyAt(path: string): Uint8Array {
    const { hardened, plain } = parsePath(path);
    const last = plain.at(-1);
    const { publicKey } =
      last === undefined ? accountOf(hardened) : deriveChild(chainOf(hardened, plain.slice(0, -1)), last);
    if (!publicKey) throw new Error(`There is no key at ${path}`);
    return Uint8Array.from(publicKey);
  }

  return { keyAt, publicKeyAt };
}

/** Parses `m`, then hardened levels (`'`), then plain ones, at least one in all. */
function parsePath(path: string): { readonly hardened: number[]; readonly plain: number[] } {
  if (!/^m(\/\d{1,10}')*(\/\d{1,10})*$/.test(path) || path === 'm')
    throw new Error(`This is not a key's path: ${path}`);
  const levels = path.split('/').slice(1);
  const indexOf = (level: string) => {
    const index = Number.parseInt(level, 10);
    if (index >= HARDENED_OFFSET) throw new Error(`This is not a key's path: ${path}`);
    return index;
  };
  const isHardened = (level: string) => level.endsWith("'");
  return {
    hardened: levels.filter(isHardened).map((level) => indexOf(level) + HARDENED_OFFSET),
    plain: levels.filter((level) => !isHardened(level)).map(indexOf),
  };
}
