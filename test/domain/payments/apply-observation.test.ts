// What an observation does to payments, money and events, on a real PostgreSQL; the chain is data.

import { describe, expect, it } from '@jest/globals';
import { applyMempool, applyTimeouts } from '../../../src/domain/payments/apply-observation.ts';
import { cancelPayment, expireNow } from '../../../src/domain/payments/read-and-cancel.ts';
import { minutesLater, newHash, pay, START } from '../book.fixture.ts';
import { chain, order, shop, setup } from '../shop.fixture.ts';

const WHOLE = 1_000_000n;
const NET = 990_000n;
const PAID = ['payment.created PENDING', 'payment.updated CONFIRMING', 'payment.succeeded SUCCEEDED'];

describe('a deposit', () => {
  it('is seen, confirmed, credited less one percent, and told step by step', async () => {
    await chain.mine(pay(order, WHOLE));
    expect(await setup.balance(shop)).toEqual({ available: 0n, reserved: 0n, pending: WHOLE, owed: 0n });
    expect(await setup.read(order)).toMatchObject({ status: 'CONFIRMING', amountReceived: '1', amountConfirmed: '0' });
    await chain.mineEmpty(1);
    expect(await setup.balance(shop)).toEqual({ available: NET, reserved: 0n, pending: 0n, owed: 0n });
    expect(await setup.read(order)).toMatchObject({
      ...{ status: 'SUCCEEDED', exception: null, amountConfirmed: '1', feeAmount: '0.01', confirmations: 2 },
      completedAt: START,
    });
    expect(await setup.reportedEvents(order)).toEqual(PAID);
  });

  it('takes both steps in one block where one confirmation is enough, each told', async () => {
    const quick = await setup.order(shop, { required_confirmations: 1 });
    await chain.mine(pay(quick, WHOLE));
    expect(await setup.reportedEvents(quick)).toEqual(PAID);
  });

  it('pays a fee rounded down to the base unit', async () => {
    await chain.mine(pay(order, 199n), pay(order, 99n));
    await chain.mineEmpty(1);
    expect(await setup.balance(shop)).toMatchObject({ available: 199n - 1n + 99n });
  });

  it('of another asset is credited in that asset, and counts for nothing', async () => {
    await chain.mine(pay(order, 5_000n, { currency: 'USDC' }), pay(order, 10n ** 20n, { currency: 'ETH', ordinal: 0 }));
    await chain.mineEmpty(1);
    expect(await setup.balance(shop, 'USDC')).toMatchObject({ available: 4_950n });
    expect(await setup.balance(shop, 'ETH')).toMatchObject({ available: 99n * 10n ** 18n });
    expect(await setup.read(order)).toMatchObject({ status: 'PENDING', amountReceived: '0', transactions: [] });
    expect(await setup.reportedEvents(order)).toEqual(['payment.created PENDING']);
  });

  it('to an address that is not ours is nobody’s', async () => {
    await chain.mine(pay({ ...order, addressKey: '0x00' }, WHOLE));
    expect(await setup.sql(`select 1 from deposit where payment_id = $1`, [order.id])).toEqual([]);
  });

  it('in one transaction may pay two orders', async () => {
    const other = await setup.order(await setup.merchant());
    const txHash = newHash();
    await chain.mine(pay(order, WHOLE, { txHash, ordinal: 1 }), pay(other, WHOLE, { txHash, ordinal: 2 }));
    await chain.mineEmpty(1);
    expect(await setup.reportedEvents(order)).toEqual(PAID);
    expect(await setup.reportedEvents(other)).toEqual(PAID);
  });

  it('may be one of two transactions in a block, that together are enough', async () => {
    await chain.mine(pay(order, 400_000n), pay(order, 600_000n));
    await chain.mineEmpty(1);
    expect(await setup.reportedEvents(order)).toEqual(PAID);
    expect((await setup.read(order)).transactions).toHaveLength(2);
  });

  it('may be one of two equal transfers in one transaction', async () => {
    const txHash = newHash();
    await chain.mempool([pay(order, 500_000n, { txHash, ordinal: 1 })]);
    await chain.mine(pay(order, 500_000n, { txHash, ordinal: 2 }), pay(order, 500_000n, { txHash, ordinal: 3 }));
    await chain.mineEmpty(1);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', amountConfirmed: '1' });
  });

  it('is credited whatever became of the order', async () => {
    await cancelPayment(setup.deps, shop, order.id);
    await chain.mine(pay(order, 10n));
    await chain.mineEmpty(1);
    expect(await setup.balance(shop)).toMatchObject({ available: 10n });
    expect(await setup.read(order)).toMatchObject({ status: 'CANCELED', amountConfirmed: '0.00001' });
  });
});

describe('the mempool', () => {
  it('shows a deposit before it is mined, and the block finds the same one', async () => {
    const transfer = pay(order, WHOLE);
    await chain.mempool([transfer]);
    expect(await setup.read(order)).toMatchObject({
      ...{ status: 'CONFIRMING', confirmations: 0 },
      transactions: [{ txHash: transfer.txHash, status: 'PENDING', blockNumber: null }],
    });
    await chain.mempool([transfer]);
    await chain.mine(transfer);
    await chain.mempool([transfer]);
    await chain.mineEmpty(1);
    expect(await setup.reportedEvents(order)).toEqual(PAID);
  });

  it('guesses the place within the transaction; the block puts it right', async () => {
    const transfer = pay(order, WHOLE, { ordinal: 1 });
    await chain.mempool([transfer]);
    await chain.mine({ ...transfer, ordinal: 3 });
    await chain.mempool([transfer]);
    expect((await setup.read(order)).transactions).toHaveLength(1);
    expect(await setup.sql('select ordinal from deposit where payment_id = $1', [order.id])).toEqual([{ ordinal: 3 }]);
  });

  it('guesses the amount; only what the block says is credited', async () => {
    const transfer = pay(order, WHOLE);
    await chain.mempool([transfer]);
    await chain.mine({ ...transfer, amount: 900_000n });
    await chain.mineEmpty(1);
    expect(await setup.balance(shop)).toMatchObject({ available: 891_000n, pending: 0n });
    expect(await setup.read(order)).toMatchObject({ status: 'PARTIALLY_PAID', amountReceived: '0.9' });
  });

  it('guesses the receiver; only whom the block names is paid', async () => {
    const other = await setup.order(shop);
    const transfer = pay(order, WHOLE);
    await chain.mempool([transfer]);
    await chain.mine({ ...transfer, addressKey: other.addressKey });
    await chain.mineEmpty(1);
    expect(await setup.read(order)).toMatchObject({ status: 'PENDING', amountReceived: '0' });
    expect(await setup.read(other)).toMatchObject({ status: 'SUCCEEDED' });
  });

  it('loses a transaction: the payment steps back', async () => {
    const [part, rest] = [pay(order, 400_000n), pay(order, 600_000n)];
    await chain.mempool([part, rest]);
    const ids = await setup.sql<{ id: string }>('select id from deposit where tx_hash = $1', [rest.txHash]);
    await chain.mempool(
      [part],
      ids.map(({ id }) => id),
    );
    expect(await setup.read(order)).toMatchObject({ status: 'PARTIALLY_PAID', amountReceived: '0.4' });
    await chain.mempool([part, rest]);
    expect(await setup.read(order)).toMatchObject({ status: 'CONFIRMING' });
  });

  it('as read on top of a block that is the newest no more counts for nothing', async () => {
    const { tip } = chain;
    await chain.mineEmpty(1);
    expect(await applyMempool(setup.deps, 'ETH', tip, [pay(order, WHOLE)], [])).toBe('outdated');
    expect(await applyTimeouts(setup.deps, 'ETH', tip, minutesLater(60))).toBe(0);
    expect(await setup.read(order)).toMatchObject({ status: 'PENDING' });
  });
});

describe('time', () => {
  it('expires what nothing was sent for, and fails what was underpaid', async () => {
    await chain.mine(pay(order, 400_000n));
    const other = await setup.order(shop);
    setup.setNow(minutesLater(30));
    await chain.timeOut(new Date(minutesLater(30).getTime() - 1));
    expect(await setup.read(other)).toMatchObject({ status: 'PENDING' });
    expect(await chain.timeOut(minutesLater(30))).toBeGreaterThanOrEqual(2);
    expect(await setup.read(other)).toMatchObject({ status: 'EXPIRED' });
    expect((await setup.reportedEvents(order)).at(-1)).toBe('payment.failed FAILED UNDERPAID');
    expect(await chain.timeOut(minutesLater(30))).toBe(0);
  });

  it('passes for the watcher too: what was mined in time counts, however late it is read', async () => {
    setup.setNow(minutesLater(500));
    await chain.mineAt(minutesLater(29), pay(order, WHOLE));
    await chain.mineAt(minutesLater(490));
    await chain.timeOut(minutesLater(490));
    expect(await setup.reportedEvents(order)).toEqual(PAID);
  });

  it('what was seen in time is in time, whatever its block says', async () => {
    const transfer = pay(order, WHOLE);
    await chain.mempool([transfer]);
    setup.setNow(minutesLater(40));
    await chain.mineAt(minutesLater(40), transfer);
    await chain.mineEmpty(1);
    await chain.timeOut(minutesLater(40));
    expect(await setup.reportedEvents(order)).toEqual(PAID);
  });

  it('what was seen after the time, in a block from before, is in time', async () => {
    const transfer = pay(order, WHOLE);
    setup.setNow(minutesLater(30.01));
    await chain.mempool([transfer]);
    expect(await setup.read(order)).toMatchObject({ status: 'PENDING', amountReceived: '1' });
    await chain.mineAt(minutesLater(30), transfer);
    await chain.mineEmpty(1);
    expect(await setup.reportedEvents(order)).toEqual([PAID[0], 'payment.updated PENDING', ...PAID.slice(1)]);
  });

  it('late money is accepted by the copied policy: PAID_LATE', async () => {
    setup.setNow(minutesLater(30));
    await chain.timeOut(minutesLater(30));
    await chain.mineAt(minutesLater(31), pay(order, 2n * WHOLE));
    await chain.mineEmpty(1);
    expect((await setup.reportedEvents(order)).slice(1)).toEqual([
      'payment.expired EXPIRED',
      'payment.updated CONFIRMING',
      'payment.succeeded SUCCEEDED PAID_LATE',
    ]);
  });

  it('late money under MANUAL is credited, and the state left', async () => {
    const manual = await setup.order(shop, { late_payment_policy: 'MANUAL' });
    setup.setNow(minutesLater(30));
    await chain.timeOut(minutesLater(30));
    await chain.mineAt(minutesLater(31), pay(manual, WHOLE));
    await chain.mineEmpty(1);
    expect(await setup.read(manual)).toMatchObject({ status: 'EXPIRED', amountConfirmed: '1' });
    expect(await setup.balance(shop)).toMatchObject({ available: NET });
  });

  it('24 hours without confirmations fail it; confirmed money leads back', async () => {
    const transfer = pay(order, WHOLE);
    await chain.mempool([transfer]);
    const aDayLater = minutesLater(30 + 24 * 60);
    setup.setNow(aDayLater);
    await chain.timeOut(new Date(aDayLater.getTime() - 1));
    expect(await setup.read(order)).toMatchObject({ status: 'CONFIRMING' });
    await chain.timeOut(aDayLater);
    await chain.mine(transfer);
    expect(await setup.read(order)).toMatchObject({ status: 'FAILED', exception: 'UNCONFIRMED' });
    await chain.mineEmpty(1);
    expect((await setup.reportedEvents(order)).slice(2)).toEqual([
      'payment.failed FAILED UNCONFIRMED',
      'payment.updated CONFIRMING',
      'payment.succeeded SUCCEEDED PAID_LATE',
    ]);
  });

  it('can be ended by hand, and the ordinary expiry does the rest', async () => {
    setup.setNow(minutesLater(5));
    expect(await expireNow(setup.deps, shop, order.id)).toMatchObject({
      status: 'PENDING',
      expiresAt: minutesLater(5),
    });
    await chain.timeOut(minutesLater(5));
    expect(await setup.read(order)).toMatchObject({ status: 'EXPIRED' });
    await expect(expireNow(setup.deps, shop, order.id)).rejects.toMatchObject({ errorName: 'WRONG_STATE' });
  });
});

describe('cancelling', () => {
  it('is for what nothing was seen for', async () => {
    expect(await cancelPayment(setup.deps, shop, order.id)).toMatchObject({ status: 'CANCELED' });
    await expect(cancelPayment(setup.deps, shop, order.id)).rejects.toMatchObject({ errorName: 'WRONG_STATE' });
  });

  it('is refused once anything is on its way, late money and other assets included', async () => {
    setup.setNow(minutesLater(31));
    await chain.mineAt(minutesLater(31), pay(order, 5n, { currency: 'USDC' }));
    await expect(cancelPayment(setup.deps, shop, order.id)).rejects.toMatchObject({ errorName: 'WRONG_STATE' });
  });

  it('is for the merchant whose payment it is', async () => {
    const stranger = await setup.merchant();
    await expect(cancelPayment(setup.deps, stranger, order.id)).rejects.toMatchObject({ errorName: 'NOT_FOUND' });
  });
});
