// What a subscriber to a payment sees when changes, blocks and the read of the present state overlap.

import { describe, expect, it } from '@jest/globals';
import { createFollowers } from '../../../src/dispatch/subscriptions/followers.ts';
import type { PaymentSnapshot } from '../../../src/domain/snapshots/payment.ts';

const ID = 'ord_1';

/** The parts of a payment that subscribers look at: one unconfirmed transaction. */
function state(confirmations: number): PaymentSnapshot {
  const transactions = [{ status: 'PENDING', confirmations }];
  return { id: ID, network: 'ETH', confirmations, transactions } as unknown as PaymentSnapshot;
}

const followPayments = () =>
  createFollowers<PaymentSnapshot>({ mostWaiting: 10, onLeave: () => undefined, paymentsOf: (payment) => [payment] });

describe('a follower', () => {
  it('is shown what came in while the present state was read after it, and nothing that it has already', async () => {
    const followers = followPayments();
    const { queue, start } = followers.join(ID);
    const changes = [1, 2, 3, 4].map(state);
    for (const [index, change] of changes.entries()) followers.change(ID, index + 1, change);
    const present = state(2);
    start(2, present);
    followers.change(ID, 4, state(4));
    for (const expected of [present, changes[2], changes[3]]) expect((await queue.next()).value).toBe(expected);
    await queue.return();
    expect(followers.count()).toBe(0);
  });

  it('that came after a look at the chain had begun is not shown its result', async () => {
    const followers = followPayments();
    const early = followers.join(ID);
    early.start(1, state(1));
    const show = followers.beginRefresh(ID);
    const late = followers.join(ID);
    late.start(1, state(3));
    show(1, state(2));
    late.queue.push(state(9));
    const seen = async ({ queue }: typeof early) => (await queue.next()).value?.confirmations;
    expect([await seen(early), await seen(early)]).toEqual([1, 2]);
    expect([await seen(late), await seen(late)]).toEqual([3, 9]);
  });

  it('is not shown a version by such a look before its event has come, and is looked up again then', async () => {
    const followers = followPayments();
    const { queue, start } = followers.join(ID);
    start(1, state(1));
    followers.markNetworkStale('ETH');
    followers.beginRefresh(ID)(2, state(5));
    expect(followers.stale()).toEqual([]);
    followers.change(ID, 2, state(4));
    expect(followers.stale()).toEqual([ID]);
    followers.beginRefresh(ID)(2, state(5));
    const seen = [await queue.next(), await queue.next(), await queue.next()];
    expect(seen.map(({ value }) => value?.confirmations)).toEqual([1, 4, 5]);
  });
});
