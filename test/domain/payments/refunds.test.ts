// Refunds: never more than was received, each reported once, and no longer counted as received if made before the
// payment succeeded.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { acceptPayment } from '../../../src/domain/payments/accept-payment.ts';
import type { Deps } from '../../../src/domain/deps.ts';
import { cancelPayment } from '../../../src/domain/payments/read-and-cancel.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { audit } from '../audit.fixture.ts';
import {
  createSetup,
  minutesLater,
  openChain,
  pay,
  START,
  type DataChain,
  type Order,
  type Setup,
} from '../book.fixture.ts';
import * as book from '../payouts/book.fixture.ts';

let setup: Setup;
let chain: DataChain;
let deps: Deps;
let elsewhere: Deps;
let shop: string;

beforeAll(async () => {
  setup = await createSetup();
  deps = book.withNetwork(setup.deps);
  elsewhere = book.withNetwork(await setup.another());
});
afterAll(() => setup.stop());
beforeEach(async () => {
  setup.setNow(START);
  chain = await openChain(setup);
  shop = await setup.merchant();
});
afterEach(async () => {
  await audit(setup);
  expect((await verifyLedger(setup.deps.db)).faults).toEqual([]);
});

const refusal = (errorName: string) => ({ errorName });
const refunds = async (order: Order) =>
  (await setup.reportedEvents(order)).filter((told) => told.startsWith('payment.refunded'));

/** An order that was paid in full; the shop has `more` units besides from another order. */
async function paidOrder(more = 1_000_000n): Promise<Order> {
  await book.deposit(chain, await setup.order(shop, { amount: '1' }), more);
  const order = await setup.order(shop);
  await book.deposit(chain, order, 1_000_000n);
  return order;
}

describe('a refund of a paid payment', () => {
  it('is the whole unless said otherwise: REFUNDED, told once, the fee not given back', async () => {
    const order = await paidOrder();
    const refund = await book.refund(deps, order);
    expect(refund).toMatchObject({ status: 'REQUESTED', amount: '1', paymentId: order.id });
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', amountRefunded: '0' });
    await book.broadcast(deps, refund);
    for (let times = 0; times < 3; times += 1) await book.complete(deps, refund);
    expect(await setup.read(order)).toMatchObject({ status: 'REFUNDED', amountRefunded: '1', feeAmount: '0.01' });
    expect(await refunds(order)).toEqual(['payment.refunded REFUNDED']);
    expect(await setup.balance(shop)).toMatchObject({ available: 980_000n, reserved: 0n });
  });

  it('in parts passes PARTIALLY_REFUNDED, and is told each time', async () => {
    const order = await paidOrder();
    for (const amount of ['0.3', '0.5', null]) await book.complete(deps, await book.refund(deps, order, amount));
    expect(await refunds(order)).toEqual([
      'payment.refunded PARTIALLY_REFUNDED',
      'payment.refunded PARTIALLY_REFUNDED',
      'payment.refunded REFUNDED',
    ]);
    await expect(book.refund(deps, order)).rejects.toMatchObject(refusal('NOT_REFUNDABLE'));
  });

  it('is no more than is left, requested refunds counted, failed ones not', async () => {
    const order = await paidOrder();
    const first = await book.refund(deps, order, '0.7');
    await expect(book.refund(deps, order, '0.300001')).rejects.toMatchObject(refusal('NOT_REFUNDABLE'));
    await book.fail(deps, first);
    expect(await book.refund(deps, order)).toMatchObject({ amount: '1' });
  });

  it('is never more than was received, however many are asked for at once', async () => {
    const order = await paidOrder(5_000_000n);
    const work = (nth: number) => book.refund(nth % 2 === 0 ? deps : elsewhere, order, '0.3');
    expect(await book.countThrough(20, work, 'NOT_REFUNDABLE')).toBe(3);
    const whole = await paidOrder(5_000_000n);
    const all = (nth: number) => book.refund(nth % 2 === 0 ? deps : elsewhere, whole);
    expect(await book.countThrough(20, all, 'NOT_REFUNDABLE')).toBe(1);
  });

  it('needs the balance to bear it, network fee and all', async () => {
    const order = await setup.order(shop);
    await book.deposit(chain, order, 1_000_000n);
    await expect(book.refund(deps, order)).rejects.toMatchObject(refusal('INSUFFICIENT_FUNDS'));
    const charged = book.withNetwork(setup.deps, 10_000n);
    await expect(book.refund(charged, order, '0.980001')).rejects.toMatchObject(refusal('INSUFFICIENT_FUNDS'));
    expect(await book.refund(charged, order, '0.98')).toMatchObject({ networkFee: '0.01' });
  });

  it('is too small to be sent below the least amount', async () => {
    const order = await paidOrder();
    await expect(book.refund(deps, order, '0.009999')).rejects.toMatchObject(refusal('DUST'));
  });

  it('is told once though its transaction leaves the chain and comes back', async () => {
    const order = await paidOrder();
    const refund = await book.refund(deps, order, '0.3');
    for (let turn = 0; turn < 3; turn += 1) {
      await book.broadcast(deps, refund);
      await book.complete(deps, refund);
    }
    expect(await refunds(order)).toHaveLength(1);
    expect(await setup.read(order)).toMatchObject({ amountRefunded: '0.3', status: 'PARTIALLY_REFUNDED' });
    expect(await setup.balance(shop)).toMatchObject({ available: 1_680_000n, reserved: 0n });
  });

  it('leaves later deposits credited and refundable, the state unchanged', async () => {
    const order = await paidOrder();
    await book.complete(deps, await book.refund(deps, order));
    await book.deposit(chain, order, 200_000n);
    expect(await setup.read(order)).toMatchObject({ status: 'REFUNDED', amountConfirmed: '1.2' });
    await book.complete(deps, await book.refund(deps, order));
    expect(await setup.read(order)).toMatchObject({ status: 'REFUNDED', amountRefunded: '1.2' });
    expect(await refunds(order)).toHaveLength(2);
  });

  it.each(['PENDING', 'CONFIRMING'])('is refused in %s', async (status) => {
    const order = await setup.order(shop);
    if (status === 'CONFIRMING') await chain.mine(pay(order, 1_000_000n));
    expect((await setup.read(order)).status).toBe(status);
    await expect(book.refund(deps, order, '0.1')).rejects.toMatchObject(refusal('NOT_REFUNDABLE'));
  });
});

describe('a deposit that is gone for good', () => {
  it("fails the payment's requested refunds and releases them; what was broadcast goes on", async () => {
    const order = await setup.order(shop);
    await book.deposit(chain, order, 1_000_000n);
    const [requested, sent] = [await book.refund(deps, order, '0.3'), await book.refund(deps, order, '0.1')];
    await book.broadcast(deps, sent);
    await book.loseForGood(chain);
    expect(await book.statusOf(setup, requested)).toBe('FAILED');
    expect(await book.statusOf(setup, sent)).toBe('BROADCAST');
    expect(await setup.read(order)).toMatchObject({ status: 'FAILED', exception: 'REORGED' });
    expect(await setup.balance(shop)).toMatchObject({ available: 0n, reserved: 100_000n, owed: 100_000n });
    await book.complete(deps, sent);
    expect(await refunds(order)).toEqual(['payment.refunded FAILED REORGED']);
    expect(await setup.balance(shop)).toMatchObject({ available: 0n, reserved: 0n, owed: 100_000n });
  });

  it('leaves the refunds of other payments alone', async () => {
    const other = await paidOrder();
    const refund = await book.refund(deps, other, '0.1');
    await book.deposit(chain, await setup.order(shop), 1_000_000n);
    await book.loseForGood(chain);
    expect(await book.statusOf(setup, refund)).toBe('REQUESTED');
  });
});

describe('money refunded before the payment succeeded', () => {
  beforeEach(async () => {
    await book.deposit(chain, await setup.order(shop, { amount: '1' }), 5_000_000n);
  });

  async function expire(): Promise<void> {
    setup.setNow(minutesLater(31));
    await chain.timeOut(minutesLater(31));
  }

  it('takes a PARTIALLY_PAID payment back to PENDING, and the whole is due again', async () => {
    const order = await setup.order(shop);
    await book.deposit(chain, order, 600_000n);
    const signals = setup.signaled();
    await book.refund(deps, order);
    expect((await setup.read(order)).status).toBe('PENDING');
    expect(setup.signaled()).toBeGreaterThan(signals);
    await book.deposit(chain, order, 400_000n);
    expect((await setup.read(order)).status).toBe('PARTIALLY_PAID');
    await book.deposit(chain, order, 600_000n);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', exception: null });
  });

  it('does not make up the full amount of a FAILED payment that is paid late', async () => {
    const order = await setup.order(shop);
    await book.deposit(chain, order, 600_000n);
    await expire();
    await book.complete(deps, await book.refund(deps, order));
    expect(await refunds(order)).toEqual(['payment.refunded FAILED UNDERPAID']);
    await book.deposit(chain, order, 400_000n);
    expect(await setup.read(order)).toMatchObject({ status: 'FAILED', exception: 'UNDERPAID', amountConfirmed: '1' });
    await book.deposit(chain, order, 600_000n);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', exception: 'PAID_LATE' });
  });

  it('does not make it up for a CANCELED one', async () => {
    const order = await setup.order(shop);
    await cancelPayment(deps, shop, order.id);
    await book.deposit(chain, order, 500_000n);
    await book.refund(deps, order);
    await book.deposit(chain, order, 500_000n);
    expect((await setup.read(order)).status).toBe('CANCELED');
    await book.deposit(chain, order, 500_000n);
    expect((await setup.read(order)).status).toBe('SUCCEEDED');
  });

  it('does not let an EXPIRED one be accepted, until the rest came again', async () => {
    const order = await setup.order(shop, { late_payment_policy: 'MANUAL' });
    await expire();
    await book.deposit(chain, order, 1_000_000n);
    await book.refund(deps, order, '0.4');
    await expect(acceptPayment(deps, shop, order.id)).rejects.toMatchObject(refusal('WRONG_STATE'));
    await book.deposit(chain, order, 400_000n);
    expect((await setup.read(order)).status).toBe('EXPIRED');
    expect(await acceptPayment(deps, shop, order.id)).toMatchObject({ status: 'SUCCEEDED', exception: 'PAID_LATE' });
    await expect(acceptPayment(deps, shop, order.id)).rejects.toMatchObject(refusal('WRONG_STATE'));
  });

  it('counts again at once when the refund fails', async () => {
    const order = await setup.order(shop);
    await book.deposit(chain, order, 600_000n);
    await expire();
    const refund = await book.refund(deps, order);
    await book.deposit(chain, order, 400_000n);
    expect((await setup.read(order)).status).toBe('FAILED');
    await book.fail(deps, refund);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', exception: 'PAID_LATE' });
  });

  it('does not count against the refunds that follow: all that is confirmed can be given back', async () => {
    const order = await setup.order(shop);
    await book.deposit(chain, order, 600_000n);
    await book.complete(deps, await book.refund(deps, order));
    await book.deposit(chain, order, 1_000_000n);
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', amountRefunded: '0.6' });
    await book.complete(deps, await book.refund(deps, order, '0.4'));
    expect((await setup.read(order)).status).toBe('PARTIALLY_REFUNDED');
    await book.complete(deps, await book.refund(deps, order));
    expect(await setup.read(order)).toMatchObject({ status: 'REFUNDED', amountRefunded: '1.6' });
  });
});
