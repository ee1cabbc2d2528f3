// Ed25519 keys against the vectors of SLIP-10 and RFC 8032, and a seed's addresses as common wallets derive them.

import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { mnemonicToSeedSync } from '@scure/bip39';
import { addressOfPublicKey } from '../../../src/chain/solana/address.ts';
import { pooledPaths } from '../../../src/custody/keys/account-keys.ts';
import { createSeedSigner } from '../../../src/custody/keys/signer.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const keyOf = (bytes: Uint8Array) =>
  createPublicKey({
    key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), bytes]),
    ...{ format: 'der', type: 'spki' },
  });

describe('SLIP-10, test vector 1 for ed25519', () => {
  const signer = createSeedSigner(Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex'));
  it.each([
    ["m/0'", '8c8a13df77a28f3445213a0f432fde644acaa215fc72dcdf300d5efaa85d350c'],
    ["m/0'/1'", '1932a5270f335bed617d5b935c80aedb1a35bd9fc1e31acafd5372c30f5c1187'],
    ["m/0'/1'/2'", 'ae98736566d30ed0e9d2f4486a64bc95740d89c7db33f52121f8ea8f76ff0fc1'],
    ["m/0'/1'/2'/2'", '8abae2d66361c879b900d204ad2cc4984fa2aa344dd7ddc46007329ac76c429c'],
    ["m/0'/1'/2'/2'/1000000000'", '3c24da049451555d51a7014a37337aa4e12d41e485abccfa46b47dfb2af54b7a'],
  ])('the signer has the public key of %s', async (path, publicKey) => {
    expect(hex(await signer.publicKey(path, 'ed25519'))).toBe(publicKey);
  });

  it('signs a message of any length, the same way each time', async () => {
    const path = "m/0'/1'";
    const key = keyOf(await signer.publicKey(path, 'ed25519'));
    for (const length of [0, 1, 32, 1_000]) {
      const message = Buffer.alloc(length, length);
      const signature = await signer.sign(path, message, 'ed25519');
      expect(signature).toEqual(await signer.sign(path, message, 'ed25519'));
      expect(signature.recoveryId).toBe(0);
      expect(verify(null, message, key, signature.compact)).toBe(true);
      expect(verify(null, Buffer.concat([message, Buffer.of(0)]), key, signature.compact)).toBe(false);
    }
  });

  it.each(["m/44'/501'/0", 'm', "m/2147483648'", "m/44'//0'", "44'/501'"])('refuses the path %s', async (path) => {
    await expect(signer.publicKey(path, 'ed25519')).rejects.toThrow('not the path of an ed25519 key');
    await expect(signer.sign(path, new Uint8Array(3), 'ed25519')).rejects.toThrow('not the path of an ed25519 key');
  });
});

describe("the account of Solana's addresses", () => {
  const seed = mnemonicToSeedSync('test test test test test test test test test test test junk');

  it('has deposit addresses and wallets apart, each at a hardened path', async () => {
    const paths = pooledPaths('sol');
    expect([paths.deposit(0), paths.deposit(7), paths.wallet(0), paths.wallet(1)]).toEqual([
      ...["m/44'/501'/0'/0'", "m/44'/501'/7'/0'", "m/44'/501'/0'/1'", "m/44'/501'/1'/1'"],
    ]);
    const signer = createSeedSigner(seed);
    const all = [...Array.from({ length: 5 }, (_, n) => paths.deposit(n)), paths.wallet(0), paths.wallet(1)];
    const keys = await Promise.all(all.map((path) => signer.publicKey(path, 'ed25519')));
    expect(new Set(keys.map((key) => addressOfPublicKey(key).key)).size).toBe(all.length);
  });
});
