// The EVM adapter against a real development chain: blocks, reorganisations, waiting transactions.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChainAdapter } from '../../../src/chain/adapter.ts';
import type { BlockHead } from '../../../src/chain/blocks.ts';
import { nextBlock, OTHER_PAYER, PAYER, SHOP, startTestChain, type TestChain } from './node.fixture.ts';

let chain: TestChain;
let adapter: ChainAdapter;
let snapshot: string;
let start: BlockHead;

beforeAll(async () => {
  chain = await startTestChain();
  adapter = chain.adapter();
});
afterAll(() => chain.stop());
beforeEach(async () => {
  snapshot = await chain.rpc<string>('evm_snapshot');
  start = await adapter.tip();
});
afterEach(() => chain.rpc('evm_revert', snapshot));

/** The gas that a transaction uses, by the node's receipt. */
async function spendsOf(txHash: string): Promise<string> {
  const { from, nonce } = await chain.rpc<{ from: string; nonce: string }>('eth_getTransactionByHash', txHash);
  return `${from}:${String(Number(nonce))}`;
}

describe('blocks', () => {
  it('the tip, and nothing after it, is what follows the tip', async () => {
    expect(await adapter.next(start)).toEqual({ kind: 'tip', tip: start });
    expect(await adapter.headAt(start.height)).toEqual(start);
    expect(await adapter.headAt(start.height + 1)).toBeNull();
  });

  it('coins and tokens are reported with their receivers, in base units', async () => {
    const coin = await chain.send({ to: SHOP, value: 12n });
    const token = await chain.sendToken('transfer', 34n);
    await chain.mine();
    const next = await adapter.next(start);
    expect(next).toMatchObject({ kind: 'block', tipHeight: start.height + 1 });
    const block = await nextBlock(adapter, start);
    expect(block).toMatchObject({ height: start.height + 1, parentHash: start.hash });
    expect(block.time.getTime()).toBeGreaterThanOrEqual(start.time.getTime());
    expect(block.transfers).toEqual([
      { txHash: coin, ordinal: 0, addressKey: SHOP, currency: 'ETH', amount: 12n, spends: await spendsOf(coin) },
      { txHash: token, ordinal: 1, addressKey: SHOP, currency: 'USDT', amount: 34n, spends: await spendsOf(token) },
    ]);
  });

  it('come one after the other, with the distance to the tip', async () => {
    await chain.mine(3);
    let cursor = start;
    for (const left of [2, 1, 0]) {
      const next = await adapter.next(cursor);
      if (next.kind !== 'block') throw new Error(next.kind);
      expect(next.tipHeight - next.block.height).toBe(left);
      cursor = next.block;
    }
    expect(await adapter.next(cursor)).toMatchObject({ kind: 'tip' });
  });

  it('a failed transaction pays nothing', async () => {
    const token = await chain.sendToken('transferAndFail', 5n);
    const coin = await chain.send({ to: chain.token, value: 5n });
    await chain.mine();
    expect((await nextBlock(adapter, start)).transfers).toEqual([]);
    for (const txHash of [token, coin])
      expect(await adapter.txState(txHash)).toMatchObject({ kind: 'mined', succeeded: false });
  });

  it('transfers of nothing are no transfers', async () => {
    await chain.send({ to: SHOP, value: 0n });
    await chain.sendToken('transfer', 0n);
    await chain.mine();
    expect((await nextBlock(adapter, start)).transfers).toEqual([]);
  });

  it('currencies that are not configured are not reported', async () => {
    await chain.send({ to: SHOP, value: 1n });
    await chain.sendToken('transfer', 2n);
    await chain.mine();
    const tokenOnly = chain.adapter({ contracts: new Map([['USDT', chain.token]]) });
    const coinOnly = chain.adapter({ contracts: new Map([['ETH', null]]) });
    expect((await nextBlock(tokenOnly, start)).transfers.map(({ currency }) => currency)).toEqual(['USDT']);
    expect((await nextBlock(coinOnly, start)).transfers.map(({ currency }) => currency)).toEqual(['ETH']);
  });
});

describe('reorganisations', () => {
  it('are noticed when the cursor was replaced, and the replaced block is not canonical', async () => {
    await chain.mine(2);
    const first = await nextBlock(adapter, start);
    const second = await nextBlock(adapter, first);
    await chain.rpc('anvil_reorg', 1, []);
    expect(await adapter.next(second)).toEqual({ kind: 'reorganised' });
    expect(await adapter.isCanonical(second)).toBe(false);
    expect(await adapter.isCanonical(first)).toBe(true);
    expect((await nextBlock(adapter, first)).hash).not.toBe(second.hash);
  });

  it('are noticed when the new branch is already longer', async () => {
    await chain.mine();
    const first = await nextBlock(adapter, start);
    await chain.rpc('anvil_reorg', 1, []);
    await chain.mine(2);
    expect(await adapter.next(first)).toEqual({ kind: 'reorganised' });
  });

  it('are noticed when the chain has become shorter than the cursor', async () => {
    await chain.mine(3);
    const tip = await adapter.tip();
    await chain.rpc('anvil_rollback', 2);
    expect(await adapter.next(tip)).toEqual({ kind: 'reorganised' });
    expect(await adapter.isCanonical(tip)).toBe(false);
  });

  it('a transaction that moves to another block, and another place in it, keeps its ordinals', async () => {
    const txHash = await chain.sendToken('transferLater', 5n);
    const raw = await chain.rpc<string>('eth_getRawTransactionByHash', txHash);
    await chain.mine();
    const before = await nextBlock(adapter, start);
    await chain.rpc('anvil_reorg', 1, []);
    expect(await adapter.txState(txHash)).toEqual({ kind: 'unknown' });

    const cursor = await adapter.tip();
    await chain.sendToken('transferLater', 50n, OTHER_PAYER);
    await chain.rpc('eth_sendRawTransaction', raw);
    await chain.mine();
    const after = await nextBlock(adapter, cursor);
    const moved = after.transfers.filter((transfer) => transfer.txHash === txHash);
    expect(after.transfers).toHaveLength(4);
    expect(moved.map(({ ordinal, amount }) => [ordinal, amount])).toEqual([
      [2, 5n],
      [3, 6n],
    ]);
    expect(moved).toEqual(before.transfers);
    expect(await adapter.txState(txHash)).toMatchObject({
      kind: 'mined',
      block: { hash: after.hash, height: after.height },
    });
  });
});

describe('waiting transactions', () => {
  it('are seen before they are mined, and not after, under the same hash and ordinal', async () => {
    const coin = await chain.send({ to: SHOP, value: 12n });
    const token = await chain.sendToken('transfer', 34n, OTHER_PAYER);
    const { transfers: seen } = await adapter.mempool();
    expect(seen).toHaveLength(2);
    const paidCoin = { txHash: coin, ordinal: 0, addressKey: SHOP, currency: 'ETH', amount: 12n };
    const paidToken = { txHash: token, ordinal: 1, addressKey: SHOP, currency: 'USDT', amount: 34n };
    expect(seen).toContainEqual({ ...paidCoin, spends: await spendsOf(coin) });
    expect(seen).toContainEqual({ ...paidToken, spends: await spendsOf(token) });
    expect(await adapter.txState(coin)).toEqual({ kind: 'mempool' });

    await chain.mine();
    expect((await adapter.mempool()).transfers).toEqual([]);
    const block = await nextBlock(adapter, start);
    expect(block.transfers).toEqual(expect.arrayContaining([...seen]));
    expect(await adapter.txState(coin)).toEqual({
      kind: 'mined',
      block: { hash: block.hash, height: block.height },
      succeeded: true,
    });
  });

  it('a transaction that the node never saw is unknown', async () => {
    expect(await adapter.txState(`0x${'12'.repeat(32)}`)).toEqual({ kind: 'unknown' });
  });
});

describe('configuration', () => {
  it('a payment URI names chain, contract, receiver and base units', () => {
    const { address } = adapter.parseAddress(SHOP) ?? { address: '' };
    const token = adapter.contracts.get('USDT') ?? '';
    expect(token).toBe(adapter.parseAddress(chain.token)?.address);
    expect(adapter.paymentUri({ address, currency: 'ETH', amount: 5n, orderId: 'ord_1' })).toBe(
      `ethereum:${address}@31337?value=5`,
    );
    const uri = `ethereum:${token}@31337/transfer?address=${address}&uint256=6`;
    expect(adapter.paymentUri({ address, currency: 'USDT', amount: 6n, orderId: 'ord_1' })).toBe(uri);
    expect(() => adapter.paymentUri({ address, currency: 'USDC', amount: 6n, orderId: 'ord_1' })).toThrow(
      'USDC is not taken on ETH',
    );
  });

  it('the right chain with the right tokens is verified', async () => {
    await expect(adapter.verify()).resolves.toBeUndefined();
  });

  it('an address without a token, and a token with other decimals, are not verified', async () => {
    const empty = chain.adapter({ contracts: new Map([['USDT', PAYER]]) });
    await expect(empty.verify()).rejects.toThrow('there is no token at');
    const otherDecimals = chain.adapter({ network: 'BSC', contracts: new Map([['USDT', chain.token]]) });
    await expect(otherDecimals.verify()).rejects.toThrow('has 6 decimals, USDT has 18');
  });

  it.each([
    ['a contract for the coin', new Map([['ETH', PAYER]]), 'the coin none'],
    ['a token without one', new Map([['USDT', null]]), 'a token has a contract'],
    ['a contract that is no address', new Map([['USDT', '0x12']]), 'is no address'],
    ['an unknown currency', new Map([['DOGE', null]]), 'There is no DOGE on ETH'],
    [
      'one contract for two',
      new Map([
        ['USDT', PAYER],
        ['USDC', PAYER],
      ]),
      'share the contract',
    ],
  ])('%s is refused', (_what, contracts, message) => {
    expect(() => chain.adapter({ contracts: new Map<string, string | null>(contracts) })).toThrow(message);
  });
});
