// TRON addresses: derived below an account's extended public key, computed from a public key, and read as people write
// them.

import { pointCompress } from 'tiny-secp256k1';
import { keccak256 } from 'viem/utils';
import type { ParsedAddress } from '../adapter.ts';
import { decodeBase58Check, encodeBase58Check } from '../base58.ts';
import { createExternalChains, deriveUncompressedKey } from '../extended-key.ts';

/** The first byte of every address on the main network and the public test networks. */
export const ADDRESS_PREFIX = 0x41;
/** The prefix and nothing but zeros. */
const NOBODY = 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb';
/** The prefix and the 20 bytes that the virtual machine knows. */
const ADDRESS_BYTES = 21;

/** Creates the derivation of receiving addresses (BIP-44 external chain, `0/index`, coin type 195). */
export const createAddressDerivation = (): ((xpub: string, index: number) => ParsedAddress) =>
  createExternalChains((chain, index) => fromUncompressedKey(deriveUncompressedKey(chain, index)));

/** The address that belongs to a public key of either form (33 or 65 bytes). */
export function addressOfPublicKey(publicKey: Uint8Array): ParsedAddress {
  return fromUncompressedKey(publicKey.length === 65 ? publicKey : pointCompress(publicKey, false));
}

/**
 * Reads an address: Base58Check of 0x41 and 20 bytes, `T` and 33 characters. It is its own canonical form, as there is
 * one spelling. The hex forms (`41…`, `0x…`) are refused though nodes use them: they have no checksum, so that a slip
 * of the pen would pay a stranger. Nor is the address of twenty zeros one, which nobody holds. Null when it is no
 * address.
 */
export function parseTronAddress(text: string): ParsedAddress | null {
  if (!/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text) || text === NOBODY) return null;
  const payload = decodeBase58Check(text);
  return payload?.length === ADDRESS_BYTES && payload[0] === ADDRESS_PREFIX ? { address: text, key: text } : null;
}

/** The 21 bytes of an address that was read before, as transactions carry them. */
export function bytesOfAddress(key: string): Buffer {
  const payload = parseTronAddress(key) && decodeBase58Check(key);
  if (!payload) throw new Error(`No TRON address: ${key}`);
  return payload;
}

/** The 21 bytes as hex, as nodes take them. */
export function hexOfAddress(key: string): string {
  return bytesOfAddress(key).toString('hex');
}

/** The key of 21 bytes, null when they are no address: transactions on the chain may hold anything. */
export function keyOfBytes(bytes: Uint8Array): string | null {
  return bytes.length === ADDRESS_BYTES && bytes[0] === ADDRESS_PREFIX ? encodeBase58Check(bytes) : null;
}

/** The last 20 bytes of the keccak-256 of the point without its 0x04 prefix, as on Ethereum, behind the prefix. */
function fromUncompressedKey(publicKey: Uint8Array): ParsedAddress {
  const digest = keccak256(publicKey.subarray(1), 'bytes');
  const key = encodeBase58Check(Buffer.concat([Buffer.of(ADDRESS_PREFIX), digest.subarray(-20)]));
  return { address: key, key };
}
