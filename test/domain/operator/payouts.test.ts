// The operator ends a payout that does not end by itself, but never while one of its transactions may still take
// effect.

import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Deps } from '../../../src/domain/deps.ts';
import { completeUnclearPayout, failStuckPayout, listOpenPayouts } from '../../../src/domain/operator/payouts.ts';
import type { Operator } from '../../../src/domain/operator/log.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { minutesLater } from '../book.fixture.ts';
import { addTransfer, audited, findWhole, logged, operatorOf } from './operate.fixture.ts';
import * as book from '../payouts/book.fixture.ts';
import { chain, order, shop, setup } from '../shop.fixture.ts';

let deps: Deps;
let operator: Operator;

beforeAll(() => {
  deps = book.withNetwork(setup.deps);
  operator = operatorOf(deps);
});
beforeEach(async () => {
  await book.deposit(chain, order, 1_000_000n);
  await findWhole(deps);
});
afterEach(async () => {
  expect((await verifyLedger(setup.deps.db)).faults).toEqual([]);
});

const reason = 'the recipient asked for it';
const untouched = { available: 590_000n, reserved: 400_000n, pending: 0n, owed: 0n };

describe('open payouts', () => {
  it('are listed once they are open for long, those of a network or all, oldest first', async () => {
    const old = await book.withdraw(deps, shop, '0.1');
    setup.setNow(minutesLater(61));
    const young = await book.withdraw(deps, shop, '0.2');
    const list = async (olderThanMinutes: number | null, network: string | null = null) =>
      (await listOpenPayouts(operator, { network, olderThanMinutes }))
        .filter(({ merchantId }) => merchantId === shop)
        .map(({ id }) => id);
    expect(await list(60)).toEqual([old.id]);
    expect(await list(null)).toEqual([old.id, young.id]);
    expect(await list(60, 'ETH')).toEqual([old.id]);
    expect(await list(null, 'POLYGON')).toEqual([]);
    expect((await logged(setup)).at(-1)).toMatchObject({ actor: 'Ada', action: 'PAYOUTS_READ', target: 'POLYGON' });
  });
});

describe('a payout that the operator fails', () => {
  it.each([
    ['was never compared', 'delete from signing_comparison'],
    ['is another copy than the one that was compared', `update signing_comparison set compared_under = 'before'`],
  ])('stays as it is while its book %s', async (_what, statement) => {
    const payout = await book.withdraw(deps, shop, '0.4');
    await setup.sql(statement);
    await expect(failStuckPayout(operator, { id: payout.id, reason })).rejects.toMatchObject({
      errorName: 'ALREADY_DECIDED',
      message: expect.stringContaining('has not compared the book') as unknown,
    });
    expect(await book.statusOf(setup, payout)).toBe('REQUESTED');
    expect(await setup.balance(shop)).toEqual(untouched);
  });

  it.each([[[]], [['FAILED']], [['FAILED', 'EXPIRED', 'REPLACED']], [['UNCLEAR']]])(
    'with the transactions %j is released, and both logs say who did it and why',
    async (statuses) => {
      const payout = await book.withdraw(deps, shop, '0.4');
      for (const status of statuses) await addTransfer(setup, payout.id, status);
      if (statuses.length > 0) await book.broadcast(deps, payout);
      expect(await failStuckPayout(operator, { id: payout.id, reason })).toMatchObject({ merchantId: shop });
      expect(await book.statusOf(setup, payout)).toBe('FAILED');
      expect(await setup.balance(shop)).toEqual({ available: 990_000n, reserved: 0n, pending: 0n, owed: 0n });
      const details = { amount: '0.4', currency: 'USDT', network: 'ETH', reason };
      const change = { action: 'PAYOUT_FAILED', target: payout.id, details };
      expect((await logged(setup)).at(-1)).toEqual({ actor: 'Ada', ...change });
      expect(await audited(setup, shop)).toEqual([change]);
      const rows = await setup.sql('select distinct status from transfer where payout_id = $1', [payout.id]);
      expect(rows).not.toContainEqual({ status: 'UNCLEAR' });
    },
  );

  it.each(['SIGNED', 'BROADCAST', 'CONFIRMED'])(
    'is refused while a transaction of it is %s, beside whatever others (4008), and nothing is changed or logged',
    async (status) => {
      const payout = await book.withdraw(deps, shop, '0.4');
      for (const each of ['FAILED', 'UNCLEAR', status]) await addTransfer(setup, payout.id, each);
      await book.broadcast(deps, payout);
      const before = await logged(setup);
      await expect(failStuckPayout(operator, { id: payout.id, reason })).rejects.toMatchObject({
        errorName: 'ALREADY_DECIDED',
        message: expect.stringContaining('a transaction of it may still take effect'),
      });
      expect(await book.statusOf(setup, payout)).toBe('BROADCAST');
      expect(await setup.balance(shop)).toEqual(untouched);
      expect(await logged(setup)).toEqual(before);
      expect(await audited(setup, shop)).toEqual([]);
      expect(await setup.sql(`select 1 from transfer where payout_id = $1 and status = 'UNCLEAR'`, [payout.id])).toHaveLength(1); // prettier-ignore
    },
  );

  it('is refused while signing stands still on its network: the book may lack a transaction of it (4008)', async () => {
    const payout = await book.withdraw(deps, shop, '0.4');
    await setup.sql(`insert into signing_halt (network, findings, halted_at) values ('ETH', '[]', now())`);
    await expect(failStuckPayout(operator, { id: payout.id, reason })).rejects.toMatchObject({
      errorName: 'ALREADY_DECIDED',
      message: expect.stringContaining('recover first'),
    });
    expect(await setup.balance(shop)).toEqual(untouched);
    await setup.sql('delete from signing_halt');
    await failStuckPayout(operator, { id: payout.id, reason });
  });

  it('is refused once it was paid, whatever became of its transaction, once it failed, and where there is none', async () => {
    const payout = await book.withdraw(deps, shop, '0.4');
    const refuse = (errorName: string, id = payout.id) =>
      expect(failStuckPayout(operator, { id, reason })).rejects.toMatchObject({ errorName });
    await book.broadcast(deps, payout);
    await book.complete(deps, payout);
    await refuse('ALREADY_DECIDED');
    await book.broadcast(deps, payout);
    await refuse('ALREADY_DECIDED');
    const failed = await book.withdraw(deps, shop, '0.1');
    await book.fail(deps, failed);
    await refuse('ALREADY_DECIDED', failed.id);
    await refuse('NOT_FOUND', 'wdr_none');
    await expect(failStuckPayout(operator, { id: payout.id, reason: ' ' })).rejects.toMatchObject({
      errorName: 'VALIDATION',
    });
  });

  it('is ended once of many at once, with the signer among them, and never both failed and paid', async () => {
    for (let round = 0; round < 5; round += 1) {
      const payout = await book.withdraw(deps, shop, '0.1');
      const acts = Array.from(
        { length: 20 },
        (_, nth) => () =>
          nth % 2 === 0 ? failStuckPayout(operator, { id: payout.id, reason }) : book.complete(deps, payout),
      );
      const ended = await Promise.allSettled(acts.map((act) => act()));
      const refusals = ended.filter((one) => one.status === 'rejected').map(({ reason: error }) => error as unknown);
      for (const error of refusals) expect(error).toMatchObject({ errorName: 'ALREADY_DECIDED' });
      const failed = ended.filter(({ status }, nth) => nth % 2 === 0 && status === 'fulfilled');
      const status = await book.statusOf(setup, payout);
      expect([status, failed.length]).toEqual(failed.length === 0 ? ['COMPLETED', 0] : ['FAILED', 1]);
    }
    expect(await setup.balance(shop)).toMatchObject({ reserved: 0n });
  });

  it('as a refund of a payment that had not succeeded has its money count as received again, and the page is told rightly', async () => {
    const part = await setup.order(shop);
    await book.deposit(chain, part, 600_000n);
    setup.setNow(minutesLater(31));
    await chain.mineEmpty(1);
    await chain.timeOut(minutesLater(31));
    const refund = await book.refund(deps, part, '0.2');
    await book.deposit(chain, part, 400_000n);
    expect((await setup.read(part)).status).toBe('FAILED');
    const asked = operatorOf({ ...deps, payUrl: 'http://elsewhere/pay' });
    await failStuckPayout(asked, { id: refund.id, reason });
    expect((await setup.read(part)).status).toBe('SUCCEEDED');
    const urls = await setup.sql(`select distinct payload->>'paymentUrl' as url from event where payment_id = $1 and version > 1`, [part.id]); // prettier-ignore
    expect(urls).toEqual([{ url: `${deps.payUrl}/${part.id}` }]);
  });
});

describe('a payout whose transaction was mined and cannot be read', () => {
  it('is booked as paid when the operator says so, under that transaction', async () => {
    const payout = await book.withdraw(deps, shop, '0.4');
    const txHash = await addTransfer(setup, payout.id, 'UNCLEAR');
    await book.broadcast(deps, payout, txHash);
    await completeUnclearPayout(operator, { id: payout.id, reason });
    const [row] = await setup.sql('select status, tx_hash as "txHash" from payout where id = $1', [payout.id]);
    expect(row).toEqual({ status: 'COMPLETED', txHash });
    expect(await setup.balance(shop)).toEqual({ available: 590_000n, reserved: 0n, pending: 0n, owed: 0n });
    expect(await setup.sql('select status from transfer where tx_hash = $1', [txHash])).toEqual([
      { status: 'CONFIRMED' },
    ]);
    expect(await audited(setup, shop)).toMatchObject([{ action: 'PAYOUT_COMPLETED', target: payout.id }]);
  });

  it.each([[[]], [['BROADCAST']], [['FAILED']]])(
    'and no other is: not one with the transactions %j (4008)',
    async (statuses) => {
      const payout = await book.withdraw(deps, shop, '0.4');
      for (const status of statuses) await addTransfer(setup, payout.id, status);
      await expect(completeUnclearPayout(operator, { id: payout.id, reason })).rejects.toMatchObject({
        errorName: 'ALREADY_DECIDED',
      });
      expect(await setup.balance(shop)).toEqual(untouched);
    },
  );
});

describe("the operator's log", () => {
  it('is changed and emptied by nobody', async () => {
    await listOpenPayouts(operator, { network: null, olderThanMinutes: null });
    for (const statement of [
      'update operator_log set actor = actor',
      'delete from operator_log',
      'truncate operator_log',
    ])
      await expect(setup.sql(statement)).rejects.toThrow('append-only');
  });
});
