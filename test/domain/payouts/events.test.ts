// Events of payouts: one for each change, in the transaction that makes it, in order, with the payout as it was then.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { numberEvents } from '../../../src/database/queries/events/number-events.ts';
import type { Deps } from '../../../src/domain/deps.ts';
import { findEvents } from '../../../src/domain/events/event-log.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { audit } from '../audit.fixture.ts';
import { createSetup, newHash, openChain, type DataChain, type Order, type Setup } from '../book.fixture.ts';
import * as book from './book.fixture.ts';

let setup: Setup;
let chain: DataChain;
let deps: Deps;
let shop: string;
let order: Order;

beforeAll(async () => {
  setup = await createSetup();
  deps = book.withNetwork(setup.deps, 1_000n);
});
afterAll(() => setup.stop());
beforeEach(async () => {
  chain = await openChain(setup);
  shop = await setup.merchant();
  order = await setup.order(shop);
  await book.deposit(chain, order, 1_000_000n);
});
afterEach(async () => {
  await audit(setup);
  expect((await verifyLedger(setup.deps.db)).faults).toEqual([]);
});

/** The merchant's events of payouts with the state that each tells, numbered first. */
async function told(): Promise<string[]> {
  while ((await numberEvents(deps.db.pool)) ?? 0);
  const { items } = await findEvents(deps, shop, { after: 0, limit: 100 });
  expect(items.map(({ sequence }) => sequence)).toEqual(items.map((_, nth) => nth + 1));
  return items.flatMap(({ type, withdrawal, refund }) => {
    const payout = withdrawal ?? refund;
    return payout ? [`${type} ${payout.status}`] : [];
  });
}

describe('the events of a withdrawal', () => {
  it('tell its way once, and what changes on it', async () => {
    const withdrawal = await book.withdraw(deps, shop, '0.4', { merchantWithdrawalId: 'w-1' });
    const [first, second] = [newHash(), newHash()];
    for (const hash of [first, first, second]) await book.broadcast(deps, withdrawal, hash);
    await book.complete(deps, withdrawal, second);
    await book.complete(deps, withdrawal, second);
    await book.broadcast(deps, withdrawal, second);
    await book.complete(deps, withdrawal, second);
    expect(await told()).toEqual([
      'withdrawal.requested REQUESTED',
      'withdrawal.broadcast BROADCAST',
      'withdrawal.updated BROADCAST',
      'withdrawal.completed COMPLETED',
      'withdrawal.updated BROADCAST',
      'withdrawal.updated COMPLETED',
    ]);
  });

  it('say why it failed', async () => {
    const withdrawal = await book.withdraw(deps, shop, '0.4');
    await Promise.all([1, 2, 3].map(() => book.fail(deps, withdrawal)));
    expect(await told()).toEqual(['withdrawal.requested REQUESTED', 'withdrawal.failed FAILED']);
    const [event] = await setup.sql<{ body: string }>(
      `select body from event where payout_id = $1 and type = 'withdrawal.failed'`,
      [withdrawal.id],
    );
    expect(JSON.parse(event?.body ?? '').data).toEqual({
      withdrawal: {
        ...{ withdrawalId: withdrawal.id, status: 'FAILED', amount: '0.4', networkFee: '0.001', currency: 'USDT' },
        ...{ network: 'ETH', address: book.RECIPIENT, txHash: null, createdAt: withdrawal.createdAt.toISOString() },
        ...{ merchantWithdrawalId: null, heldReason: null, addressId: null, batchId: null },
        failureReason: 'a test says so',
        ...{ updatedAt: expect.any(String), completedAt: null },
      },
    });
  });

  it('are not there where the request was refused', async () => {
    await expect(book.withdraw(deps, shop, '1')).rejects.toMatchObject({ errorName: 'INSUFFICIENT_FUNDS' });
    expect(await told()).toEqual([]);
  });
});

describe('the events of a refund', () => {
  it("stand beside the payment's, about the payout", async () => {
    const refund = await book.refund(deps, order, '0.5');
    await book.broadcast(deps, refund);
    await book.complete(deps, refund);
    expect(await told()).toEqual([
      'refund.requested REQUESTED',
      'refund.broadcast BROADCAST',
      'refund.completed COMPLETED',
    ]);
    const rows = await setup.sql<{ type: string }>(
      'select type from event where payment_id = $1 and payout_id is not null',
      [order.id],
    );
    expect(rows).toEqual([]);
    expect(await setup.reportedEvents(order)).toContain('payment.refunded PARTIALLY_REFUNDED');
    const [event] = await setup.sql<{ body: string }>(
      `select body from event where payout_id = $1 and type = 'refund.completed'`,
      [refund.id],
    );
    expect(JSON.parse(event?.body ?? '').data.refund).toMatchObject({ refundId: refund.id, orderId: order.id });
  });

  it('tell that the deposit was lost', async () => {
    await book.refund(deps, order, '0.5');
    await book.loseForGood(chain);
    expect(await told()).toEqual(['refund.requested REQUESTED', 'refund.failed FAILED']);
  });
});

describe('changes that are committed in another order than they began', () => {
  it('are numbered by the version of the payout', async () => {
    const withdrawal = await book.withdraw(deps, shop, '0.1');
    await setup.sql(`update event set id = 'evt_~' || version where payout_id = $1`, [withdrawal.id]);
    await book.broadcast(deps, withdrawal);
    expect(await told()).toEqual(['withdrawal.requested REQUESTED', 'withdrawal.broadcast BROADCAST']);
  });
});
