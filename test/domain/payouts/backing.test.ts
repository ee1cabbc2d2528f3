// The last check before a payout is signed: the book must cover it, even when a reversal happens at the same moment.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { inTransaction, type Deps } from '../../../src/domain/deps.ts';
import { applyBlock } from '../../../src/domain/payments/apply-observation.ts';
import { mayPay, mayTransact } from '../../../src/domain/payouts/signing-gate.ts';
import { completePayout, lockPayout, markBroadcast } from '../../../src/domain/payouts/lifecycle.ts';
import { audit } from '../audit.fixture.ts';
import { createSetup, newHash, openChain, type DataChain, type Order, type Setup } from '../book.fixture.ts';
import * as book from './book.fixture.ts';

let setup: Setup;
let chain: DataChain;
let deps: Deps;
let signer: Deps;
let shop: string;

beforeAll(async () => {
  setup = await createSetup();
  deps = book.withNetwork(setup.deps, 1_000n);
  signer = book.withNetwork(await setup.another(), 1_000n);
});
afterAll(() => setup.stop());
beforeEach(async () => {
  chain = await openChain(setup);
  shop = await setup.merchant();
});
afterEach(() => audit(setup));

/** What the signer does with a payout, in one transaction; returns whether it was signed. */
const sign = (id: string, its = signer): Promise<boolean> =>
  inTransaction(its, async (em) => {
    if (!(await mayTransact(em, 'ETH'))) return false;
    const { payout } = await lockPayout(em, id);
    if (payout.status !== 'REQUESTED' || !(await mayPay(its, em, payout))) return false;
    await markBroadcast(its, em, id, newHash());
    return true;
  });

/** Orders that are paid and confirmed, the newest last; the newest two blocks are those of the last. */
async function paid(...amounts: readonly bigint[]): Promise<Order[]> {
  const orders: Order[] = [];
  for (const amount of amounts) {
    const order = await setup.order(shop);
    await book.deposit(chain, order, amount);
    orders.push(order);
  }
  return orders;
}

const statusOf = ({ id }: { id: string }) => book.statusOf(setup, { id });

const RESTORED = `insert into cluster_change (kind, reason, adoption, cursors, at)
  values ('ADOPTION', 'another server', 1, '{}', now())`;

describe('a payout that is judged when it is signed', () => {
  it.each([
    ['is signed where nothing was taken back', [100_000_000n], false, ['50'], ['BROADCAST'], 0n],
    ['fails where the deposit was taken back', [100_000_000n], true, ['50'], ['FAILED'], 0n],
    ['fails like every other that is not covered', [100_000_000n], true, ['50', '40'], ['FAILED', 'FAILED'], 0n],
    [
      'is signed once those before it have settled what is owed',
      [90_000_000n, 10_000_000n],
      true,
      ['50', '40'],
      ['FAILED', 'BROADCAST'],
      0n,
    ],
    [
      'fails where only a part of what is owed was there',
      [1_000_000n, 100_000_000n],
      true,
      ['99', '0.5'],
      ['FAILED', 'BROADCAST'],
      0n,
    ],
  ] as const)('%s', async (_, amounts, isLost, asked, ends, owed) => {
    await paid(...amounts);
    const payouts = [];
    for (const amount of asked) payouts.push(await book.withdraw(deps, shop, amount));
    if (isLost) await book.loseForGood(chain);
    for (const { id } of payouts) await sign(id);
    expect(await Promise.all(payouts.map(statusOf))).toEqual(ends);
    expect(await setup.balance(shop)).toMatchObject({ owed });
  });

  it('is a refund of another payment just as well: what they owe comes first', async () => {
    const [kept] = await paid(10_000_000n, 100_000_000n);
    if (!kept) throw new Error('There is no order');
    await book.withdraw(deps, shop, '95').then(({ id }) => sign(id));
    const refund = await book.refund(deps, kept, '5');
    await book.loseForGood(chain);
    expect(await setup.balance(shop)).toMatchObject({ available: 0n });
    expect(await sign(refund.id)).toBe(false);
    expect(await statusOf(refund)).toBe('FAILED');
  });

  it.each([
    ['a network that is halted', "insert into signing_halt (network, findings, halted_at) values ('ETH', '[]', now())"],
    ['a database that was restored', RESTORED],
  ])('fails only where it would be signed, as a refund that may have been paid, on %s', async (_, doubt) => {
    const [order] = await paid(100_000_000n);
    await paid(100_000_000n);
    await chain.mineEmpty(1);
    if (!order) throw new Error('There is no order');
    const refund = await book.refund(deps, order);
    await setup.sql(doubt);
    await chain.rollBack(5);
    await chain.mineEmpty(5);
    const told = await statusOf(refund);
    await setup.sql('delete from signing_halt');
    await setup.sql('delete from cluster_change');
    expect(told).toBe('REQUESTED');
    expect(await sign(refund.id)).toBe(false);
    expect(await statusOf(refund)).toBe('FAILED');
    expect(await setup.sql('select failure from payout where id = $1', [refund.id])).toEqual([
      { failure: 'the deposit left the chain for good' },
    ]);
  });

  it('waits while a deposit that it needs is off the chain, and is signed when that is back', async () => {
    const order = await setup.order(shop);
    const block = chain.next([{ ...transferTo(order), amount: 100_000_000n }]);
    await chain.apply(block);
    await chain.mineEmpty(1);
    const payout = await book.withdraw(deps, shop, '50');
    await chain.rollBack(2);
    expect(await sign(payout.id)).toBe(false);
    expect(await setup.sql('select held_reason from payout where id = $1', [payout.id])).toEqual([
      { held_reason: 'DEPOSIT_UNSURE' },
    ]);
    await chain.apply(block);
    expect(await sign(payout.id)).toBe(true);
  });
});

const transferTo = ({ addressKey }: Order) => ({ txHash: newHash(), ordinal: 1, addressKey, currency: 'USDT' });

describe('a reversal and a signature at once', () => {
  it('a hundred times: either it was signed before, or it failed; never signed after, and nobody waits in a circle', async () => {
    const endings: boolean[] = [];
    for (let round = 0; round < 100; round += 1) {
      chain = await openChain(setup, 200 + 10 * round);
      shop = await setup.merchant();
      await paid(100_000_000n);
      const payouts = [await book.withdraw(deps, shop, '50'), await book.withdraw(deps, shop, '40')];
      const late = (turns: number) => new Promise<void>((resolve) => setTimeout(resolve, turns));
      const signed: boolean[] = [];
      const signBoth = async () => {
        for (const { id } of payouts) signed.push(await sign(id));
      };
      const reverse = () => book.loseForGood(chain);
      // One test each with a forced order, then the races.
      if (round === 0) await signBoth().then(reverse);
      else if (round === 1) await reverse().then(signBoth);
      else await Promise.all([late(round % 12).then(signBoth), late((round * 3) % 5).then(reverse)]);
      endings.push(...signed);
      // A payout that was not signed before the reversal is judged after it.
      for (const { id } of payouts) await sign(id);
      const ends = await Promise.all(payouts.map(statusOf));
      expect(ends).toEqual(signed.map((was) => (was ? 'BROADCAST' : 'FAILED')));
    }
    expect(new Set(endings)).toEqual(new Set([true, false]));
  });

  it('neither waits for the other in a circle when refunds fail while other payouts of the merchant complete', async () => {
    for (let round = 0; round < 40; round += 1) {
      chain = await openChain(setup, 5_000 + 10 * round);
      shop = await setup.merchant();
      const [, order] = await paid(100_000_000n, 50_000_000n);
      if (!order) throw new Error('There is no order');
      const leaving = await book.withdraw(deps, shop, '60');
      await sign(leaving.id);
      await book.refund(deps, order, '20');
      await chain.rollBack(2);
      await chain.mineEmpty(1);
      const last = chain.next();
      await Promise.all([
        applyBlock(setup.deps, 'ETH', last, last.height),
        inTransaction(signer, (em) => completePayout(signer, em, leaving.id, newHash())),
      ]);
      expect(await statusOf(leaving)).toBe('COMPLETED');
    }
  });
});
