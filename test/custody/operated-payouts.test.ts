// The operator's actions, on a real development chain beside running signers: a freeze holds exactly what is not
// signed, and fees leave once, to the cold address.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freezePayouts, unfreezePayouts } from '../../src/domain/operator/freezes.ts';
import { readGatewayFunds, withdrawFees } from '../../src/domain/operator/fees.ts';
import { failStuckPayout } from '../../src/domain/operator/payouts.ts';
import { inTransaction } from '../../src/domain/deps.ts';
import { lockPayout } from '../../src/domain/payouts/lifecycle.ts';
import type { Worker } from '../../src/loop.ts';
import { verifyLedger } from '../../src/domain/ledger/verify.ts';
import { operatorOf } from '../domain/operator/operate.fixture.ts';
import { until } from '../support/until.ts';
import { createPayoutSetup, type PayoutSetup } from './payout-setup.fixture.ts';

const ETHER = 10n ** 18n;
/** Anvil's third account: the operator's vault. */
const COLD = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';

let stage: PayoutSetup;
let shop: string;

beforeAll(async () => {
  stage = await createPayoutSetup();
});
afterAll(() => stage.stop());
beforeEach(async () => {
  stage.pass(1);
  shop = await stage.setup.merchant();
});
afterEach(async () => {
  await stage.audit();
  expect((await verifyLedger(stage.setup.deps.db)).faults).toEqual([]);
});

const operator = () => operatorOf(stage.deps);
const funds = async (currency: string) => (await readGatewayFunds(operator())).find((one) => one.currency === currency);

/** How many transactions of payouts were signed so far. */
const signed = async () =>
  (await stage.setup.sql<{ count: number }>(`select count(*)::int as count from transfer where purpose = 'PAYOUT'`))[0]
    ?.count ?? 0;

/** Runs workers independently of each other until told to stop. */
function run(...workers: Worker[]): () => Promise<void> {
  let isOver = false;
  const loops = workers.map(async (worker) => {
    while (!isOver) {
      await worker.processNext();
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  return async () => {
    isOver = true;
    await Promise.all(loops);
  };
}

describe('a freeze beside signers that run', () => {
  it('once answered, no payout is signed, fifty times over; what was signed goes on, and the rest once it is lifted', async () => {
    await stage.pay(await stage.order(shop), 'USDT', 100_000_000n);
    const other = await stage.another();
    const stop = run(stage.sender(), stage.sender({}, other));
    const ids: string[] = [];
    let held = 0;
    try {
      for (let round = 0; round < 50; round += 1) {
        const asked = await Promise.all(Array.from({ length: 3 }, () => stage.withdraw(shop, 'USDT', '0.05')));
        ids.push(...asked.map(({ id }) => id));
        const freeze = await freezePayouts(operator(), { reason: 'a drill' });
        const before = await signed();
        held += freeze.waiting;
        // Both signers have looked at everything since.
        await Promise.all([stage.sender().processNext(), stage.sender({}, other).processNext()]);
        expect(await signed()).toBe(before);
        await unfreezePayouts(operator(), freeze.id);
      }
      expect(held).toBeGreaterThan(0);
      await until(async () => {
        const open = await stage.setup.sql(`select 1 from payout where id = any($1) and status <> 'COMPLETED'`, [ids]);
        return open.length === 0;
      }, 240_000);
    } finally {
      await stop();
    }
    expect(await signed()).toBe(ids.length);
  }, 300_000);

  it('that is lifted while a signer parks a payout behind it holds it no longer', async () => {
    await stage.pay(await stage.order(shop), 'USDT', 10_000_000n);
    const { id } = await stage.withdraw(shop, 'USDT', '1');
    const freeze = await freezePayouts(operator(), { reason: 'a drill' });
    // As seen by a signer that found the payout due before the freeze.
    await stage.setup.sql('update payout set held_reason = null, held_since = null, look_at = null');
    let goOn = (): void => undefined;
    const isOver = new Promise<void>((resolve) => (goOn = resolve));
    let isHeld = false;
    const holding = inTransaction(stage.deps, async (em) => {
      await lockPayout(em, id);
      isHeld = true;
      await isOver;
    });
    await until(() => isHeld);
    const waiting = async () =>
      (
        await stage.setup.sql(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).length;
    const parking = stage.sender().processNext();
    await until(async () => (await waiting()) === 1);
    let isLifted = false;
    const lifting = unfreezePayouts(operator(), freeze.id).finally(() => (isLifted = true));
    await until(async () => isLifted || (await waiting()) === 2);
    goOn();
    await Promise.all([holding, parking, lifting]);
    expect(await stage.payout(id)).toMatchObject({ status: 'REQUESTED', held_reason: null });
    await stage.settle(stage.sender(), stage.watcher());
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
  });

  it('leaves what is signed alone: it is sent, replaced and completed under the freeze', async () => {
    await stage.pay(await stage.order(shop), 'USDT', 10_000_000n);
    const { id } = await stage.withdraw(shop, 'USDT', '1');
    const dead = stage.sender({
      devChain: { ...stage.dev, sendRaw: () => Promise.resolve(), mine: () => Promise.resolve() },
    });
    await until(async () => {
      await dead.processNext();
      await stage.sender().processNext();
      return (await stage.payout(id)).status === 'BROADCAST';
    });
    const freeze = await freezePayouts(operator(), { reason: 'a drill' });
    const late = stage.withdraw(shop, 'USDT', '1');
    await expect(late).rejects.toMatchObject({ errorName: 'PAYOUTS_FROZEN' });
    await stage.settle(stage.sender(), stage.watcher());
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    await unfreezePayouts(operator(), freeze.id);
  });

  it('of one payout lets the next one pass it, and it can be failed while it is held', async () => {
    await stage.pay(await stage.order(shop), 'USDT', 10_000_000n);
    const [one, two] = [await stage.withdraw(shop, 'USDT', '1'), await stage.withdraw(shop, 'USDT', '2')];
    await freezePayouts(operator(), { payoutId: one.id, reason: 'the merchant called' });
    await stage.settle(stage.sender(), stage.watcher());
    expect((await stage.payout(one.id)).status).toBe('REQUESTED');
    expect((await stage.payout(two.id)).status).toBe('COMPLETED');
    await failStuckPayout(operator(), { id: one.id, reason: 'the address is stolen' });
    expect(await stage.setup.balance(shop)).toMatchObject({ available: 7_900_000n, reserved: 0n });
    await stage.settle(stage.sender(), stage.watcher());
    expect(await stage.payout(one.id)).toMatchObject({
      status: 'FAILED',
      failure: 'the address is stolen',
      tx_hash: null,
    });
  });
});

describe('fees', () => {
  it.each([
    ['USDT', 200_000_000n],
    ['ETH', 2n * ETHER],
  ] as const)('of %s leave to the cold address, once, and are booked', async (currency, paid) => {
    await stage.pay(await stage.order(shop, currency), currency, paid);
    const before = await funds(currency);
    const held = await stage.holds(COLD, currency);
    const place = { adapter: stage.adapter, coldAddress: COLD };
    const payout = await withdrawFees(operator(), place, { currency, amount: 'max' });
    expect(payout.amount).toBe(before?.withdrawable);
    expect(payout.amount).toBeGreaterThanOrEqual(paid / 200n);
    expect((await funds(currency))?.withdrawable).toBe(0n);
    await stage.settle(stage.sender(), stage.watcher());
    expect(await stage.payout(payout.id)).toMatchObject({ status: 'COMPLETED' });
    expect((await stage.holds(COLD, currency)) - held).toBe(payout.amount);
    expect(await funds(currency)).toMatchObject({ fees: (before?.fees ?? 0n) - payout.amount, reserved: 0n });
    expect(await stage.setup.sql('select 1 from event where type like $1', ['payment.refunded'])).toEqual([]);
  });
});
