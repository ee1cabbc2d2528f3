// EVM addresses: derives them from an extended public key, computes them from a public key, and parses them from text.

import { pointCompress } from 'tiny-secp256k1';
import type { Hex } from 'viem';
import { getAddress, keccak256 } from 'viem/utils';
import type { ParsedAddress } from '../adapter.ts';
import { createExternalChains, deriveUncompressedKey } from '../extended-key.ts';

/** Derives receiving addresses (BIP-44 external chain, `0/index`, coin type 60). */
export const createAddressDerivation = (): ((xpub: string, index: number) => ParsedAddress) =>
  createExternalChains((chain, index) => fromUncompressedKey(deriveUncompressedKey(chain, index)));

/** Accepts compressed and uncompressed keys (33 or 65 bytes). */
export function addressOfPublicKey(publicKey: Uint8Array): ParsedAddress {
  return fromUncompressedKey(publicKey.length === 65 ? publicKey : pointCompress(publicKey, false));
}

/**
 * Accepts `0x` and 40 hex digits, either in one case or with a correct EIP-55 checksum. Null for anything else,
 * including ICAP and names.
 */
export function parseEvmAddress(text: string): ParsedAddress | null {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return null;
  const key = text.toLowerCase() as Hex;
  const address = getAddress(key);
  const digits = text.slice(2);
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return isOneCase || text === address ? { address, key } : null;
}

/** The last 20 bytes of the keccak-256 of the point without its 0x04 prefix. */
function fromUncompressedKey(publicKey: Uint8Array): ParsedAddress {
  const key: Hex = `0x${keccak256(publicKey.subarray(1)).slice(-40)}`;
  return { address: getAddress(key), key };
}
