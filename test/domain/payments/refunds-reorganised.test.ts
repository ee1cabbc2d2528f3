// Refunds of a payment that succeeded and then lost part of its money: the part that is left, and what comes back.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Transfer } from '../../../src/chain/blocks.ts';
import type { Deps } from '../../../src/domain/deps.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { audit } from '../audit.fixture.ts';
import { createSetup, openChain, pay, START, type DataChain, type Order, type Setup } from '../book.fixture.ts';
import * as book from '../payouts/book.fixture.ts';

let setup: Setup;
let chain: DataChain;
let deps: Deps;
let shop: string;
let order: Order;
/** The deposit that is lost: 0.7 of the 1 that is due; 0.3 remain. */
let lost: Transfer;

beforeAll(async () => {
  setup = await createSetup();
  deps = book.withNetwork(setup.deps);
});
afterAll(() => setup.stop());
beforeEach(async () => {
  setup.setNow(START);
  chain = await openChain(setup);
  shop = await setup.merchant();
  await book.deposit(chain, await setup.order(shop, { amount: '1' }), 5_000_000n);
  order = await setup.order(shop);
  await book.deposit(chain, order, 300_000n);
  lost = pay(order, 700_000n);
  await chain.mine(lost);
  await chain.mineEmpty(1);
  expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED' });
});
afterEach(async () => {
  await audit(setup);
  expect((await verifyLedger(setup.deps.db)).faults).toEqual([]);
});

async function lose(): Promise<void> {
  await book.loseForGood(chain);
  expect(await setup.read(order)).toMatchObject({ status: 'FAILED', exception: 'REORGED', amountConfirmed: '0.3' });
}

async function comeBack(): Promise<void> {
  await chain.mine(lost);
  await chain.mineEmpty(1);
}

const lastTold = async (count: number) => (await setup.reportedEvents(order)).slice(-count);

describe('a refund asked for while money is lost', () => {
  it('does not keep the payment from being what it was, and moves it on when it completes', async () => {
    await lose();
    const refund = await book.refund(deps, order, '0.2');
    expect(await setup.read(order)).toMatchObject({ status: 'FAILED', exception: 'REORGED' });
    await comeBack();
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', exception: null, amountConfirmed: '1' });
    await book.complete(deps, refund);
    expect(await setup.read(order)).toMatchObject({ status: 'PARTIALLY_REFUNDED', amountRefunded: '0.2' });
    expect(await lastTold(2)).toEqual(['payment.succeeded SUCCEEDED', 'payment.refunded PARTIALLY_REFUNDED']);
  });

  it('and completed before it comes back: what the payment is restored to is refunded as much', async () => {
    await lose();
    await book.complete(deps, await book.refund(deps, order));
    expect(await setup.read(order)).toMatchObject({ status: 'FAILED', exception: 'REORGED', amountRefunded: '0.3' });
    await comeBack();
    expect(await setup.read(order)).toMatchObject({ status: 'PARTIALLY_REFUNDED', exception: null });
    expect(await lastTold(3)).toEqual([
      ...['payment.refunded FAILED REORGED', 'payment.updated FAILED REORGED'],
      'payment.succeeded PARTIALLY_REFUNDED',
    ]);
    await book.complete(deps, await book.refund(deps, order));
    expect(await setup.read(order)).toMatchObject({ status: 'REFUNDED', amountRefunded: '1' });
  });

  it('is no more than what is left of it', async () => {
    await lose();
    await expect(book.refund(deps, order, '0.300001')).rejects.toMatchObject({ errorName: 'NOT_REFUNDABLE' });
  });

  it('that fails changes nothing', async () => {
    await lose();
    const refund = await book.refund(deps, order);
    await book.fail(deps, refund);
    expect(await setup.read(order)).toMatchObject({ status: 'FAILED', exception: 'REORGED' });
    await comeBack();
    expect(await setup.read(order)).toMatchObject({ status: 'SUCCEEDED', amountRefunded: '0' });
  });
});

describe('a refund that was sent before money was lost', () => {
  it('of everything, completed meanwhile: the payment comes back as REFUNDED', async () => {
    const refund = await book.refund(deps, order);
    await book.broadcast(deps, refund);
    await lose();
    await book.complete(deps, refund);
    await comeBack();
    expect(await setup.read(order)).toMatchObject({ status: 'REFUNDED', amountRefunded: '1' });
  });

  it('of a part, completed before: the payment comes back as it was', async () => {
    await book.complete(deps, await book.refund(deps, order, '0.1'));
    await lose();
    await comeBack();
    expect(await setup.read(order)).toMatchObject({ status: 'PARTIALLY_REFUNDED', amountRefunded: '0.1' });
  });
});
