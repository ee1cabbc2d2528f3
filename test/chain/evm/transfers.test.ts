// Decoding of blocks, receipts, logs and call data: what counts as a transfer, and what is ignored.

import { describe, expect, it } from '@jest/globals';
import { encodeFunctionData, erc20Abi, pad, toHex, zeroAddress } from 'viem';
import { decodeBlock, decodePending, TRANSFER_TOPIC } from '../../../src/chain/evm/transfers.ts';
import type { WatchedAssets } from '../../../src/chain/evm/watched-assets.ts';
import type { RpcReceipt, RpcTransaction } from '../../../src/chain/evm/rpc-types.ts';

const USDT = '0x00000000000000000000000000000000000000a1';
const USDC = '0x00000000000000000000000000000000000000a2';
const PAYER = '0x00000000000000000000000000000000000000b1';
const SHOP = '0x00000000000000000000000000000000000000c1';
const assets: WatchedAssets = {
  coin: 'ETH',
  tokens: new Map([
    [USDT, 'USDT'],
    [USDC, 'USDC'],
  ]),
};
const TX = toHex(1, { size: 32 });
const BLOCK = toHex(2, { size: 32 });

const transaction = (fields: Partial<RpcTransaction> = {}): RpcTransaction => ({
  hash: TX,
  to: SHOP,
  value: 0n,
  input: '0x',
  blockHash: BLOCK,
  spends: null,
  isFree: false,
  ...fields,
});
const log = (fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  address: USDT,
  topics: [TRANSFER_TOPIC, pad(PAYER), pad(SHOP)],
  data: toHex(5, { size: 32 }),
  removed: false,
  ...fields,
});
const receipts = (logs: unknown[], succeeded = true): Map<string, RpcReceipt> =>
  new Map([[TX, { txHash: TX, blockHash: BLOCK, height: 1, succeeded, logs }]]);
const paid = { txHash: TX, ordinal: 1, addressKey: SHOP, currency: 'USDT', amount: 5n };

describe('a mined transaction', () => {
  it('pays coins with ordinal 0 and tokens with 1 + the position of the log in the transaction', () => {
    const logs = [log({ address: zeroAddress }), log(), log({ address: USDC.toUpperCase().replace('X', 'x') })];
    expect(decodeBlock([transaction({ value: 7n })], receipts(logs), assets)).toEqual([
      { txHash: TX, ordinal: 0, addressKey: SHOP, currency: 'ETH', amount: 7n },
      { ...paid, ordinal: 2 },
      { ...paid, ordinal: 3, currency: 'USDC' },
    ]);
  });

  it('pays nothing when it failed', () => {
    expect(decodeBlock([transaction({ value: 7n })], receipts([log()], false), assets)).toEqual([]);
  });

  it('pays no coins when it carries none, creates a contract, or coins are not taken', () => {
    expect(decodeBlock([transaction()], receipts([]), assets)).toEqual([]);
    expect(decodeBlock([transaction({ to: null, value: 7n })], receipts([]), assets)).toEqual([]);
    expect(decodeBlock([transaction({ value: 7n })], receipts([]), { ...assets, coin: null })).toEqual([]);
  });

  it('pays by logs of system transactions that the block does not list', () => {
    expect(decodeBlock([], receipts([log()]), assets)).toEqual([paid]);
  });

  it('says of each of its transfers what it spends', () => {
    const spends = `${PAYER}:7`;
    const transfers = decodeBlock([transaction({ value: 7n, spends })], receipts([log()]), assets);
    expect(transfers.map((transfer) => transfer.spends)).toEqual([spends, spends]);
  });

  it('carries amounts of the full 256 bits', () => {
    const [transfer] = decodeBlock([transaction()], receipts([log({ data: `0x${'f'.repeat(64)}` })]), assets);
    expect(transfer?.amount).toBe(2n ** 256n - 1n);
  });

  const ignored: Array<[what: string, log: unknown]> = [
    ['of another contract', log({ address: PAYER })],
    ['of another event', log({ topics: [toHex(9, { size: 32 }), pad(PAYER), pad(SHOP)] })],
    ['of an NFT (four topics)', log({ topics: [TRANSFER_TOPIC, pad(PAYER), pad(SHOP), toHex(1, { size: 32 })] })],
    ['with unindexed parties (one topic)', log({ topics: [TRANSFER_TOPIC] })],
    ['with more data', log({ data: `0x${'0'.repeat(127)}1` })],
    ['with less data', log({ data: '0x05' })],
    ['with no data', log({ data: '0x' })],
    ['of nothing', log({ data: toHex(0, { size: 32 }) })],
    ['with rubbish above the receiver', log({ topics: [TRANSFER_TOPIC, pad(PAYER), `0x1${pad(SHOP).slice(3)}`] })],
    ['with a short receiver', log({ topics: [TRANSFER_TOPIC, pad(PAYER), SHOP] })],
    ['with a numeric topic', log({ topics: [TRANSFER_TOPIC, pad(PAYER), 5] })],
    ['that was removed', log({ removed: true })],
    ['without an address', log({ address: undefined })],
    ['without topics', log({ topics: undefined })],
    ['that is null', null],
  ];
  it.each(ignored)('is not taken to pay by a log %s, which still counts as a position', (_what, odd) => {
    expect(decodeBlock([transaction()], receipts([odd, log()]), assets)).toEqual([{ ...paid, ordinal: 2 }]);
  });
});

describe('a waiting transaction', () => {
  const call = (fields: Partial<RpcTransaction>): RpcTransaction =>
    transaction({ to: USDT, blockHash: null, ...fields });
  const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [SHOP, 5n] });
  const transferFrom = encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args: [PAYER, SHOP, 5n] });

  it('is going to pay coins by its value', () => {
    const expected = [{ txHash: TX, ordinal: 0, addressKey: SHOP, currency: 'ETH', amount: 7n }];
    expect(decodePending([transaction({ value: 7n, blockHash: null })], assets)).toEqual(expected);
  });

  it.each([
    ['transfer', transfer],
    ['transferFrom', transferFrom],
    ['transfer with a tag behind it', `${transfer}deadbeef`],
  ])('is going to pay tokens by %s, as its first log', (_what, input) => {
    expect(decodePending([call({ input })], assets)).toEqual([paid]);
  });

  it.each([
    ['cut call data', call({ input: transfer.slice(0, -2) })],
    ['only a selector', call({ input: transfer.slice(0, 10) })],
    ['no call data', call({})],
    ['another function', call({ input: transfer.replace('a9059cbb', '095ea7b3') })],
    ['another contract', call({ input: transfer, to: PAYER })],
    [
      'the amount 0',
      call({ input: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [SHOP, 0n] }) }),
    ],
    ['a contract to create', call({ input: transfer, to: null })],
    ['a block already', call({ input: transfer, blockHash: BLOCK })],
  ])('is passed over when it has %s', (_what, odd) => {
    expect(decodePending([odd], assets)).toEqual([]);
  });
});
