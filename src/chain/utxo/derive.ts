// Derives UTXO addresses from an account's extended public key: BIP-84 (P2WPKH) and BIP-86 (P2TR, key path only).

import { createHash } from 'node:crypto';
import { xOnlyPointAddTweak } from 'tiny-secp256k1';
import type { ParsedAddress } from '../adapter.ts';
import { createExternalChains, deriveChild } from '../extended-key.ts';
import { addressOfScript, keyHashScript, taprootScript } from './address.ts';
import type { Network } from '../../values/assets.ts';
import { accountNumber } from '../../values/cells/own-cell.ts';
import { paramsOf, type ChainName, type ChainParams } from './params.ts';

/** The type of our own addresses, which decides the purpose level of their derivation paths. */
export type AddressType = 'P2WPKH' | 'P2TR';
const PURPOSES: Readonly<Record<AddressType, number>> = { P2WPKH: 84, P2TR: 86 };

/**
 * The derivation path of the account, e.g. `m/84'/2'/0'`; all test chains share one coin type (SLIP-44). Each cell has
 * an account of its own.
 */
export function accountPathOf(network: Network, chain: ChainName, type: AddressType): string {
  const { coinType } = paramsOf(network, chain).chain;
  return `m/${String(PURPOSES[type])}'/${String(coinType)}'/${String(accountNumber())}'`;
}

/** Derives receiving addresses (external chain, `0/index`). */
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

/** A key whose version declares P2WPKH children (SLIP-132) is rejected for taproot. */
function versionsFor({ xpubVersions }: ChainParams, type: AddressType): readonly number[] {
  return type === 'P2WPKH' ? xpubVersions : xpubVersions.filter((version) => PLAIN_VERSIONS.has(version));
}

/** `xpub` and `tpub` (BIP-32), as used by BIP-86. */
const PLAIN_VERSIONS: ReadonlySet<number> = new Set([0x0488_b21e, 0x0435_87cf]);

/** The output key of an internal key without scripts: Q = P + H_TapTweak(P)·G (BIP-86, BIP-341). */
function outputKeyOf(internalKey: Uint8Array): Uint8Array {
  const tweaked = xOnlyPointAddTweak(internalKey, taggedHash('TapTweak', internalKey));
  if (!tweaked) throw new Error('This child index has no taproot key; use the next one');
  return tweaked.xOnlyPubkey;
}

/** A tagged hash (BIP-340). */
export function taggedHash(tag: string, message: Uint8Array): Buffer {
  const hash = createHash('sha256').update(tag).digest();
  return createHash('sha256').update(hash).update(hash).update(message).digest();
}
