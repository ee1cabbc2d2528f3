// What the test chain starts with: a faucet, and two tokens of six decimals that it holds.

import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { lamports, type Address, type EncodedAccount } from '@solana/kit';
import { associatedTokenAccount, bytesOfAddress, TOKEN_PROGRAM } from '../../src/chain/solana/address.ts';
import { encodeBase58 } from '../../src/chain/solana/base58.ts';

/** A key that signs; its address is its public key. */
export interface TestKey {
  readonly address: string;
  sign(message: Uint8Array): Uint8Array;
}

export function newKey(): TestKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return { address: addressOf(publicKey), sign: (message) => sign(null, message, privateKey) };
}

function addressOf(publicKey: KeyObject): string {
  return encodeBase58(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
}

const SUPPLY = 10n ** 15n;
/** More than rent, so that nothing depends on its price. */
const KEPT = 10_000_000n;

const account = (address: string, program: string, held: bigint, data: Uint8Array): EncodedAccount => ({
  address: address as Address,
  programAddress: program as Address,
  lamports: lamports(held),
  data,
  executable: false,
  space: BigInt(data.length),
});

export function walletAccount(address: string, held: bigint): EncodedAccount {
  return account(address, '11111111111111111111111111111111', held, new Uint8Array());
}

/** A mint, whose authority may also freeze accounts. */
export function mintAccount(mint: string, authority: string, decimals = 6): EncodedAccount {
  const data = Buffer.alloc(82);
  data.writeUInt32LE(1, 0);
  bytesOfAddress(authority).copy(data, 4);
  data.writeBigUInt64LE(SUPPLY, 36);
  data.writeUInt8(decimals, 44);
  data.writeUInt8(1, 45);
  data.writeUInt32LE(1, 46);
  bytesOfAddress(authority).copy(data, 50);
  return account(mint, TOKEN_PROGRAM, KEPT, data);
}

/** A token account of an owner; at another address than the associated one where that is given. */
export function tokenAccount(
  owner: string,
  mint: string,
  units = SUPPLY,
  { at = associatedTokenAccount(owner, mint, TOKEN_PROGRAM), frozen = false } = {},
): EncodedAccount {
  const data = Buffer.alloc(165);
  bytesOfAddress(mint).copy(data, 0);
  bytesOfAddress(owner).copy(data, 32);
  data.writeBigUInt64LE(units, 64);
  data.writeUInt8(frozen ? 2 : 1, 108);
  return account(at, TOKEN_PROGRAM, KEPT, data);
}
