// Keys and signatures against published vectors, and the public side against the private one.

import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { HDKey } from '@scure/bip32';
import { entropyToMnemonic, mnemonicToSeedSync } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { recover, verify } from 'tiny-secp256k1';
import { addressOfPublicKey, createAddressDerivation } from '../../../src/chain/evm/address.ts';
import { accountXpub, COIN_TYPES } from '../../../src/custody/keys/account-keys.ts';
import { createSeedSigner } from '../../../src/custody/keys/signer.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const JUNK = mnemonicToSeedSync('test test test test test test test test test test test junk');

describe('BIP-39, the vectors of its reference implementation (passphrase TREZOR)', () => {
  it.each([
    [
      '00000000000000000000000000000000',
      'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
      'c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c81b2f001698e7463b04',
    ],
    [
      '7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f',
      'legal winner thank year wave sausage worth useful legal winner thank yellow',
      '2e8905819b8723fe2c1d161860e5ee1830318dbf49a83bd451cfb8440c28bd6fa457fe1296106559a3c80937a1c1069be3a3a5bd381ee6260e8d9739fce1f607',
    ],
    [
      '0000000000000000000000000000000000000000000000000000000000000000',
      'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon art',
      'bda85446c68413707090a52022edd26a1c9462295029f2e60cd7c4f2bbd3097170af7a4d73245cafa9c3cca8d561a7c3de6f5d4a10be8ed2a5e608d68f92fcc8',
    ],
  ])('entropy %s', (entropy, mnemonic, seed) => {
    expect(entropyToMnemonic(Buffer.from(entropy, 'hex'), wordlist)).toBe(mnemonic);
    expect(hex(mnemonicToSeedSync(mnemonic, 'TREZOR'))).toBe(seed);
  });
});

describe('BIP-32, test vector 1', () => {
  const seed = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex');
  it.each([
    [
      "m/0'",
      'xpub68Gmy5EdvgibQVfPdqkBBCHxA5htiqg55crXYuXoQRKfDBFA1WEjWgP6LHhwBZeNK1VTsfTFUHCdrfp1bgwQ9xv5ski8PX9rL2dZXvgGDnw',
    ],
    [
      "m/0'/1",
      'xpub6ASuArnXKPbfEwhqN6e3mwBcDTgzisQN1wXN9BJcM47sSikHjJf3UFHKkNAWbWMiGj7Wf5uMash7SyYq527Hqck2AxYysAA7xmALppuCkwQ',
    ],
  ])('the signer has the public key of %s', async (path, xpub) => {
    const expected = HDKey.fromExtendedKey(xpub).publicKey;
    expect(hex(await createSeedSigner(seed).publicKey(path))).toBe(hex(expected ?? new Uint8Array()));
  });
});

describe('the account key', () => {
  it("is that of m/44'/60'/0', names itself by its own fingerprint, and is public", () => {
    const account = HDKey.fromMasterSeed(JUNK).derive("m/44'/60'/0'");
    const key = accountXpub(JUNK, COIN_TYPES.evm);
    expect(key).toEqual({
      xpub: account.publicExtendedKey,
      path: "m/44'/60'/0'",
      fingerprint: hex((account.identifier ?? new Uint8Array()).slice(0, 4)),
    });
    expect(key.xpub).toMatch(/^xpub/);
  });

  it('gives the watching side the very addresses whose keys the signer holds', async () => {
    const derive = createAddressDerivation();
    const signer = createSeedSigner(JUNK);
    const { xpub, path } = accountXpub(JUNK, COIN_TYPES.evm);
    for (const index of [0, 1, 7, 1_000_000, 2 ** 31 - 1]) {
      expect(derive(xpub, index)).toEqual(addressOfPublicKey(await signer.publicKey(`${path}/0/${String(index)}`)));
    }
  });
});

describe('the signer', () => {
  const signer = createSeedSigner(JUNK);
  const path = "m/44'/60'/0'/0/3";
  const digest = createHash('sha256').update('a transfer').digest();

  it('signs so that the signature verifies, leads back to the key, and is the same each time', async () => {
    const publicKey = await signer.publicKey(path);
    const { compact, recoveryId } = await signer.sign(path, digest);
    expect(verify(digest, publicKey, compact, true)).toBe(true);
    expect(hex(recover(digest, compact, recoveryId as 0 | 1, true) ?? new Uint8Array())).toBe(hex(publicKey));
    expect(hex((await signer.sign(path, digest)).compact)).toBe(hex(compact));
  });

  it('names by public derivation the very keys that it signs with, on every chain of every account', async () => {
    for (const account of ["m/44'/60'/0'", "m/44'/195'/0'", "m/84'/2'/0'", 'm', 'm/3/4'])
      for (const below of ['0/0', '1/0', '1/1', '0/70', '0/2147483647']) {
        const at = `${account}/${below}`;
        const { compact, recoveryId } = await signer.sign(at, digest);
        const signed = recover(digest, compact, recoveryId as 0 | 1, true) ?? new Uint8Array();
        expect([at, hex(await signer.publicKey(at))]).toEqual([at, hex(signed)]);
      }
  });

  it('does not depend on the seed it was given being kept', async () => {
    const seed = Uint8Array.from(JUNK);
    const other = createSeedSigner(seed);
    seed.fill(0);
    expect(hex(await other.publicKey(path))).toBe(hex(await signer.publicKey(path)));
  });

  it.each(['', 'm', 'm/', "44'/60'", "m/0/1'", 'm/-1', 'm/2147483648', 'm/0x1', 'm/1/'])(
    'refuses the path %j',
    async (wrong) => {
      await expect(signer.publicKey(wrong)).rejects.toThrow("not a key's path");
    },
  );

  it('refuses what is not a 32-byte digest', async () => {
    await expect(signer.sign(path, new Uint8Array(31))).rejects.toThrow('32 bytes');
  });
});
