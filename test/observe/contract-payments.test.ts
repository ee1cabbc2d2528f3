// Coin paid out by a contract, from a real chain to a merchant's balance, and on through a sweep and a withdrawal.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { compareCustody } from '../../src/domain/ledger/reconciliation.ts';
import { compileTestPayer, payerCall, type PayerCall } from '../chain/evm/test-payer.fixture.ts';
import { createPayoutSetup, OUTSIDE, type PayoutSetup } from '../custody/payout-setup.fixture.ts';
import type { Order } from '../domain/book.fixture.ts';

const ETHER = 10n ** 18n;
const hex = (units: bigint | number) => `0x${units.toString(16)}`;

let stage: PayoutSetup;
let contract: string;
let shop: string;

beforeAll(async () => {
  stage = await createPayoutSetup();
  await stage.node('eth_sendTransaction', { from: OUTSIDE, data: compileTestPayer(), gas: hex(3_000_000) });
  await stage.dev.mine(1);
  const nonce = Number(await stage.node('eth_getTransactionCount', OUTSIDE, 'latest'));
  expect(nonce).toBe(1);
  const block = (await stage.node('eth_getBlockByNumber', 'latest', true)) as { transactions: { hash: string }[] };
  const receipt = await stage.node('eth_getTransactionReceipt', block.transactions[0]?.hash);
  contract = (receipt as { contractAddress: string }).contractAddress;
  await stage.settle(stage.watcher());
});
afterAll(() => stage.stop());
beforeEach(async () => {
  stage.pass(1);
  shop = await stage.setup.merchant();
});
afterEach(async () => {
  await stage.audit();
  const comparison = await compareCustody(stage.deps.db, stage.adapter);
  for (const { book, chain, suspense } of comparison?.lines ?? []) expect([book, suspense]).toEqual([chain, 0n]);
});

async function payBy(name: PayerCall, receivers: readonly string[], value: bigint): Promise<void> {
  const data = payerCall(name, receivers);
  await stage.node('eth_sendTransaction', {
    from: OUTSIDE,
    to: contract,
    data,
    value: hex(value),
    gas: hex(1_000_000),
  });
  await stage.dev.mine(2);
  await stage.settle(stage.watcher());
}

const orders = async (count: number): Promise<Order[]> => {
  const made = [];
  for (let nth = 0; nth < count; nth += 1) made.push(await stage.order(shop, 'ETH'));
  return made;
};
const available = async () => (await stage.setup.balance(shop, 'ETH')).available;

describe('coins that a contract pays', () => {
  it('to two orders are credited to both, once confirmed', async () => {
    const [one, two] = (await orders(2)) as [Order, Order];
    await payBy('payNested', [one.addressKey, two.addressKey], 2n * ETHER);
    expect(await available()).toBe((2n * ETHER * 99n) / 100n);
    for (const order of [one, two]) expect((await stage.setup.read(order)).transactions).toHaveLength(1);
  });

  it('twice to one order in one transaction are two deposits', async () => {
    const [order] = (await orders(1)) as [Order];
    await payBy('pay', [order.addressKey, order.addressKey], 2n * ETHER);
    expect(await available()).toBe((2n * ETHER * 99n) / 100n);
    expect((await stage.setup.read(order)).transactions).toHaveLength(2);
  });

  it('by its end are credited, and those of a call that failed are not', async () => {
    const [one, two] = (await orders(2)) as [Order, Order];
    await payBy('payByEnd', [one.addressKey], ETHER);
    await payBy('payAndFail', [two.addressKey], ETHER);
    await payBy('tryAndFail', [two.addressKey], 2n * ETHER);
    expect(await available()).toBe((2n * ETHER * 99n) / 100n);
    expect((await stage.setup.read(two)).transactions).toHaveLength(1);
  });

  it('are swept and withdrawn like any other, and what the gateway moves itself is counted nowhere twice', async () => {
    const [order] = (await orders(1)) as [Order];
    await payBy('pay', [order.addressKey], 3n * ETHER);
    await stage.pay(await stage.order(shop), 'USDT', 50_000_000n);
    const [coins, tokens] = [await stage.withdraw(shop, 'ETH', '2'), await stage.withdraw(shop, 'USDT', '20')];
    await stage.settle(stage.sender(), stage.watcher());
    for (const { id } of [coins, tokens]) expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await available()).toBe((3n * ETHER * 99n) / 100n - 2n * ETHER);
  });

  it('that leave the chain are taken back, and credited anew when they come again', async () => {
    const [order] = (await orders(1)) as [Order];
    await payBy('pay', [order.addressKey], ETHER);
    const [deposit] = await stage.setup.sql<{ hash: string }>(
      'select tx_hash as hash from deposit where payment_id = $1',
      [order.id],
    );
    const raw = await stage.node('eth_getRawTransactionByHash', deposit?.hash);
    await stage.dev.reorg(2);
    await stage.settle(stage.watcher());
    expect(await available()).toBe(0n);
    await stage.node('eth_sendRawTransaction', raw);
    await stage.dev.mine(2);
    await stage.settle(stage.watcher());
    expect(await available()).toBe((ETHER * 99n) / 100n);
    expect((await stage.setup.read(order)).transactions).toHaveLength(1);
  });
});
