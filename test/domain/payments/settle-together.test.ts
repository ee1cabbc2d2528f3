// Many payments settled by one block: in a fixed number of statements, with the same result as one after the other.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { postEntries, type AccountRef, type LedgerEntry } from '../../../src/database/queries/ledger/post-ledger.ts';
import { insertPayments } from '../../../src/database/queries/payments/insert-payments.ts';
import { inTransaction } from '../../../src/domain/deps.ts';
import { newId } from '../../../src/values/id.ts';
import { audit } from '../audit.fixture.ts';
import {
  createSetup,
  openChain,
  orderRow,
  pay,
  START,
  type DataChain,
  type Order,
  type Setup,
} from '../book.fixture.ts';

let setup: Setup;
let chain: DataChain;
let shop: string;
let statements = 0;

beforeAll(async () => {
  setup = await createSetup();
  const counted = new WeakSet<object>();
  setup.deps.db.pool.on('acquire', (client) => {
    if (counted.has(client)) return;
    counted.add(client);
    const run = client.query.bind(client) as (...given: unknown[]) => unknown;
    Object.assign(client, { query: (...given: unknown[]) => ((statements += 1), run(...given)) });
  });
});
afterAll(() => setup.stop());
beforeEach(async () => {
  setup.setNow(START);
  chain = await openChain(setup);
  shop = await setup.merchant();
});
afterEach(() => audit(setup));

async function orders(count: number, merchantId = shop): Promise<Order[]> {
  const rows = Array.from({ length: count }, () => orderRow(merchantId));
  await insertPayments(setup.deps.db.pool, rows);
  return rows.map(({ id, address_key }) => ({ id, merchantId, addressKey: address_key }));
}

const account = (owner: string, purpose: string): AccountRef => ({ owner, purpose, currency: 'USDT', network: 'ETH' });

function entry(amount: (available: bigint) => bigint, reference = newId('wdr')): LedgerEntry {
  const [destination, source] = [account(shop, 'available'), account('gateway', 'custody')];
  return {
    ...{ id: newId('ltx'), reference, paymentId: null, at: START, accounts: [source, destination] },
    plan: (balanceOf) => [{ source, destination, amount: amount(balanceOf(destination)) }],
  };
}

describe('a block with many payments', () => {
  it('settles each of them once, however many there are', async () => {
    const other = await setup.merchant();
    const all = [...(await orders(700)), ...(await orders(500, other))];
    await chain.mine(...all.map((order) => pay(order, 1_000_000n)));
    await chain.mineEmpty(1);
    expect(await setup.balance(shop)).toMatchObject({ available: 693_000_000n });
    expect(await setup.balance(other)).toMatchObject({ available: 495_000_000n });
    const [states] = await setup.sql<{ succeeded: string }>(
      `select count(*) as succeeded from payment where merchant_id = any($1) and status = 'SUCCEEDED' and version = 3`,
      [[shop, other]],
    );
    expect(Number(states?.succeeded)).toBe(1_200);
  });

  it('takes as many statements as a block with two', async () => {
    const settle = async (count: number) => {
      const block = chain.next((await orders(count)).map((order) => pay(order, 1_000_000n)));
      const before = statements;
      await chain.apply(block);
      await chain.mineEmpty(1);
      return statements - before;
    };
    const few = await settle(2);
    expect(few).toBeGreaterThan(0);
    expect(await settle(100)).toBe(few);
  });

  it('settles what is owed out of the first of its credits', async () => {
    const [lost, ...later] = await orders(4);
    if (!lost) throw new Error('There are four orders');
    await chain.mineEmpty(1);
    await chain.mine(pay(lost, 1_000_000n));
    await chain.mineEmpty(1);
    await inTransaction(setup.deps, (em) => postEntries(em, [takeAll()]));
    await chain.rollBack(2);
    await chain.mineEmpty(2);
    expect(await setup.balance(shop)).toMatchObject({ available: 0n, owed: 990_000n });
    await chain.mine(...later.map((order) => pay(order, 1_000_000n)));
    await chain.mineEmpty(1);
    expect(await setup.balance(shop)).toMatchObject({ available: 1_980_000n, owed: 0n });
    const settled = await setup.sql(
      `select p.id from posting p join ledger_account a on a.id = p.destination_id
       where a.owner = $1 and a.purpose = 'receivable'`,
      [shop],
    );
    expect(settled).toHaveLength(1);
  });

  it('credits one payment and takes back the other when both fall due together', async () => {
    const [lost, found] = await orders(2);
    if (!lost || !found) throw new Error('There are two orders');
    await chain.mineEmpty(1);
    await chain.mine(pay(lost, 1_000_000n));
    await chain.mineEmpty(1);
    await chain.rollBack(2);
    await chain.mine(pay(found, 400_000n));
    await chain.mineEmpty(1);
    expect(await setup.balance(shop)).toEqual({ available: 396_000n, reserved: 0n, pending: 0n, owed: 0n });
    expect(await setup.read(lost)).toMatchObject({ status: 'FAILED', exception: 'REORGED' });
    expect(await setup.read(found)).toMatchObject({ status: 'PARTIALLY_PAID', amountConfirmed: '0.4' });
  });
});

/** Withdraws all that the merchant has. */
function takeAll(): LedgerEntry {
  const [source, destination] = [account(shop, 'available'), account('gateway', 'custody')];
  return {
    ...{ id: newId('ltx'), reference: newId('wdr'), paymentId: null, at: START, accounts: [source, destination] },
    plan: (balanceOf) => [{ source, destination, amount: balanceOf(source) }],
  };
}

describe('entries posted together', () => {
  const post = (...entries: LedgerEntry[]) => inTransaction(setup.deps, (em) => postEntries(em, entries));

  it('are each planned on what the one before left', async () => {
    const double = (available: bigint) => available;
    expect(
      (
        await post(
          entry(() => 5n),
          entry(double),
          entry(double),
        )
      ).size,
    ).toBe(3);
    expect(await setup.balance(shop)).toMatchObject({ available: 20n });
    await post(takeAll());
  });

  it('are posted once where two have one reference, or it was posted before', async () => {
    const reference = newId('wdr');
    expect(
      (
        await post(
          entry(() => 5n, reference),
          entry(() => 7n, reference),
        )
      ).size,
    ).toBe(1);
    expect(await post(entry(() => 9n, reference))).toEqual(new Set());
    expect(await setup.balance(shop)).toMatchObject({ available: 5n });
    await post(takeAll());
  });
});
