// TRON addresses and their derivation: against published vectors and a second implementation.

import { describe, expect, it } from '@jest/globals';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { TronWeb } from 'tronweb';
import {
  addressOfPublicKey,
  createAddressDerivation,
  hexOfAddress,
  keyOfBytes,
  parseTronAddress,
} from '../../../src/chain/tron/address.ts';
import { decodeBase58Check, encodeBase58Check } from '../../../src/chain/base58.ts';

const ABANDON = `${'abandon '.repeat(11)}about`;
const root = HDKey.fromMasterSeed(mnemonicToSeedSync(ABANDON));
const account = root.derive("m/44'/195'/0'");

describe('derivation', () => {
  // BIP-39's first phrase at m/44'/195'/0'/0/i (SLIP-44: 195), as hardware and software wallets show it; the first one
  // is the test case of the Ledger application for TRON.
  it("gives the well-known accounts of 'abandon … about'", () => {
    const derive = createAddressDerivation();
    expect([0, 1, 2].map((index) => derive(account.publicExtendedKey, index).address)).toEqual([
      'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH',
      'TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK',
      'TYJPRrdB5APNeRs4R7fYZSwW3TcrTKw2gx',
    ]);
  });

  it("agrees with TRON's own library, from the phrase as from the private key", () => {
    const derive = createAddressDerivation();
    for (const index of [0, 1, 77]) {
      const path = `m/44'/195'/0'/0/${String(index)}`;
      const expected = TronWeb.fromMnemonic(ABANDON, path).address;
      const { publicKey, privateKey } = root.derive(path);
      expect(derive(account.publicExtendedKey, index)).toEqual({ address: expected, key: expected });
      expect(addressOfPublicKey(publicKey ?? new Uint8Array()).key).toBe(expected);
      expect(TronWeb.address.fromPrivateKey(Buffer.from(privateKey ?? []).toString('hex'))).toBe(expected);
    }
  });

  it.each([-1, 0.5, 2 ** 31, Number.NaN])('refuses the index %p', (index) => {
    expect(() => createAddressDerivation()(account.publicExtendedKey, index)).toThrow(RangeError);
  });

  it('refuses a key that is no account, or private, without repeating it', () => {
    for (const text of [root.publicExtendedKey, account.privateExtendedKey]) {
      const derive = (): unknown => createAddressDerivation()(text, 0);
      expect(derive).toThrow();
      expect(derive).not.toThrow(text);
    }
  });
});

describe('addresses as people write them', () => {
  // The hex form and the Base58Check form of one address, from TRON's documentation and its issuers' contracts.
  it.each([
    ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', '41a614f803b6fd780986a42c78ec9c7f77e6ded13c'],
    ['TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8', '413487b63d30b5b2c87fb7ffa8bcfade38eaac1abe'],
    ['TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH', TronWeb.address.toHex('TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH')],
  ])('%s is read as it is, and is %s', (address, hex) => {
    expect(TronWeb.isAddress(address)).toBe(true);
    expect(parseTronAddress(address)).toEqual({ address, key: address });
    expect(hexOfAddress(address)).toBe(hex);
    expect(keyOfBytes(Buffer.from(hex, 'hex'))).toBe(address);
  });

  const good = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
  const payload = decodeBase58Check(good) ?? Buffer.alloc(0);
  it.each([
    ['a changed character', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u'],
    ['two changed places', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjL6jt'],
    ['another case', good.toLowerCase()],
    ['a character less', good.slice(0, -1)],
    ['a character more', `${good}1`],
    ['a line end', `${good}\n`],
    ['a space before it', ` ${good}`],
    ['a character outside the alphabet', good.replace('R', '0')],
    ['the hex form that nodes use', '41a614f803b6fd780986a42c78ec9c7f77e6ded13c'],
    ['the hex form of contracts', '0xa614f803b6fd780986a42c78ec9c7f77e6ded13c'],
    ['20 bytes without the prefix', encodeBase58Check(payload.subarray(1))],
    ['a byte more, with a right checksum', encodeBase58Check(Buffer.concat([payload, Buffer.of(0)]))],
    [
      'the prefix of the first test network (0xa0)',
      encodeBase58Check(Buffer.concat([Buffer.of(0xa0), payload.subarray(1)])),
    ],
    ['an address of Bitcoin', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
    ['an address of Litecoin', 'LUWPbpM43E2p7ZSh8cyTBEkvpHmr3cB8Ez'],
    ['the address of nobody, all zeros', encodeBase58Check(Buffer.concat([Buffer.of(0x41), Buffer.alloc(20)]))],
    ['a name', 'tether.trx'],
    ['nothing', ''],
  ])('%s is refused', (_what, text) => {
    expect(parseTronAddress(text)).toBeNull();
  });

  it('every single wrong character is found by the checksum', () => {
    for (let place = 1; place < good.length; place += 1) {
      for (const character of '123ABCxyz') {
        const text = good.slice(0, place) + character + good.slice(place + 1);
        if (text !== good) expect(parseTronAddress(text)).toBeNull();
      }
    }
  });
});

describe('Base58Check', () => {
  it('writes what it reads, leading zeros included', () => {
    for (const hex of ['00', '0000000000000000', '41a614', 'ff'.repeat(40), '00ff00']) {
      const text = encodeBase58Check(Buffer.from(hex, 'hex'));
      expect(decodeBase58Check(text)?.toString('hex')).toBe(hex);
    }
  });
});
