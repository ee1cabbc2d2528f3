// Inserting payments in batches: idempotency keys, stale addresses, and retries.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGroupCommit } from '../../../../src/database/group-commit.ts';
import { insertPayments, type NewPaymentRow } from '../../../../src/database/queries/payments/insert-payments.ts';
import { newId } from '../../../../src/values/id.ts';
import { createSetup, orderRow, type Setup } from '../../../domain/book.fixture.ts';

let setup: Setup;
let shop: string;

beforeAll(async () => {
  setup = await createSetup();
  shop = await setup.merchant();
});
afterAll(() => setup.stop());

const insert = (batch: readonly NewPaymentRow[]) => insertPayments(setup.deps.db.pool, batch);

/** Submissions made at once share a batch; others go alone. */
function createSubmit() {
  const commit = createGroupCommit<NewPaymentRow, boolean>({
    run: async (batch) => (await insert(batch)).map((insertion) => insertion === 'ACCEPTED'),
    maxBatch: 16,
    concurrency: 1,
  });
  return (row: NewPaymentRow) => commit.submit(row);
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

describe('inserting payments', () => {
  it('an idempotency key is taken once: the second command with it is not accepted', async () => {
    const key = { once_key: newId('evt'), once_digest: 'ab' };
    const [first, second] = [orderRow(shop, key), orderRow(shop, key)];
    const submit = createSubmit();
    expect(await submit(first)).toBe(true);
    expect(await submit(second)).toBe(false);
    expect(await submit(first)).toBe(false);
    expect(await counts([first.id, second.id])).toEqual({ payments: 1, events: 1 });
  });

  it('an idempotency key is taken once even within a batch', async () => {
    const key = { once_key: newId('evt'), once_digest: 'ab' };
    const both = [orderRow(shop, key), orderRow(shop, key)];
    const submit = createSubmit();
    expect((await Promise.all(both.map(submit))).filter(Boolean)).toHaveLength(1);
    expect(await counts(both.map(({ id }) => id))).toEqual({ payments: 1, events: 1 });
  });

  it('an address of another copy of the database, or from before its server restarted, does not affect its batch', async () => {
    const submit = createSubmit();
    const key = { once_key: newId('evt'), once_digest: 'ab' };
    const { given } = orderRow(shop);
    const stale = [
      orderRow(shop, { given: { ...given, epoch: '1' } }),
      orderRow(shop, { given: { ...given, serverRun: '1.5' }, ...key }),
    ];
    const good = rows(10);
    const results = await Promise.all([...stale, ...good].map(submit));
    expect(results).toEqual([...stale.map(() => false), ...good.map(() => true)]);
    expect(await counts(stale.map(({ id }) => id))).toEqual({ payments: 0, events: 0 });
    expect(await counts(good.map(({ id }) => id))).toEqual({ payments: 10, events: 10 });
    // Its idempotency key was not taken, so another address can be tried.
    expect(await insert([orderRow(shop, key)])).toEqual(['ACCEPTED']);
    expect(await insert([orderRow(shop, key)])).toEqual(['REPEATED']);
  });

  it('what was stored before its server was restarted is accepted again, and stored once', async () => {
    const row = orderRow(shop);
    expect(await insert([row])).toEqual(['ACCEPTED']);
    expect(await insert([{ ...row, given: { epoch: '7', serverRun: '1.5' } }])).toEqual(['ACCEPTED']);
    expect(await counts([row.id])).toEqual({ payments: 1, events: 1 });
  });

  it('a key of another merchant is another key', async () => {
    const key = { once_key: 'same', once_digest: 'ab' };
    const submit = createSubmit();
    const both = [orderRow(shop, key), orderRow(await setup.merchant(), key)];
    expect(await Promise.all(both.map(submit))).toEqual([true, true]);
  });
});
