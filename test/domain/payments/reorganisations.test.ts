// Reorganisations and what they do to payments, on a real PostgreSQL; the chain is data.

import { beforeEach, describe, expect, it } from '@jest/globals';
import { minutesLater, pay, type Order } from '../book.fixture.ts';
import { chain, order, shop, setup } from '../shop.fixture.ts';

const WHOLE = 1_000_000n;
const NET = 990_000n;
const referencesOf = async ({ id }: Order) => {
  const text = `select regexp_replace(reference, '/dep_[^/]+/', ' ') as reference from ledger_transaction
    where payment_id = $1 order by created_at, reference`;
  return (await setup.sql<{ reference: string }>(text, [id])).map(({ reference }) => reference);
};

describe('before it is confirmed', () => {
  it('a deposit that leaves the chain takes the payment back, and comes again', async () => {
    const transfer = pay(order, WHOLE);
    await chain.mine(transfer);
    await chain.rollBack(1);
    expect(await setup.read(order)).toMatchObject({
      ...{ status: 'PENDING', amountReceived: '0' },
      transactions: [{ status: 'ORPHANED', confirmations: 0, blockNumber: null }],
    });
    await chain.mine(transfer);
    await chain.mineEmpty(1);
    expect((await setup.reportedEvents(order)).slice(1)).toEqual([
      ...['payment.updated CONFIRMING', 'payment.updated PENDING', 'payment.updated CONFIRMING'],
      'payment.succeeded SUCCEEDED',
    ]);
  });

  it('a deposit that never comes again is credited never', async () => {
    await chain.mine(pay(order, WHOLE));
    await chain.rollBack(1);
    await chain.mineEmpty(5);
    expect(await setup.balance(shop)).toEqual({ available: 0n, reserved: 0n, pending: 0n, owed: 0n });
    expect(await referencesOf(order)).toEqual([]);
  });

  it('one replaced by another of the same customer leaves it CONFIRMING', async () => {
    await chain.mine(pay(order, WHOLE));
    await chain.rollBack(1);
    await chain.mine(pay(order, WHOLE));
    await chain.mineEmpty(1);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', exception: null, amountReceived: '1' });
    expect(await setup.balance(shop)).toMatchObject({ available: NET });
  });

  it('late money that leaves the chain leads back to EXPIRED', async () => {
    setup.setNow(minutesLater(30));
    await chain.timeOut(minutesLater(30));
    await chain.mineAt(minutesLater(31), pay(order, WHOLE));
    await chain.rollBack(1);
    expect((await setup.reportedEvents(order)).slice(1)).toEqual([
      ...['payment.expired EXPIRED', 'payment.updated CONFIRMING', 'payment.updated EXPIRED'],
    ]);
  });

  it('nobody expires who fell back and is paid again in time', async () => {
    const transfer = pay(order, WHOLE);
    await chain.mine(transfer);
    await chain.rollBack(1);
    setup.setNow(minutesLater(60));
    await chain.timeOut(minutesLater(29));
    await chain.mineAt(minutesLater(60), transfer);
    expect(await setup.read(order)).toMatchObject({ status: 'CONFIRMING' });
  });
});

describe('after SUCCEEDED', () => {
  beforeEach(async () => {
    await chain.mineEmpty(1);
  });

  async function succeed() {
    const transfer = pay(order, WHOLE);
    await chain.mine(transfer);
    await chain.mineEmpty(1);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED' });
    return transfer;
  }

  it('a deposit that moves to another block changes nothing for the merchant', async () => {
    const transfer = await succeed();
    await chain.rollBack(2);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', amountReceived: '0', amountConfirmed: '1' });
    expect(await setup.balance(shop)).toMatchObject({ available: NET, pending: 0n });
    await chain.mineEmpty(1);
    await chain.mine({ ...transfer, ordinal: 4 });
    await chain.mineEmpty(3);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', exception: null, amountReceived: '1' });
    expect(await referencesOf(order)).toEqual(['credit 1']);
    expect((await setup.reportedEvents(order)).filter((told) => told.startsWith('payment.succeeded'))).toHaveLength(1);
  });

  it('one that is gone for good is reversed, the fee too: FAILED (REORGED)', async () => {
    await succeed();
    await chain.rollBack(2);
    await chain.mineEmpty(1);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED' });
    await chain.mineEmpty(1);
    expect((await setup.reportedEvents(order)).at(-1)).toBe('payment.failed FAILED REORGED');
    expect(await setup.read(order)).toMatchObject({ amountConfirmed: '0', feeAmount: '0' });
    expect(await setup.balance(shop)).toEqual({ available: 0n, reserved: 0n, pending: 0n, owed: 0n });
    expect(await referencesOf(order)).toEqual(['credit 1', 'reversal 1']);
  });

  it('one that comes back after all is credited anew, and the former state restored directly', async () => {
    const transfer = await succeed();
    await chain.rollBack(2);
    await chain.mineEmpty(2);
    await chain.mine(transfer);
    expect(await setup.read(order)).toMatchObject({ status: 'FAILED', exception: 'REORGED', amountReceived: '1' });
    expect(await setup.balance(shop)).toMatchObject({ available: 0n, pending: WHOLE });
    await chain.mineEmpty(1);
    expect((await setup.reportedEvents(order)).slice(-3)).toEqual([
      ...['payment.failed FAILED REORGED', 'payment.updated FAILED REORGED', 'payment.succeeded SUCCEEDED'],
    ]);
    expect(await setup.balance(shop)).toMatchObject({ available: NET });
    expect(await referencesOf(order)).toEqual(['credit 1', 'credit 2', 'reversal 1']);
  });

  it('one that only waits to be mined again is gone for good as well, and may come back', async () => {
    const transfer = await succeed();
    await chain.rollBack(2);
    await chain.mempool([transfer]);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', amountReceived: '1' });
    await chain.mineEmpty(2);
    expect(await setup.read(order)).toMatchObject({ status: 'FAILED', exception: 'REORGED', amountReceived: '1' });
    expect(await setup.balance(shop)).toMatchObject({ available: 0n, pending: WHOLE });
    await chain.mine(transfer);
    await chain.mineEmpty(1);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', exception: null });
    expect(await setup.balance(shop)).toMatchObject({ available: NET, pending: 0n });
  });

  it('one that pays less in its new block is reversed, and credited as what it is', async () => {
    const transfer = await succeed();
    await chain.rollBack(2);
    await chain.mine({ ...transfer, amount: 300_000n });
    await chain.mineEmpty(1);
    expect(await setup.read(order)).toMatchObject({ status: 'FAILED', exception: 'REORGED', amountConfirmed: '0.3' });
    expect(await setup.balance(shop)).toMatchObject({ available: 297_000n });
  });

  it('new money in its place is late money', async () => {
    await succeed();
    await chain.rollBack(2);
    await chain.mineEmpty(2);
    setup.setNow(minutesLater(20));
    await chain.mine(pay(order, WHOLE));
    await chain.mineEmpty(1);
    expect((await setup.reportedEvents(order)).slice(-2)).toEqual([
      ...['payment.updated CONFIRMING', 'payment.succeeded SUCCEEDED PAID_LATE'],
    ]);
  });

  it('a surplus that is gone for good lifts OVERPAID', async () => {
    await succeed();
    await chain.mine(pay(order, 500_000n));
    await chain.mineEmpty(1);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', exception: 'OVERPAID' });
    await chain.rollBack(2);
    await chain.mineEmpty(2);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', exception: null, amountConfirmed: '1' });
    expect((await setup.reportedEvents(order)).at(-1)).toBe('payment.updated SUCCEEDED');
  });

  it('an order that ended is reversed too', async () => {
    await chain.mine(pay(order, 200_000n));
    await chain.mineEmpty(1);
    setup.setNow(minutesLater(30));
    await chain.timeOut(minutesLater(30));
    expect(await setup.balance(shop)).toMatchObject({ available: 198_000n });
    await chain.rollBack(2);
    await chain.mineEmpty(2);
    expect(await setup.read(order)).toMatchObject({ status: 'FAILED', exception: 'UNDERPAID', amountConfirmed: '0' });
    expect(await setup.balance(shop)).toMatchObject({ available: 0n });
  });

  it('a part off the chain lets the rest not succeed alone', async () => {
    const part = pay(order, 400_000n);
    await chain.mine(part);
    await chain.mineEmpty(1);
    await chain.rollBack(2);
    await chain.mine(pay(order, 600_000n));
    expect(await setup.read(order)).toMatchObject({ status: 'PARTIALLY_PAID', amountReceived: '0.6' });
    await chain.mine(part);
    await chain.mineEmpty(1);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await referencesOf(order)).toEqual(['credit 1', 'credit 1']);
  });
});
