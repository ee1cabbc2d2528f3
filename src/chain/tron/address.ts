// TRON addresses: derives them from an extended public key, computes them from a public key, and parses them from text.

import { pointCompress } from 'tiny-secp256k1';
import { keccak256 } from 'viem/utils';
import type { ParsedAddress } from '../adapter.ts';
import { decodeBase58Check, encodeBase58Check } from '../base58.ts';
import { createExternalChains, deriveUncompressedKey } from '../extended-key.ts';

/** The first byte of every address on the main network and the public test networks. */
export const ADDRESS_PREFIX = 0x41;
/** The prefix and 20 zero bytes, an address without an owner. */
const ZERO_ADDRESS = 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb';
/** The prefix and the 20 bytes that the virtual machine uses. */
const ADDRESS_BYTES = 21;

/** Derives receiving addresses (BIP-44 external chain, `0/index`, coin type 195). */
export const createAddressDerivation = (): ((xpub: string, index: number) => ParsedAddress) =>
  createExternalChains((chain, index) => fromUncompressedKey(deriveUncompressedKey(chain, index)));

/** Accepts compressed and uncompressed keys (33 or 65 bytes). */
export function addressOfPublicKey(publicKey: Uint8Array): ParsedAddress {
  return fromUncompressedKey(publicKey.length === 65 ? publicKey : pointCompress(publicKey, false));
}

/**
 * Accepts `T` and 33 characters: the Base58Check of 0x41 and 20 bytes. There is only one spelling, so it is its own
 * canonical form. Null for anything else, including the hex forms (`41…`, `0x…`) that nodes use, which have no checksum
 * to catch a typing error, and the zero address, which has no owner.
 */
export function parseTronAddress(text: string): ParsedAddress | null {
  if (!/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(text) || text === ZERO_ADDRESS) return null;
  const payload = decodeBase58Check(text);
  return payload?.length === ADDRESS_BYTES && payload[0] === ADDRESS_PREFIX ? { address: text, key: text } : null;
}

/** The 21 bytes of a valid address, as transactions contain them; throws for any other text. */
export function bytesOfAddress(key: string): Buffer {
  const payload = parseTronAddress(key) && decodeBase58Check(key);
  if (!payload) throw new Error(`No TRON address: ${key}`);
  return payload;
}

/** The 21 bytes in hex, as nodes expect them. */
export function hexOfAddress(key: string): string {
  return bytesOfAddress(key).toString('hex');
}

/** The address key of 21 bytes; null if they are not an address, because transactions may contain anything. */
export function keyOfBytes(bytes: Uint8Array): string | null {
  return bytes.length === ADDRESS_BYTES && bytes[0] === ADDRESS_PREFIX ? encodeBase58Check(bytes) : null;
}

/** The address prefix and, as on Ethereum, the last 20 bytes of the keccak-256 of the point without its 0x04 byte. */
function fromUncompressedKey(publicKey: Uint8Array): ParsedAddress {
  const digest = keccak256(publicKey.subarray(1), 'bytes');
  const key = encodeBase58Check(Buffer.concat([Buffer.of(ADDRESS_PREFIX), digest.subarray(-20)]));
  return { address: key, key };
}
