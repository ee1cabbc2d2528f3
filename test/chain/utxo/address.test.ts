// Addresses of Bitcoin and its relatives, their derivation and payment URIs: pure functions, against the vectors of
// their specifications.

import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createBase58check } from '@scure/base';
import { mnemonicToSeedSync } from '@scure/bip39';
import { deriveChild, parseAccountXpub } from '../../../src/chain/extended-key.ts';
import { parseUtxoAddress } from '../../../src/chain/utxo/address.ts';
import { createUtxoDerivation, type AddressType } from '../../../src/chain/utxo/derive.ts';
import { paramsOf, type ChainName } from '../../../src/chain/utxo/params.ts';
import { bip21Uri } from '../../../src/chain/utxo/uri.ts';
import { accountKey } from '../../../src/custody/keys/account-keys.ts';
import type { Network } from '../../../src/values/assets.ts';

const base58check = createBase58check(
  (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest()),
);
const chainOf = (network: Network, chain: ChainName) => paramsOf(network, chain).chain;
const BITCOIN = (['main', 'test', 'regtest'] as const).map((name) => chainOf('BTC', name));
const keyOf = (text: string) => BITCOIN.map((chain) => parseUtxoAddress(chain, text)?.key).find(Boolean) ?? null;

describe('segregated-witness addresses, the vectors of BIP-173 and BIP-350', () => {
  it.each([
    ['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
    [
      'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7',
      '00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262',
    ],
    [
      'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
      '5128751e76e8199196d454941c45d1b3a323f1433bd6751e76e8199196d454941c45d1b3a323f1433bd6',
    ],
    ['BC1SW50QGDZ25J', '6002751e'],
    ['bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs', '5210751e76e8199196d454941c45d1b3a323'],
    [
      'tb1qqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesrxh6hy',
      '0020000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433',
    ],
    [
      'tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c',
      '5120000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433',
    ],
    [
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    ],
  ])('%s pays to its script', (address, script) => {
    expect(keyOf(address)).toBe(script);
  });

  it.each([
    ['another human-readable part', 'tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut'],
    ['Bech32 in place of Bech32m', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd'],
    ['Bech32 in place of Bech32m', 'tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf'],
    ['Bech32 in place of Bech32m', 'BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL'],
    ['Bech32m in place of Bech32', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh'],
    ['Bech32m in place of Bech32', 'tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47'],
    ['a character that the checksum cannot have', 'bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4'],
    ['a version above 16', 'BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R'],
    ['a program of one byte', 'bc1pw5dgrnzv'],
    ['a program of 41 bytes', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav'],
    ['a program of version 0 with 16 bytes', 'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P'],
    ['both cases', 'tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq'],
    ['more than 4 bits of padding', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf'],
    ['padding that is not zero', 'tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j'],
    ['nothing in it', 'bc1gmk9yu'],
  ])('with %s is invalid: %s', (_, address) => {
    expect(keyOf(address)).toBeNull();
  });
});

describe('Base58Check addresses', () => {
  it('pay to the hash of a key or of a script', () => {
    // The address of block 0's key, and the examples of the Bitcoin wiki's list of address prefixes.
    expect(keyOf('1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa')).toBe('76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac');
    expect(keyOf('3EktnHQD7RiAE6uzMj2ZifT9YgRrkSgzQX')).toMatch(/^a914[0-9a-f]{40}87$/);
    expect(keyOf('mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn')).toMatch(/^76a914[0-9a-f]{40}88ac$/);
    expect(keyOf('2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc')).toMatch(/^a914[0-9a-f]{40}87$/);
  });

  // From Bitcoin Core's src/test/data/key_io_invalid.json.
  it.each([
    ...['', 'x', 'giymtio7u7oqWtmC9YnvAEKkLF3JQpAdkEFkVJKYrVDfaLbhaDpX1ihfF2vZmya1i61fwLPC3YQ'],
    '1GAdfviErV2Ew95FPtZyikz2qGP3gyCB6Hyu94sedAkPpA523m3fQwps9YKUZkKgQckGPKhRsFR',
    '37G2kMDLpmWVhimxRdzwNfE8JFvWXnJYnVcXeeGrek2qumdJuK7XArcVVpRtLLjRra3t64BEPF2',
    ...['8iVk9nLM3nYwRuwypjy9NK5rsuZH7BbrQRZ1pgcQmvMnjAgRXD', '2UVPFpGYnLHJezFzjUo42our6PMEoozzRdM'],
    ...['2MygHQjE1U33q3LSC53p69YqFjP8PihumJAF', 'KzNbAQ4mexfAxa6RKBzHQqfoTycaeWpv2p'],
    ...['AZEah8d1EK362okRBS66e8SvdtYkrE8tsX', '2NDNP7GY59tTJPZTpbkprhM9SR99Nn5rUs7'],
    ...['tc1qeul5g2xfkvdkrhcfmdursv73ad64jnkjl9c40f', 'bc1qpu6d26mrulzetu4jqhd7rsunv9aqru26f5c4j8'],
    ...['bcrt1r2qxpwuge', 'tb1qum6uh0pt4q253qaf520929737v63w5gf', 'tb1ly0q7p', 'tb1dclvmr'],
  ])('“%s” is invalid', (text) => {
    expect(keyOf(text)).toBeNull();
  });

  it('an address of another network or chain is invalid', () => {
    const main = chainOf('BTC', 'main');
    const litecoin = chainOf('LTC', 'main');
    const key = parseUtxoAddress(main, '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa');
    const foreign = base58check.encode(
      Buffer.concat([Buffer.from([0x30]), Buffer.from('62e907b15cbf27d5425399ebf6f0fb50ebb88f18', 'hex')]),
    );
    expect(foreign).toMatch(/^L/);
    expect(parseUtxoAddress(litecoin, foreign)?.key).toBe(key?.key);
    for (const other of [
      foreign,
      'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn',
      'tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7',
    ])
      expect(parseUtxoAddress(main, other)).toBeNull();
  });

  it('a script of Litecoin has one key and one way to be written, however it was read', () => {
    const litecoin = chainOf('LTC', 'main');
    const old = parseUtxoAddress(litecoin, '3EktnHQD7RiAE6uzMj2ZifT9YgRrkSgzQX');
    expect(old?.address).toMatch(/^M/);
    expect(parseUtxoAddress(litecoin, old?.address ?? '')).toEqual(old);
  });
});

const WORDS = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';

describe('derivation from the extended public key of an account', () => {
  const derive = (network: Network, chain: ChainName, type: AddressType) =>
    createUtxoDerivation(chainOf(network, chain), type);

  it('is that of BIP-84', () => {
    const zpub =
      'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs';
    const at = derive('BTC', 'main', 'P2WPKH');
    expect(at(zpub, 0).address).toBe('bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu');
    expect(at(zpub, 1).address).toBe('bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g');
    const { xpub } = accountKey(mnemonicToSeedSync(WORDS), "m/84'/0'/0'");
    expect(at(xpub, 0)).toEqual(at(zpub, 0));
  });

  it('is that of BIP-86', () => {
    const xpub =
      'xpub6BgBgsespWvERF3LHQu6CnqdvfEvtMcQjYrcRzx53QJjSxarj2afYWcLteoGVky7D3UKDP9QyrLprQ3VCECoY49yfdDEHGCtMMj92pReUsQ';
    const at = derive('BTC', 'main', 'P2TR');
    expect(at(xpub, 0)).toEqual({
      address: 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
      key: '5120a60869f0dbcf1dc659c9cecbaf8050135ea9e8cdc487053f1dc6880949dc684c',
    });
    expect(at(xpub, 1).address).toBe('bc1p4qhjn9zdvkux4e44uhx8tc55attvtyu358kutcqkudyccelu0was9fqzwh');
    expect(accountKey(mnemonicToSeedSync(WORDS), "m/86'/0'/0'").xpub).toBe(xpub);
  });

  it('is that of BIP-32, test vector 1: from m/0’/1/2’ to its child 2', () => {
    const xpub =
      'xpub6D4BDPcP2GT577Vvch3R8wDkScZWzQzMMUm3PWbmWvVJrZwQY4VUNgqFJPMM3No2dFDFGTsxxpG5uJh7n7epu4trkrX7x7DogT5Uv6fcLW5';
    const child =
      'xpub6FHa3pjLCk84BayeJxFW2SP4XRrFd1JYnxeLeU8EqN3vDfZmbqBqaGJAyiLjTAwm6ZLRQUMv1ZACTj37sR62cfN7fe5JnJ7dh8zL4fiyLHV';
    const { publicKey } = deriveChild(parseAccountXpub(xpub), 2);
    expect(Buffer.from(publicKey)).toEqual(Buffer.from(base58check.decode(child).subarray(45)));
  });

  it.each([
    ['a key for wrapped scripts (ypub, SLIP-132)', 0x049d_7cb2],
    ['a private key', 0x0488_ade4],
    ['a key of the test chains', 0x0435_87cf],
  ])('%s is refused', (_, version) => {
    const { xpub } = accountKey(mnemonicToSeedSync(WORDS), "m/84'/0'/0'");
    expect(() => derive('BTC', 'main', 'P2WPKH')(withVersion(xpub, version), 0)).toThrow('this kind of network');
  });

  it('keys say by their version what their children are', () => {
    const { xpub } = accountKey(mnemonicToSeedSync(WORDS), "m/84'/0'/0'");
    expect(() => derive('BTC', 'main', 'P2TR')(withVersion(xpub, 0x04b2_4746), 0)).toThrow('this kind of network');
    expect(derive('BTC', 'test', 'P2WPKH')(withVersion(xpub, 0x045f_1cf6), 0).address).toMatch(/^tb1q/);
    expect(derive('LTC', 'main', 'P2WPKH')(withVersion(xpub, 0x019d_a462), 0).address).toMatch(/^ltc1q/);
  });

  // Test vector 5 of BIP-32: invalid keys.
  it.each([
    'xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6LBpB85b3D2yc8sfvZU521AAwdZafEz7mnzBBsz4wKY5fTtTQBm',
    'xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6Txnt3siSujt9RCVYsx4qHZGc62TG4McvMGcAUjeuwZdduYEvFn',
    'xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6N8ZMMXctdiCjxTNq964yKkwrkBJJwpzZS4HS2fxvyYUA4q2Xe4',
    'xpub661MyMwAqRbcEYS8w7XLSVeEsBXy79zSzH1J8vCdxAZningWLdN3zgtU6Q5JXayek4PRsn35jii4veMimro1xefsM58PgBMrvdYre8QyULY',
    'DMwo58pR1QLEFihHiXPVykYB6fJmsTeHvyTp7hRThAtCX8CvYzgPcn8XnmdfHPmHJiEDXkTiJTVV9rHEBUem2mwVbbNfvT2MTcAqj3nesx8uBf9',
  ])('%s is refused', (xpub) => {
    expect(() => derive('BTC', 'main', 'P2WPKH')(xpub, 0)).toThrow();
  });
});

/** The same key under other version bytes. */
function withVersion(xpub: string, version: number): string {
  const changed = Buffer.from(base58check.decode(xpub));
  changed.writeUInt32BE(version);
  return base58check.encode(changed);
}

describe('payment URIs (BIP-21)', () => {
  it.each([
    ['bitcoin', 2_030_000_000n, 'bitcoin:175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W?amount=20.3'],
    ['bitcoin', 5_000_000_000n, 'bitcoin:175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W?amount=50'],
    ['litecoin', 1n, 'litecoin:175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W?amount=0.00000001'],
  ])('%s: %s base units', (scheme, amount, uri) => {
    expect(bip21Uri({ scheme, address: '175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W', amount })).toBe(uri);
  });
});
