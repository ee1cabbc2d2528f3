// The accounts that the Solana test chain starts with: a faucet, and two tokens of six decimals that it holds.

import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { lamports, type Address, type EncodedAccount } from '@solana/kit';
import {
  associatedTokenAccount,
  bytesOfAddress,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../../src/chain/solana/address.ts';
import { encodeBase58 } from '../../../src/chain/base58.ts';

/** A signing key; its address is its public key. */
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
/** More than any rent, so that nothing depends on its price. */
const KEPT = 10_000_000n;

const account = (address: string, program: string, held: bigint, data: EncodedAccount['data']): EncodedAccount => ({
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

/** A token account of an owner; at the associated address unless another is given. */
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

/**
 * The type of an account of the newer token program, and its extensions: a 16-bit number, a length, and the data of
 * each.
 */
function extended(
  plain: EncodedAccount['data'],
  kind: 1 | 2,
  extensions: readonly (readonly [type: number, data: Buffer])[],
): Buffer {
  const data = Buffer.alloc(166);
  data.set(plain);
  data.writeUInt8(kind, 165);
  const parts = extensions.map(([type, value]) => {
    const head = Buffer.alloc(4);
    head.writeUInt16LE(type, 0);
    head.writeUInt16LE(value.length, 2);
    return Buffer.concat([head, value]);
  });
  return Buffer.concat([data, ...parts]);
}

/** A mint of the newer token program; with `feeBasisPoints` it can take a fee of every transfer. */
export function newerMintAccount(
  mint: string,
  authority: string,
  feeBasisPoints: number | null = null,
): EncodedAccount {
  const fee = Buffer.alloc(108);
  bytesOfAddress(authority).copy(fee, 0);
  bytesOfAddress(authority).copy(fee, 32);
  for (const [epoch, most, points] of [
    [72, 80, 88],
    [90, 98, 106],
  ] as const) {
    fee.writeBigUInt64LE(0n, epoch);
    fee.writeBigUInt64LE(SUPPLY, most);
    fee.writeUInt16LE(feeBasisPoints ?? 0, points);
  }
  const { data } = mintAccount(mint, authority);
  return account(
    ...([mint, TOKEN_2022_PROGRAM, KEPT] as const),
    feeBasisPoints === null ? data : extended(data, 1, [[1, fee]]),
  );
}

/** A token account of it that holds the whole supply. */
export function newerTokenAccount(owner: string, mint: string): EncodedAccount {
  const at = associatedTokenAccount(owner, mint, TOKEN_2022_PROGRAM);
  const withheld = [2, Buffer.alloc(8)] as const;
  const immutableOwner = [7, Buffer.alloc(0)] as const;
  const data = extended(tokenAccount(owner, mint).data, 2, [immutableOwner, withheld]);
  return account(at, TOKEN_2022_PROGRAM, KEPT, data);
}

/** A lookup table of addresses, as old as the chain, by which transactions name them with an index. */
export function lookupTable(table: string, addresses: readonly string[]): EncodedAccount {
  const head = Buffer.alloc(56);
  head.writeUInt32LE(1, 0);
  head.writeBigUInt64LE(2n ** 64n - 1n, 4);
  const data = Buffer.concat([head, ...addresses.map(bytesOfAddress)]);
  return account(table, 'AddressLookupTab1e1111111111111111111111111', KEPT, data);
}
