// Solana addresses and payment URIs: vectors of public documentation, valid and invalid, and the official Solana
// library as a second opinion.

import { describe, expect, it } from '@jest/globals';
import { address, getProgramDerivedAddress, getAddressEncoder, isOffCurveAddress } from '@solana/kit';
import { findAssociatedTokenPda } from '@solana-program/token';
import {
  addressOfPublicKey,
  associatedTokenAccount,
  ASSOCIATED_TOKEN_PROGRAM,
  bytesOfAddress,
  isAccount,
  isAssociated,
  parseSolanaAddress,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../../src/chain/solana/address.ts';
import { decodeBase58, encodeBase58 } from '../../../src/chain/base58.ts';
import { referenceOf, solanaPayUri } from '../../../src/chain/solana/uri.ts';
import { newKey } from '../../doubles/solana/accounts.ts';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

describe('base58', () => {
  // draft-msporny-base58-03, section 5.
  it.each([
    [Buffer.from('Hello World!'), '2NEpo7TZRRrLZSi2U'],
    [
      Buffer.from('The quick brown fox jumps over the lazy dog.'),
      'USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z',
    ],
    [Buffer.from('0000287fb4cd', 'hex'), '11233QC4'],
  ])('vector %#', (bytes, text) => {
    expect(encodeBase58(bytes)).toBe(text);
    expect(decodeBase58(text)).toEqual(bytes);
  });

  it('zeros are ones', () => {
    expect(encodeBase58(new Uint8Array(3))).toBe('111');
    expect(decodeBase58('111')).toEqual(Buffer.alloc(3));
    expect(decodeBase58('0OIl')).toBeNull();
    expect(decodeBase58('1'.repeat(91))).toBeNull();
  });
});

describe('an address', () => {
  // From Solana Pay's specification and the documentation of wallets and exchanges.
  it.each(['mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN', 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'])(
    'of a wallet is read: %s',
    (text) => {
      expect(parseSolanaAddress(text)).toEqual({ address: text, key: text });
    },
  );

  it.each([
    ['empty', ''],
    ['one byte too short', encodeBase58(Buffer.alloc(31, 9))],
    ['one byte too long', encodeBase58(Buffer.alloc(33, 9))],
    ['a character that base58 leaves out', 'mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2k0'],
    ['a space', ' mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN'],
    ['another case', 'MVINES9IIHIQTYSRWKJJGF2GB9EX9JXJX8NS3QWF2KN'],
    ['an Ethereum address', '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
    ['a Bitcoin address', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'],
    ['a TRON address', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    ['a payment URI', 'solana:mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN'],
    ['the system program', '11111111111111111111111111111111'],
    // The example of solana.com/docs/core/pda: derived from the system program, without seeds.
    ['a program-derived address', 'Cu7NwqCXSmsR5vgGA3Vw9uYVViPi3kQvkbKByVQ8nPY9'],
  ])('is refused: %s', (_what, text) => {
    expect(parseSolanaAddress(text)).toBeNull();
  });

  it('that belongs to a token account is refused: its owner is to be paid', () => {
    for (let made = 0; made < 20; made += 1) {
      const owner = newKey().address;
      const account = associatedTokenAccount(owner, USDC, TOKEN_PROGRAM);
      expect(parseSolanaAddress(owner)).not.toBeNull();
      expect(isAccount(account)).toBe(true);
      expect(parseSolanaAddress(account)).toBeNull();
    }
  });

  it('is on the curve exactly where the other library says so', () => {
    for (let made = 0; made < 200; made += 1) {
      const text = encodeBase58(
        Buffer.from(Array.from({ length: 32 }, (_, at) => (made * 37 + at * 101 + at * made) % 256)),
      );
      if (!isAccount(text)) continue;
      expect(parseSolanaAddress(text) === null).toBe(isOffCurveAddress(address(text)));
    }
  });

  it('of the documents that is program-derived is what the other library derives', async () => {
    const programAddress = address('11111111111111111111111111111111');
    const [derived] = await getProgramDerivedAddress({ programAddress, seeds: [] });
    expect(derived).toBe('Cu7NwqCXSmsR5vgGA3Vw9uYVViPi3kQvkbKByVQ8nPY9');
  });

  it('belongs to a public key of 32 bytes', () => {
    const { address: text } = newKey();
    expect(addressOfPublicKey(bytesOfAddress(text))).toEqual({ address: text, key: text });
    expect(() => addressOfPublicKey(new Uint8Array(33))).toThrow('32 bytes');
    expect(() => bytesOfAddress('nonsense')).toThrow('No Solana address');
  });
});

describe("an owner's token account", () => {
  it.each([TOKEN_PROGRAM, TOKEN_2022_PROGRAM])('is where the other libraries look for it: %s', async (program) => {
    for (let made = 0; made < 20; made += 1) {
      const owner = newKey().address;
      const account = associatedTokenAccount(owner, USDC, program);
      const [other] = await findAssociatedTokenPda({
        ...{ owner: address(owner), mint: address(USDC), tokenProgram: address(program) },
      });
      const seeds = [owner, program, USDC].map((seed) => getAddressEncoder().encode(address(seed)));
      const [derived] = await getProgramDerivedAddress({ programAddress: address(ASSOCIATED_TOKEN_PROGRAM), seeds });
      expect([account, account]).toEqual([other, derived]);
      expect(isAssociated(account, owner, USDC, program)).toBe(true);
    }
  });

  it('is not that of another owner, mint or program', () => {
    const [owner, other] = [newKey().address, newKey().address];
    const account = associatedTokenAccount(owner, USDC, TOKEN_PROGRAM);
    expect(isAssociated(account, other, USDC, TOKEN_PROGRAM)).toBe(false);
    expect(isAssociated(account, owner, other, TOKEN_PROGRAM)).toBe(false);
    expect(isAssociated(account, owner, USDC, TOKEN_2022_PROGRAM)).toBe(false);
    expect(isAssociated('nonsense', owner, USDC, TOKEN_PROGRAM)).toBe(false);
  });
});

describe('a payment URI', () => {
  // The examples of Solana Pay's specification, without their label, message and memo.
  const to = 'mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN';
  it.each([
    [{ address: to, mint: null, amount: 1_000_000_000n, decimals: 9, references: [] }, `solana:${to}?amount=1`],
    [
      { address: to, mint: USDC, amount: 10_000n, decimals: 6, references: [] },
      `solana:${to}?amount=0.01&spl-token=${USDC}`,
    ],
    [{ address: to, mint: null, amount: 1n, decimals: 9, references: [] }, `solana:${to}?amount=0.000000001`],
    [{ address: to, mint: null, amount: 10_500_000_000n, decimals: 9, references: [] }, `solana:${to}?amount=10.5`],
    [
      { address: to, mint: USDC, amount: 100_000_000n, decimals: 6, references: [USDC, to] },
      `solana:${to}?amount=100&spl-token=${USDC}&reference=${USDC}&reference=${to}`,
    ],
  ])('%#', (request, uri) => {
    expect(solanaPayUri(request)).toBe(uri);
  });

  it('names an order by an account that is always the same, its own, and an address that wallets take', () => {
    const reference = referenceOf('ord_1');
    expect(referenceOf('ord_1')).toBe(reference);
    expect(referenceOf('ord_2')).not.toBe(reference);
    expect(decodeBase58(reference)).toHaveLength(32);
  });
});
