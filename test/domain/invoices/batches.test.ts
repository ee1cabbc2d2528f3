// Invoices and choices of one moment share their statements: each is stored whole, once and by itself
// (contract-invoices, sections 3 and 13).

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { inTransaction } from '../../../src/domain/deps.ts';
import { digestOf } from '../../../src/domain/idempotency.ts';
import { query } from '../../../src/database/connection.ts';
import { audit } from '../audit.fixture.ts';
import { createSetup, START, type Setup } from '../book.fixture.ts';
import { openTill, type Till } from './till.fixture.ts';

let setup: Setup;
let till: Till;
let shop: string;

beforeAll(async () => {
  setup = await createSetup();
  till = await openTill(setup);
});
afterAll(() => setup.stop());
beforeEach(async () => {
  setup.setNow(START);
  till.rates.set('USDT/EUR', '1');
  shop = await setup.merchant();
});
afterEach(() => audit(setup));

const COUNT = 20;
const NUMBERS = Array.from({ length: COUNT }, (_, nth) => nth);
const inputOf = (nth: number) => ({ amount: String(nth + 1), currency: 'EUR', merchantInvoiceId: `A${String(nth)}` });
const onceOf = (key: number, nth = key) => ({
  ...{ scope: shop, operation: 'createInvoice', key: `key-${String(key)}` },
  inputDigest: digestOf(till.deps.secrets, inputOf(nth)),
});
const choiceOf = (invoiceId: string) => ({ invoiceId, currency: 'USDT', network: 'ETH', withoutToken: true });
const typesOf = async (invoiceId: string) => {
  const rows = await setup.sql<{ told: string }>(
    `select concat(type, ' ', version) as told from event
     where invoice_id = $1 or payment_id in (select payment_id from quote where invoice_id = $1) order by told`,
    [invoiceId],
  );
  return rows.map(({ told }) => told);
};
/** How many rows the shop has. */
const countOf = async (table: 'invoice' | 'idempotency' | 'payment') => {
  const owner = table === 'idempotency' ? 'scope' : 'merchant_id';
  return (await setup.sql(`select 1 from ${table} where ${owner} = $1`, [shop])).length;
};

describe('invoices created at once', () => {
  it('are stored with their events and answers, which repeats get', async () => {
    const create = () => Promise.all(NUMBERS.map((nth) => till.createOnce(shop, inputOf(nth), onceOf(nth))));
    const first = await create();
    expect(first.map(({ result, replayed }) => [result.amount, replayed])).toEqual(
      NUMBERS.map((nth) => [String(nth + 1), false]),
    );
    for (const { result } of first) expect(await typesOf(result.id)).toEqual(['invoice.created 1']);
    const repeats = await create();
    expect(repeats.map(({ result, replayed }) => [result.id, replayed])).toEqual(
      first.map(({ result }) => [result.id, true]),
    );
    expect([await countOf('invoice'), await countOf('idempotency')]).toEqual([COUNT, COUNT]);
  });

  it('under one reference are one invoice, whatever their keys, and none of the others is harmed', async () => {
    const answers = await Promise.all(
      NUMBERS.map((nth) => till.createOnce(shop, inputOf(nth % 2 ? 0 : nth), onceOf(nth, nth % 2 ? 0 : nth))),
    );
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(COUNT / 2);
    expect([await countOf('invoice'), await countOf('idempotency')]).toEqual([COUNT / 2, COUNT]);
  });

  it('one with a used reference is refused alone, and keeps no key', async () => {
    await till.createOnce(shop, inputOf(0), null);
    const answers = await Promise.allSettled(
      NUMBERS.map((nth) => till.createOnce(shop, { ...inputOf(nth), amount: '7' }, onceOf(nth))),
    );
    expect(answers.map(({ status }) => status)).toEqual(NUMBERS.map((nth) => (nth === 0 ? 'rejected' : 'fulfilled')));
    expect(answers[0]).toMatchObject({ reason: { errorName: 'REFERENCE_USED' } });
    expect([await countOf('invoice'), await countOf('idempotency')]).toEqual([COUNT, COUNT - 1]);
  });

  it('one whose key another process works on is refused alone', async () => {
    const name = JSON.stringify([shop, 'createInvoice', 'key-3']);
    const answers = await inTransaction(setup.deps, async (em) => {
      await query(em, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
      return Promise.allSettled(NUMBERS.map((nth) => till.createOnce(shop, inputOf(nth), onceOf(nth))));
    });
    expect(answers.map(({ status }) => status)).toEqual(NUMBERS.map((nth) => (nth === 3 ? 'rejected' : 'fulfilled')));
    expect(answers[3]).toMatchObject({ reason: { errorName: 'IDEMPOTENCY_IN_FLIGHT' } });
    expect(await countOf('invoice')).toBe(COUNT - 1);
  });
});

describe('coins chosen at once', () => {
  const createAll = () => Promise.all(NUMBERS.map((nth) => till.createOnce(shop, inputOf(nth), null)));

  it('make a quote of each invoice, and are answered as they are stored', async () => {
    const created = await createAll();
    const chosen = await Promise.all(created.map(({ result }) => till.choose(choiceOf(result.id))));
    for (const snapshot of chosen) {
      const repeat = await till.choose(choiceOf(snapshot.id));
      expect(repeat).toEqual(snapshot);
      expect(snapshot.payments).toHaveLength(1);
      expect(await typesOf(snapshot.id)).toEqual(['invoice.created 1', 'invoice.updated 2', 'payment.created 1']);
    }
    expect(await countOf('payment')).toBe(COUNT);
  });

  it('wait for no invoice but their own', async () => {
    const [held, ...others] = (await createAll()).map(({ result }) => result.id);
    if (held === undefined) throw new Error('There is no invoice');
    let ofHeld: Promise<unknown> | undefined;
    await inTransaction(setup.deps, async (em) => {
      await query(em, 'select 1 from invoice where id = $1 for update', [held]);
      ofHeld = till.choose(choiceOf(held));
      await Promise.all(others.map((id) => till.choose(choiceOf(id))));
      await query(em, `update invoice set description = 'changed' where id = $1`, [held]);
    });
    expect(await ofHeld).toMatchObject({ description: 'changed', payments: [{}] });
    expect(await countOf('payment')).toBe(COUNT);
  });
});
