// Receiving addresses below an account's extended public key: BIP-84 (P2WPKH) and BIP-86 (P2TR, key path only).

import { createHash } from 'node:crypto';
import { xOnlyPointAddTweak } from 'tiny-secp256k1';
import type { ParsedAddress } from '../adapter.ts';
import { createExternalChains, deriveChild } from '../extended-key.ts';
import { addressOfScript, keyHashScript, taprootScript } from './address.ts';
import type { Network } from '../../values/assets.ts';
import { paramsOf, type ChainName, type ChainParams } from './params.ts';

/** How our own addresses are guarded. The purpose level of their paths follows from it. */
export type AddressType = 'P2WPKH' | 'P2TR';
const PURPOSES: Readonly<Record<AddressType, number>> = { P2WPKH: 84, P2TR: 86 };

/** The path of account 0, e.g. `m/84'/2'/0'`; all test chains share one coin type (SLIP-44). */
export function accountPathOf(network: Network, chain: ChainName, type: AddressType): string {
  return `m/${String(PURPOSES[type])}'/${String(paramsOf(network, chain).chain.coinType)}'/0'`;
}

/**
 * Creates the derivation of receiving addresses (external chain, `0/index`). An address costs one child derivation and two
 * hashes, or a taproot tweak.
 */
export const createUtxoDerivation = (
  chain: ChainParams,
  type: AddressType,
): ((xpub: string, index: number) => ParsedAddress) =>
  createExternalChains(
    (external, index) => addressOfKey(chain, type, deriveChild(external, index).publicKey),
    versionsFor(chain, type),
  );

/** The address of a compressed public key (33 bytes). */
export function addressOfKey(chain: ChainParams, type: AddressType, publicKey: Uint8Array): ParsedAddress {
  const script = type === 'P2WPKH' ? keyHashScript(publicKey) : taprootScript(outputKeyOf(publicKey.subarray(1)));
  const address = addressOfScript(chain, script.toString('hex'));
  if (!address) throw new Error('A script of our own has no address');
  return address;
}

/** A key that says by its version that its children are P2WPKH addresses (SLIP-132) is refused for another type. */
function versionsFor({ xpubVersions }: ChainParams, type: AddressType): readonly number[] {
  return type === 'P2WPKH' ? xpubVersions : xpubVersions.filter((version) => PLAIN_VERSIONS.has(version));
}

/** `xpub` and `tpub` (BIP-32), which BIP-86 uses. */
const PLAIN_VERSIONS: ReadonlySet<number> = new Set([0x0488_b21e, 0x0435_87cf]);

/** The output key of an internal key without scripts: Q = P + H_TapTweak(P)·G (BIP-86, BIP-341). */
function outputKeyOf(internalKey: Uint8Array): Uint8Array {
  const tweaked = xOnlyPointAddTweak(internalKey, taggedHash('TapTweak', internalKey));
  if (!tweaked) throw new Error('This child index has no taproot key; use the next one');
  return tweaked.xOnlyPubkey;
}

/** BIP-340. */
export function taggedHash(tag: string, message: Uint8Array): Buffer {
  const hash = createHash('sha256').update(tag).digest();
  return createHash('sha256').update(hash).update(hash).update(message).digest();
}
