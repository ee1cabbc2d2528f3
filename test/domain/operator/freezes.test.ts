// Freezes: once one is confirmed, nothing in its scope is requested or signed; everything outside goes on, and all does
// once it is lifted.

import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { findDuePayouts } from '../../../src/database/queries/payouts/due-payouts.ts';
import { inTransaction, type Deps } from '../../../src/domain/deps.ts';
import {
  freezePayouts,
  listFreezes,
  unfreezePayouts,
  type FreezeRequest,
} from '../../../src/domain/operator/freezes.ts';
import type { Operator } from '../../../src/domain/operator/log.ts';
import { mayPay, mayTransact } from '../../../src/domain/payouts/signing-gate.ts';
import { lockPayout, markBroadcast } from '../../../src/domain/payouts/lifecycle.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { until } from '../../support/until.ts';
import { minutesLater, newHash } from '../book.fixture.ts';
import { audited, logged, operatorOf } from './operate.fixture.ts';
import * as book from '../payouts/book.fixture.ts';
import { chain, order, shop, setup } from '../shop.fixture.ts';

let deps: Deps;
let elsewhere: Deps;
let operator: Operator;
const frozen: string[] = [];

beforeAll(async () => {
  deps = book.withNetwork(setup.deps);
  elsewhere = book.withNetwork(await setup.another());
  operator = operatorOf(deps);
});
beforeEach(async () => {
  await book.deposit(chain, order, 1_000_000n);
});
afterEach(async () => {
  for (const id of frozen.splice(0)) await unfreezePayouts(operator, id).catch(() => undefined);
  expect((await verifyLedger(setup.deps.db)).faults).toEqual([]);
});

async function freeze(scope: Omit<FreezeRequest, 'reason'> = {}): Promise<{ id: string; waiting: number }> {
  const { id, waiting } = await freezePayouts(operator, { ...scope, reason: 'an audit' });
  frozen.push(id);
  return { id, waiting };
}

const process = (nth: number): Deps => (nth % 2 === 0 ? deps : elsewhere);
const heldReason = async (id: string) =>
  (await setup.sql<{ reason: string | null }>('select held_reason as reason from payout where id = $1', [id]))[0]
    ?.reason;
const dueIds = async () =>
  (await findDuePayouts(deps.db.em, 'ETH', { now: deps.clock.now(), limit: 10_000 })).map(({ id }) => id);

/** What a signer does under its locks, without a chain; returns whether it signed. */
const sign = (its: Deps, id: string): Promise<boolean> =>
  inTransaction(its, async (em) => {
    if (!(await mayTransact(em, 'ETH'))) return false;
    const { payout } = await lockPayout(em, id);
    if (payout.status !== 'REQUESTED' || !(await mayPay(its, em, payout))) return false;
    await markBroadcast(its, em, id, newHash());
    return true;
  });

describe('the scope of a freeze', () => {
  const scopes: readonly [string, () => Omit<FreezeRequest, 'reason'>, boolean][] = [
    ['all', () => ({}), true],
    ['its merchant', () => ({ merchantId: shop }), true],
    ['its network', () => ({ network: 'erc20' }), true],
    ['its currency', () => ({ currency: 'usdt' }), true],
    ['its asset', () => ({ network: 'ETH', currency: 'USDT' }), true],
    ["its merchant's payouts of its asset", () => ({ merchantId: shop, network: 'ETH', currency: 'USDT' }), true],
    ['another network', () => ({ network: 'POLYGON' }), false],
    ['another currency', () => ({ currency: 'USDC' }), false],
    ['its currency on another network', () => ({ network: 'POLYGON', currency: 'USDT' }), false],
  ];

  it.each(scopes)(
    '%s: what was asked for waits or not, and a new payout is refused (4009) or not',
    async (_, scope, holds) => {
      const waiting = await book.withdraw(deps, shop, '0.1');
      const { id } = await freeze(scope());
      expect(await heldReason(waiting.id)).toBe(holds ? 'FROZEN' : null);
      expect((await dueIds()).includes(waiting.id)).toBe(!holds);
      const withdrawing = book.withdraw(deps, shop, '0.1');
      const refunding = withdrawing
        .then(
          () => undefined,
          () => undefined,
        )
        .then(() => book.refund(deps, order, '0.1'));
      if (holds)
        for (const asking of [withdrawing, refunding])
          await expect(asking).rejects.toMatchObject({ errorName: 'PAYOUTS_FROZEN' });
      else await Promise.all([withdrawing, refunding]);
      expect(await sign(deps, waiting.id)).toBe(!holds);
      await unfreezePayouts(operator, id);
      expect(await heldReason(waiting.id)).toBe(null);
      if (holds) expect(await dueIds()).toContain(waiting.id);
      if (holds) expect(await sign(deps, waiting.id)).toBe(true);
    },
  );

  it('one payout: it waits, and the next one of its merchant does not', async () => {
    const [one, two] = [await book.withdraw(deps, shop, '0.1'), await book.withdraw(deps, shop, '0.1')];
    expect(await freeze({ payoutId: one.id })).toMatchObject({ waiting: 1 });
    expect([await sign(deps, one.id), await sign(deps, two.id)]).toEqual([false, true]);
    await book.withdraw(deps, shop, '0.1');
    expect(await audited(setup, shop)).toMatchObject([{ action: 'PAYOUTS_FROZEN', details: { payoutId: one.id } }]);
  });

  it('another merchant: nothing of this one waits', async () => {
    const other = await setup.merchant();
    await freeze({ merchantId: other });
    expect(await sign(deps, (await book.withdraw(deps, shop, '0.1')).id)).toBe(true);
    expect(await audited(setup, other)).toMatchObject([{ action: 'PAYOUTS_FROZEN', details: { merchantId: other } }]);
  });

  it.each([
    ['VALIDATION', { reason: ' ' }],
    ['NOT_FOUND', { payoutId: 'wdr_none' }],
    ['NOT_FOUND', { merchantId: 'mer_none' }],
    ['UNSUPPORTED_ASSET', { network: 'NOWHERE' }],
    ['UNSUPPORTED_ASSET', { currency: 'NONE' }],
    ['UNSUPPORTED_ASSET', { currency: 'BTC', network: 'ETH' }],
  ])('that is invalid is refused: %s for %j', async (errorName, request) => {
    await expect(freezePayouts(operator, { reason: 'why', ...request })).rejects.toMatchObject({ errorName });
    expect(await listFreezes(operator)).toEqual([]);
  });

  it('a payout that is over cannot be frozen (4008)', async () => {
    const done = await book.withdraw(deps, shop, '0.1');
    await book.complete(deps, done);
    await expect(freezePayouts(operator, { payoutId: done.id, reason: 'why' })).rejects.toMatchObject({
      errorName: 'ALREADY_DECIDED',
    });
  });
});

describe('two freezes', () => {
  it('hold what both cover until both are lifted, and each is lifted once', async () => {
    const { id } = await book.withdraw(deps, shop, '0.1');
    const all = await freeze();
    setup.setNow(minutesLater(1));
    const network = await freeze({ network: 'ETH' });
    expect((await listFreezes(operator)).map((one) => [one.id, one.network])).toEqual([
      [all.id, null],
      [network.id, 'ETH'],
    ]);
    expect(await unfreezePayouts(operator, all.id)).toEqual({ released: 0 });
    expect(await sign(deps, id)).toBe(false);
    expect((await unfreezePayouts(operator, network.id)).released).toBeGreaterThan(0);
    await expect(unfreezePayouts(operator, network.id)).rejects.toMatchObject({ errorName: 'NOT_FOUND' });
    expect(await sign(deps, id)).toBe(true);
    const told = (await logged(setup))
      .map(({ action }) => action)
      .filter((action) => /PAYOUTS_(UN)?FROZEN/.test(action));
    expect(told.slice(-4)).toEqual(['PAYOUTS_FROZEN', 'PAYOUTS_FROZEN', 'PAYOUTS_UNFROZEN', 'PAYOUTS_UNFROZEN']);
  });
});

describe('a freeze among fifty that sign and fifty that ask', () => {
  it('answers only when whoever signs at the moment has done so', async () => {
    const { id } = await book.withdraw(deps, shop, '0.1');
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let isInside = false;
    const signing = inTransaction(elsewhere, async (em) => {
      expect(await mayTransact(em, 'ETH')).toBe(true);
      isInside = true;
      await held;
      const { payout } = await lockPayout(em, id);
      if (!(await mayPay(elsewhere, em, payout))) return false;
      await markBroadcast(elsewhere, em, id, newHash());
      return true;
    });
    await until(() => isInside);
    let isAnswered = false;
    const freezing = freeze().finally(() => (isAnswered = true));
    const waits = `select 1 from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`;
    try {
      await until(async () => isAnswered || (await setup.sql(waits)).length > 0);
      expect(isAnswered).toBe(false);
    } finally {
      goOn(); // or the transaction's locks outlive a failed test
    }
    expect(await signing).toBe(true);
    await freezing;
    expect(await book.statusOf(setup, { id })).toBe('BROADCAST');
  });

  it('once answered, nothing in scope was signed or taken on after it, and all of it waits', async () => {
    for (let round = 0; round < 5; round += 1) {
      const payer = await setup.merchant();
      await book.deposit(chain, await setup.order(payer), 2_000_000n);
      const asked = await Promise.all(
        Array.from({ length: 50 }, (_, nth) => book.withdraw(process(nth), payer, '0.01')),
      );
      const signing = asked.map(({ id }, nth) => sign(process(nth), id));
      const asking = Array.from({ length: 50 }, (_, nth) =>
        book.withdraw(process(nth), payer, '0.01').catch(() => false),
      );
      const { id } = await freeze(round % 2 === 0 ? {} : { merchantId: payer });
      const at = await setup.sql<{ id: string }>(`select id from payout where merchant_id = $1`, [payer]);
      const open = await setup.sql<{ id: string; held: string | null }>(
        `select id, held_reason as held from payout where merchant_id = $1 and status = 'REQUESTED'`,
        [payer],
      );
      await Promise.all([...signing, ...asking]);
      const after = await setup.sql<{ id: string; status: string }>(
        `select id, status from payout where merchant_id = $1 and (status = 'REQUESTED' or id = any($2))`,
        [payer, open.map((one) => one.id)],
      );
      expect(after.every(({ status }) => status === 'REQUESTED')).toBe(true);
      expect(await setup.sql('select id from payout where merchant_id = $1', [payer])).toHaveLength(at.length);
      expect(open.every(({ held }) => held === 'FROZEN')).toBe(true);
      await unfreezePayouts(operator, id);
      expect((await dueIds()).filter((one) => open.some(({ id: its }) => its === one))).toHaveLength(open.length);
      const signed = await Promise.all(open.map((one, nth) => sign(process(nth), one.id)));
      expect(signed).toEqual(open.map(() => true));
    }
  });
});
