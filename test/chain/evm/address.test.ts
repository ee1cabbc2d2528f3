// EVM addresses, their derivation and payment URIs: pure functions, against published vectors and a second
// implementation.

import { describe, expect, it } from '@jest/globals';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import { addressOfPublicKey, createAddressDerivation, parseEvmAddress } from '../../../src/chain/evm/address.ts';
import { eip681Uri } from '../../../src/chain/evm/uri.ts';

const root = HDKey.fromMasterSeed(mnemonicToSeedSync('test test test test test test test test test test test junk'));
const account = root.derive("m/44'/60'/0'");

describe('derivation', () => {
  it("gives the well-known accounts of 'test … junk'", () => {
    const derive = createAddressDerivation();
    expect([0, 1, 2].map((index) => derive(account.publicExtendedKey, index).address)).toEqual([
      '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
      '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
      '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    ]);
  });

  it('agrees with another implementation of BIP-32 on many keys', () => {
    const derive = createAddressDerivation();
    for (let seed = 1; seed <= 5; seed += 1) {
      const other = HDKey.fromMasterSeed(new Uint8Array(32).fill(seed)).derive(`m/44'/60'/${String(seed)}'`);
      for (const index of [0, seed, 255, 65_536, 2 ** 31 - 1]) {
        const { publicKey } = other.derive(`m/0/${String(index)}`);
        expect(derive(other.publicExtendedKey, index)).toEqual(addressOfPublicKey(publicKey ?? new Uint8Array()));
      }
    }
  });

  it('costs no more than the derivation of the key, of which it knows the account', () => {
    const derive = createAddressDerivation();
    const branch = HDKey.fromExtendedKey(account.publicExtendedKey).deriveChild(0);
    const ways = [
      (index: number) => void derive(account.publicExtendedKey, index),
      (index: number) => void addressOfPublicKey(branch.deriveChild(index).publicKey ?? new Uint8Array()),
    ];
    // The two are measured in turn, so that other load of the machine affects both.
    const times = ways.map(() => [] as number[]);
    for (let index = 0; index < 400; index += 1)
      for (const [way, work] of ways.entries()) {
        const start = performance.now();
        work(index);
        times[way]?.push(performance.now() - start);
      }
    const [ours = NaN, reference = NaN] = times.map((all) => all.sort((a, b) => a - b)[200]);
    expect(ours / reference).toBeLessThan(1.5);
  });

  it.each([-1, 0.5, 2 ** 31, Number.NaN])('refuses the index %p', (index) => {
    expect(() => createAddressDerivation()(account.publicExtendedKey, index)).toThrow(RangeError);
  });

  const xpub = account.publicExtendedKey;
  it.each([
    ['a changed character', `${xpub.slice(0, 30)}${xpub[30] === 'A' ? 'B' : 'A'}${xpub.slice(31)}`, 'checksum'],
    ['a cut end', xpub.slice(0, -1), 'checksum'],
    ['no text', '', 'checksum'],
    ['a character outside the alphabet', `${xpub.slice(0, -1)}0`, 'checksum'],
    ['the master key', root.publicExtendedKey, "not an account's"],
    ['a private key', account.privateExtendedKey, 'not an extended public key'],
  ])('refuses an extended key with %s, without repeating it', (_what, text, message) => {
    const derive = (): unknown => createAddressDerivation()(text, 0);
    expect(derive).toThrow(message);
    if (text !== '') expect(derive).not.toThrow(text);
  });
});

describe('addresses as people write them', () => {
  // The vectors of EIP-55.
  it.each([
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x27b1fdb04752bbc536007a920d24acb045561c26',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ])('%s is read in its own form and in one case', (address) => {
    const expected = { address, key: address.toLowerCase() };
    expect(parseEvmAddress(address)).toEqual(expected);
    expect(parseEvmAddress(address.toLowerCase())).toEqual(expected);
    expect(parseEvmAddress(`0x${address.slice(2).toUpperCase()}`)).toEqual(expected);
  });

  it.each([
    ['a wrong checksum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'],
    ['no prefix', '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['an upper-case prefix', '0X5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED'],
    ['a digit less', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beae'],
    ['a digit more', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed0'],
    ['a line end', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed\n'],
    ['a strange digit', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaeg'],
    ['ICAP', 'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS'],
    ['a name', 'vitalik.eth'],
    ['nothing', ''],
  ])('%s is refused', (_what, text) => {
    expect(parseEvmAddress(text)).toBeNull();
  });
});

describe('payment URIs (EIP-681)', () => {
  const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  it('carry the amount in wei for the coin', () => {
    const uri = eip681Uri({ chainId: 1, contract: null, address, amount: 1_500_000_000_000_000_000n });
    expect(uri).toBe(`ethereum:${address}@1?value=1500000000000000000`);
  });

  it("call the contract's transfer for a token", () => {
    const contract = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
    const uri = eip681Uri({ chainId: 31_337, contract, address, amount: 25_000_000n });
    expect(uri).toBe(`ethereum:${contract}@31337/transfer?address=${address}&uint256=25000000`);
  });
});
