// Erasure by age: the shorter of two limits, what is under way is left for later, and a restored backup is erased
// again.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createAgeErasure, eraseAllByAge } from '../../../src/domain/customers/age-erasure.ts';
import { digestOf, eraseCustomer } from '../../../src/domain/customers/erase-customer.ts';
import { eraseAgain, readAllErasures } from '../../../src/domain/operator/repeated-erasures.ts';
import { newId } from '../../../src/values/id.ts';
import { createSetup, openChain, START, type Setup } from '../book.fixture.ts';

const DAY_MS = 86_400_000;
const secrets = { customerKey: Buffer.alloc(32, 3) };
const daysLater = (days: number) => new Date(START.getTime() + days * DAY_MS);

let setup: Setup;

beforeAll(async () => {
  setup = await createSetup();
  await openChain(setup);
});
afterAll(() => setup.stop());
beforeEach(() => setup.sql('update merchant set customer_data_days = null'));

async function newShop(days: number | null = null): Promise<string> {
  const shop = await setup.merchant();
  await setup.sql('update merchant set customer_data_days = $2 where id = $1', [shop, days]);
  return shop;
}

/** Orders of a day, which ended at once unless told otherwise. */
async function ordersOf(shop: string, day: number, count = 1, status = 'SUCCEEDED'): Promise<string[]> {
  const ids: string[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const id = newId('ord', daysLater(day).getTime());
    await setup.order(shop, {
      ...{ id, customer_email: `c${String(nth)}@customer.example`, metadata: '{"a":"b"}' as never },
      ...{ return_url: 'https://shop.example/c', created_at: daysLater(day) },
    });
    ids.push(id);
  }
  await setup.sql('update payment set status = $2, updated_at = $3 where id = any($1)', [ids, status, daysLater(day)]);
  await setup.sql('update event set body = null where payment_id = any($1)', [ids]);
  return ids;
}

/** Runs a new worker once through everything. */
async function eraseAt(day: number, most: number | null = null, deps = setup.deps): Promise<void> {
  setup.setNow(daysLater(day));
  const worker = createAgeErasure(deps, most);
  while (await worker.processNext());
}

/** How many orders of a shop still name somebody. */
const named = async (shop: string) => {
  const [row] = await setup.sql<{ count: number }>(
    `select count(*)::int as count from payment where merchant_id = $1
       and (customer_email is not null or metadata is not null or return_url is not null)`,
    [shop],
  );
  return row?.count;
};

describe('erasure by age', () => {
  it('removes what is older than a merchant keeps it, in batches, and nothing of those who keep it for good', async () => {
    const [short, forGood] = [await newShop(30), await newShop()];
    await ordersOf(short, 0, 120);
    await ordersOf(short, 2, 3);
    await ordersOf(forGood, 0, 2);
    await eraseAt(29);
    expect([await named(short), await named(forGood)]).toEqual([123, 2]);
    await eraseAt(31);
    expect([await named(short), await named(forGood)]).toEqual([3, 2]);
    const payloads = await setup.sql<{ text: string }>(
      `select e.payload::text as text from event e join payment p on p.id = e.payment_id
       where p.merchant_id = $1 and p.customer_email is null`,
      [short],
    );
    expect(payloads).toHaveLength(120);
    expect(payloads.filter(({ text }) => text.includes('customer.example'))).toEqual([]);
  });

  it.each([
    [null, 40, 40],
    [60, 40, 40],
    [40, 60, 40],
    [40, null, 40],
  ])('with %p days of the merchant and %p of the operator takes %p', async (own, most, days) => {
    const shop = await newShop(own);
    await ordersOf(shop, 0);
    await eraseAt(days - 1, most);
    expect(await named(shop)).toBe(1);
    await eraseAt(days + 1, most);
    expect(await named(shop)).toBe(0);
  });

  it('leaves what is under way for later, and nothing else', async () => {
    const shop = await newShop(30);
    const [open = ''] = await ordersOf(shop, 0, 1, 'CONFIRMING');
    const [changed = ''] = await ordersOf(shop, 0);
    const [waits = ''] = await ordersOf(shop, 0);
    const [mailed = ''] = await ordersOf(shop, 0);
    await ordersOf(shop, 0, 2);
    await setup.sql('update payment set updated_at = $2 where id = $1', [changed, daysLater(29)]);
    await setup.sql(`update event set body = '{}' where payment_id = $1`, [waits]);
    await setup.sql(
      `insert into mail (id, merchant_id, order_id, template, recipient, locale, params, created_at, due_at)
       values ($1, $2, $3, 'RECEIPT', 'c0@customer.example', 'en', '{}', $4, $4)`,
      [newId('eml'), shop, mailed, START],
    );
    await eraseAt(31);
    const left = await setup.sql<{ id: string }>(
      'select id from payment where merchant_id = $1 and customer_email is not null order by id',
      [shop],
    );
    expect(left.map(({ id }) => id)).toEqual([open, changed, waits, mailed].sort());
    await setup.sql(`update mail set status = 'SENT' where order_id = $1`, [mailed]);
    await setup.sql(`update payment set status = 'EXPIRED' where id = $1`, [open]);
    await setup.sql('update event set body = null where payment_id = $1', [waits]);
    await eraseAt(33);
    expect(await named(shop)).toBe(0);
    const mails = await setup.sql(`select 1 from mail where order_id = $1 and recipient <> ''`, [mailed]);
    expect(mails).toEqual([]);
  });

  it('goes on behind an order that cannot be erased, and tries that one again', async () => {
    const [first, second] = [await newShop(30), await newShop(30)].sort();
    const ids = await ordersOf(first ?? '', 0, 70);
    await ordersOf(second ?? '', 0, 3);
    const broken = [...ids].sort()[10] ?? '';
    await setup.sql(`create function refuse() returns trigger language plpgsql as $$ begin raise 'broken'; end $$`);
    await setup.sql(
      `create trigger refuse before update on payment for each row when (old.id = '${broken}') execute function refuse()`,
    );
    setup.setNow(daysLater(31));
    expect(await eraseAllByAge(setup.deps, null)).toEqual({ erased: 72, failed: 1 });
    expect([await named(first ?? ''), await named(second ?? '')]).toEqual([1, 0]);
    await setup.sql('drop trigger refuse on payment');
    await eraseAt(31);
    expect(await named(first ?? '')).toBe(0);
  });

  it('by two processes at once erases each order once, and fails nowhere', async () => {
    const shop = await newShop(30);
    await ordersOf(shop, 0, 110);
    const other = await setup.another();
    await Promise.all([eraseAt(31), eraseAt(31, null, other)]);
    expect(await named(shop)).toBe(0);
  });
});

describe('erasing again', () => {
  const operator = () => ({ deps: setup.deps, name: 'Ada' });
  const who = () => ({ personId: newId('usr'), keyId: null, ip: '127.0.0.1', requestId: 'request' });

  it('removes on a restored backup who was erased, from the orders of then alone', async () => {
    const shop = await newShop();
    const [old = ''] = await ordersOf(shop, 0);
    setup.setNow(daysLater(10));
    await eraseCustomer({ ...setup.deps, secrets }, { merchantId: shop, ...who() }, 'C0@customer.example', null);
    const all = await readAllErasures(operator());
    const own = all.filter(({ merchantId }) => merchantId === shop);
    expect(own).toHaveLength(1);
    expect(own[0]?.digest).toEqual(digestOf(secrets, { merchantId: shop, email: 'c0@customer.example' }));
    // The backup was made before, and the customer came back after it.
    await setup.sql('delete from erasure where merchant_id = $1', [shop]);
    await setup.sql(`update payment set customer_email = 'C0@Customer.example' where id = $1`, [old]);
    const [later = ''] = await ordersOf(shop, 20);
    expect(await eraseAgain(operator(), { customerKey: Buffer.alloc(32, 9) }, own)).toEqual({
      customers: 0,
      inUse: [],
    });
    expect(await named(shop)).toBe(2);
    expect(await eraseAgain(operator(), secrets, own)).toEqual({ customers: 1, inUse: [] });
    expect(await eraseAgain(operator(), secrets, own)).toEqual({ customers: 0, inUse: [] });
    const left = await setup.sql<{ id: string }>(
      'select id from payment where merchant_id = $1 and metadata is not null',
      [shop],
    );
    expect(left).toEqual([{ id: later }]);
    expect((await readAllErasures(operator())).filter(({ merchantId }) => merchantId === shop)).toEqual(own);
    const logged = await setup.sql(`select actor from operator_log where action = 'CUSTOMER_ERASED' and target = $1`, [
      own[0]?.id,
    ]);
    expect(logged).toEqual([{ actor: 'Ada' }]);
  });

  it('names what could not be, as something is under way', async () => {
    const shop = await newShop();
    await ordersOf(shop, 0, 1, 'CONFIRMING');
    const erasure = { id: newId('ers'), merchantId: shop, at: daysLater(1) };
    const digest = digestOf(secrets, { merchantId: shop, email: 'c0@customer.example' });
    expect(await eraseAgain(operator(), secrets, [{ ...erasure, digest }])).toEqual({
      customers: 0,
      inUse: [erasure.id],
    });
    expect(await named(shop)).toBe(1);
  });
});
