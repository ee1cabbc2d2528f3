// TRON transactions as bytes: ours are identical to those of nodes and of TRON's own library.

import { describe, expect, it } from '@jest/globals';
import { bytesOfAddress } from '../../../src/chain/tron/address.ts';
import { decodeMessage, encodeMessage, MalformedMessage } from '../../../src/chain/tron/protobuf.ts';
import {
  bandwidthOf,
  encodeRaw,
  encodeSigned,
  readCoinTransfer,
  readOwner,
  transactionId,
} from '../../../src/chain/tron/transaction.ts';
import { decodeTransaction, encodeTransaction } from '../../doubles/tron/protobuf.ts';
import { CREATED_BY_NODE, MAINNET_TRANSFERS } from './recorded.fixture.ts';

const hex = (text: string) => Buffer.from(text, 'hex');

describe('what a node of the Nile test network built', () => {
  it.each(CREATED_BY_NODE)('$what is built here byte by byte', ({ raw, refBlockBytes, refBlockHash, ...rest }) => {
    const refBlock = hex(`${'00'.repeat(6)}${refBlockBytes}${refBlockHash}`);
    const { contract, expiration, timestamp, feeLimit } = rest;
    expect(encodeRaw({ refBlock, contract, expiration, timestamp, feeLimit }).toString('hex')).toBe(raw);
    expect(transactionId(hex(raw)).toString('hex')).toBe(rest.id);
  });
});

describe('transactions of the main network', () => {
  it.each(MAINNET_TRANSFERS)('$id has its id, its signer, its amount and its size', (recorded) => {
    const { id, raw, signature, owner, to, amount, netUsage } = recorded;
    expect(transactionId(hex(raw)).toString('hex')).toBe(id);
    expect(readCoinTransfer(hex(raw))).toEqual({ to: hex(to), amount });
    const signed = encodeSigned(hex(raw), hex(signature)).toString('hex');
    expect(decodeTransaction(signed)).toMatchObject({
      id,
      signer: owner,
      action: { owner, to, amount: Number(amount) },
    });
    // The bandwidth, unless a new account was made, which has a price of its own.
    if (netUsage > 0) expect(bandwidthOf(hex(raw))).toBe(netUsage);
  });
});

describe('whose transaction it is', () => {
  const owner = bytesOfAddress('TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH');
  const named = bytesOfAddress('TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK');
  const write = (kind: bigint, [first, second]: readonly [Uint8Array, Uint8Array]) => {
    const value = encodeMessage([
      [1, first],
      [2, second],
    ]);
    const contract = encodeMessage([
      [1, kind],
      [2, encodeMessage([[2, value]])],
    ]);
    return encodeMessage([[11, contract]]);
  };

  it.each([1n, 4n, 31n, 54n])('is said first in one of kind %p', (kind) => {
    expect(readOwner(write(kind, [owner, named]))).toEqual(owner);
  });
  // An account's name may consist of the bytes of any address.
  it.each([2n, 10n, 19n, 2n ** 32n + 10n])('is said second in one of kind %p', (kind) => {
    expect(readOwner(write(kind, [named, owner]))).toEqual(owner);
  });
});

describe('against the library', () => {
  const owner = bytesOfAddress('TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH');
  const to = bytesOfAddress('TSeJkUh4Qv67VNFwY8LaAxERygNdy6NQZK');
  const refBlockId = '0000000003fe262d52bfa4b2814f816fd2e57af5b98a33d60d8630a03a908e0e';
  const common = { expiration: 1_777_445_181_000, timestamp: 1_777_445_121_007 };
  const signature = Buffer.alloc(65, 5);

  it.each([1n, 127n, 128n, 1_000_000n, 2n ** 53n - 1n])('a payment of %p is the same', (amount) => {
    const ours = encodeRaw({
      ...{ refBlock: hex(refBlockId), expiration: BigInt(common.expiration), timestamp: BigInt(common.timestamp) },
      ...{ contract: { type: 'TRANSFER', owner, to, amount }, feeLimit: 0n },
    });
    const action = { type: 'TransferContract', owner: owner.toString('hex'), to: to.toString('hex') } as const;
    const draft = { refBlockId, ...common, feeLimit: 0, action: { ...action, amount: Number(amount) } };
    expect(encodeSigned(ours, signature).toString('hex')).toBe(encodeTransaction(draft, () => signature));
  });

  it.each([1n, 100_000_000n])('a call with a fee limit of %p is the same', (feeLimit) => {
    const data = Buffer.alloc(68, 9);
    const ours = encodeRaw({
      ...{ refBlock: hex(refBlockId), expiration: BigInt(common.expiration), timestamp: BigInt(common.timestamp) },
      ...{ contract: { type: 'TRIGGER', owner, contract: to, data }, feeLimit },
    });
    const action = {
      type: 'TriggerSmartContract',
      owner: owner.toString('hex'),
      contract: to.toString('hex'),
    } as const;
    const draft = {
      refBlockId,
      ...common,
      feeLimit: Number(feeLimit),
      action: { ...action, data: data.toString('hex') },
    };
    expect(encodeSigned(ours, signature).toString('hex')).toBe(encodeTransaction(draft, () => signature));
  });

  it('amounts that no JSON number carries are read without loss', () => {
    const amount = 2n ** 53n + 1n;
    const contract = { type: 'TRANSFER', owner, to, amount } as const;
    const raw = encodeRaw({ refBlock: hex(refBlockId), expiration: 1n, timestamp: 1n, contract, feeLimit: 0n });
    expect(readCoinTransfer(raw)?.amount).toBe(amount);
  });
});

describe('messages', () => {
  it('zero is not written, as proto3 has it, and fields of fixed width are passed over', () => {
    expect(encodeMessage([[1, 0n]])).toHaveLength(0);
    expect([...decodeMessage(hex('0d01020304' + '0801' + '110102030405060708')).keys()]).toEqual([1]);
  });

  it.each([
    ['a number without an end', '08ffffff'],
    ['a length beyond the end', '0a05aabb'],
    ['an endless number', `08${'ff'.repeat(12)}`],
    ['a kind that does not exist', '0b'],
  ])('%s is refused', (_what, text) => {
    expect(() => decodeMessage(hex(text))).toThrow(MalformedMessage);
  });
});
