// Group commit: batch sizes, one bad command in a batch, an answer lost after the commit, failed runs, and concurrency.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGroupCommit } from '../../src/database/group-commit.ts';
import { insertPayments, type NewPaymentRow } from '../../src/database/queries/payments/insert-payments.ts';
import { newId } from '../../src/values/id.ts';
import { createSetup, orderRow, type Setup } from '../domain/book.fixture.ts';

let setup: Setup;
let shop: string;

beforeAll(async () => {
  setup = await createSetup();
  shop = await setup.merchant();
});
afterAll(() => setup.stop());

const insert = (batch: readonly NewPaymentRow[]) => insertPayments(setup.deps.db.pool, batch);

/** A group commit of inserts that records the sizes of its batches. */
function createRecordedCommit(run = insert) {
  const batches: number[] = [];
  const commit = createGroupCommit<NewPaymentRow, boolean>({
    run: async (batch) => {
      batches.push(batch.length);
      return (await run(batch)).map((insertion) => insertion === 'ACCEPTED');
    },
    maxBatch: 16,
    concurrency: 1,
  });
  return { batches, submit: (row: NewPaymentRow) => commit.submit(row) };
}

const rows = (count: number): NewPaymentRow[] => Array.from({ length: count }, () => orderRow(shop));

async function counts(ids: readonly string[]) {
  const [counted] = await setup.sql(
    `select (select count(*)::int from payment where id = any($1)) as payments,
      (select count(*)::int from event where payment_id = any($1)) as events`,
    [ids],
  );
  return counted;
}

describe('group commit', () => {
  it('commits what arrives together in few batches, and answers each command separately', async () => {
    const { batches, submit } = createRecordedCommit();
    const all = rows(40);
    expect(await Promise.all(all.map(submit))).toEqual(all.map(() => true));
    expect(batches).toEqual([16, 16, 8]);
    expect(await counts(all.map(({ id }) => id))).toEqual({ payments: 40, events: 40 });
  });

  it('one bad command does not fail its neighbours', async () => {
    const { submit } = createRecordedCommit();
    const taken = orderRow(shop);
    await submit(taken);
    const good = rows(10);
    const bad = [
      orderRow(shop, { address_key: taken.address_key }),
      orderRow(shop, { amount: '-1' }),
      orderRow(newId('mer')),
    ];
    const results = await Promise.allSettled([...good.slice(0, 5), ...bad, ...good.slice(5)].map(submit));
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual([
      ...good.slice(0, 5).map(() => true),
      ...bad.map(() => false),
      ...good.slice(5).map(() => true),
    ]);
    expect(await counts(good.map(({ id }) => id))).toEqual({ payments: 10, events: 10 });
    expect(await counts(bad.map(({ id }) => id))).toEqual({ payments: 0, events: 0 });
  });

  it('a batch whose answer was lost after its commit has one effect', async () => {
    let lost = false;
    const { submit } = createRecordedCommit(async (batch) => {
      const accepted = await insert(batch);
      if (lost) return accepted;
      lost = true;
      throw new Error('the connection was cut at the commit');
    });
    const all = rows(8);
    expect(await Promise.all(all.map(submit))).toEqual(all.map(() => true));
    expect(await counts(all.map(({ id }) => id))).toEqual({ payments: 8, events: 8 });
  });

  it('if a run returns too few results, the commands without one are rejected', async () => {
    const commit = createGroupCommit<number, number>({ run: (batch) => Promise.resolve(batch.slice(1)) });
    const results = await Promise.allSettled([1, 2, 3].map((command) => commit.submit(command)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  });

  it('goes on after a failure, and never exceeds its concurrency', async () => {
    let running = 0;
    let most = 0;
    const commit = createGroupCommit<number, number>({
      run: async (batch) => {
        most = Math.max(most, (running += 1));
        await new Promise(setImmediate);
        running -= 1;
        if (batch.includes(13)) throw new Error('unlucky');
        return batch;
      },
      maxBatch: 1,
      concurrency: 2,
    });
    const results = await Promise.allSettled(Array.from({ length: 30 }, (_, command) => commit.submit(command)));
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(most).toBe(2);
  });
});
