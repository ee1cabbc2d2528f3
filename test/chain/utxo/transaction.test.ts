// Parsing raw blocks and transactions: Bitcoin's block 0 as on the network, and invalid bytes.

import { describe, expect, it } from '@jest/globals';
import { InvalidResponse } from '../../../src/chain/invalid-response.ts';
import { parseBlock, parseTransaction } from '../../../src/chain/utxo/transaction.ts';
import { transfersOf } from '../../../src/chain/utxo/transfers.ts';

const BITCOIN = { hasExtensionBlocks: false };
const LITECOIN = { hasExtensionBlocks: true };

/** Block 0 of Bitcoin's main chain. */
const HEADER =
  '0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a' +
  '51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c';
const COINBASE =
  '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d010445546865205469' +
  '6d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420666f7220' +
  '62616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4c' +
  'ef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000';
const block = (text: string, options = BITCOIN) => parseBlock(Buffer.from(text, 'hex'), options);
const transaction = (text: string, options = BITCOIN) => parseTransaction(Buffer.from(text, 'hex'), options);

describe('a block', () => {
  it('has the hash, the time and the transactions that the network knows', () => {
    const { hash, parentHash, time, transactions } = block(`${HEADER}01${COINBASE}`);
    expect(hash).toBe('000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f');
    expect(parentHash).toBe('0'.repeat(64));
    expect(time.toISOString()).toBe('2009-01-03T18:15:05.000Z');
    expect(transactions).toMatchObject([
      { hash: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b', isCoinbase: true },
    ]);
    expect(transactions[0]?.outputs[0]?.amount).toBe(5_000_000_000n);
  });

  it.each([
    ['with another amount than its header commits to', `${HEADER}01${COINBASE.replace('00f2052a', '01f2052a')}`],
    ['with a transaction twice', `${HEADER}02${COINBASE}${COINBASE}`],
    ['that ends too soon', `${HEADER}01${COINBASE.slice(0, -2)}`],
    ['with something behind it', `${HEADER}01${COINBASE}00`],
    ['that counts more than there is', `${HEADER}ffffffffffffffffff${COINBASE}`],
  ])('%s is not a block', (_, text) => {
    expect(() => block(text)).toThrow(InvalidResponse);
  });
});

describe('a transaction', () => {
  const INPUT = `${'11'.repeat(32)}0200000000ffffffff`;
  const OUTPUT = `40420f0000000000160014${'22'.repeat(20)}`;
  const plain = `0200000001${INPUT}01${OUTPUT}00000000`;

  it('has the same id with and without its witness (BIP-144)', () => {
    const withWitness = `02000000000101${INPUT}01${OUTPUT}0202aabb01cc00000000`;
    expect(transaction(withWitness).hash).toBe(transaction(plain).hash);
    expect(transfersOf(transaction(withWitness), 'BTC')).toEqual([
      {
        ...{ txHash: transaction(plain).hash, ordinal: 0, addressKey: `0014${'22'.repeat(20)}`, currency: 'BTC' },
        ...{ amount: 1_000_000n, spends: `${'11'.repeat(32)}:2` },
      },
    ]);
  });

  it('of Litecoin’s extension block is told by flag 8 (LIP-2), which Bitcoin does not know', () => {
    const pegOut = `02000000000801${INPUT}01${OUTPUT}0000000000`;
    expect(transaction(pegOut, LITECOIN)).toMatchObject({ isPegOut: true, hash: transaction(plain).hash });
    expect(() => transaction(pegOut)).toThrow(InvalidResponse);
    const waiting = `02000000000901${INPUT}01${OUTPUT}0101cc01aabbccddee00000000`;
    expect(transaction(waiting, LITECOIN)).toMatchObject({ isPegOut: false, hash: transaction(plain).hash });
  });
});
