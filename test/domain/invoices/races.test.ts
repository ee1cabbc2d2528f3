// Concurrent operations on an invoice over several connections of a real PostgreSQL (contract-invoices, section 13).

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { QueryConfig } from 'pg';
import { createAssetChooser } from '../../../src/domain/invoices/choose-asset.ts';
import { cancelInvoice, expireInvoice } from '../../../src/domain/invoices/end-invoice.ts';
import { audit } from '../audit.fixture.ts';
import { createSetup, openChain, START, type DataChain, type Setup } from '../book.fixture.ts';
import * as book from '../payouts/book.fixture.ts';
import { openTill, orderOf, read, toldOf, toward, type Till } from './till.fixture.ts';

let setup: Setup;
let tills: readonly [Till, Till];
let shop: string;
let eth: DataChain;
let tron: DataChain;

beforeAll(async () => {
  setup = await createSetup();
  const one = await openTill(setup);
  tills = [one, await openTill({ ...setup, deps: await setup.another() }, one.rates)];
});
afterAll(() => setup.stop());
beforeEach(async () => {
  setup.setNow(START);
  tills[0].rates.set('USDT/EUR', '1');
  shop = await setup.merchant();
  [eth, tron] = [await openChain(tills[0], 100, 'ETH'), await openChain(tills[1], 100, 'TRON')];
});
afterEach(() => audit(setup));

const choice = (invoiceId: string, network: string) => ({ invoiceId, currency: 'USDT', network, withoutToken: true });

describe('at once', () => {
  it('two choices of one asset make one quote, and both get it', async () => {
    const { id } = await tills[0].create(shop);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, nth) => tills[nth % 2 ? 1 : 0].choose(choice(id, 'TRON'))),
    );
    expect(new Set(answers.flatMap(({ payments }) => payments.map((payment) => payment.id))).size).toBe(1);
    expect(await setup.sql('select 1 from quote where invoice_id = $1', [id])).toHaveLength(1);
  });

  it('of a choice and a cancel one wins, and the other is refused or undone whole', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await tills[0].create(shop);
      const [chosen, canceled] = await Promise.allSettled([
        tills[0].choose(choice(id, 'TRON')),
        cancelInvoice(tills[1].deps, shop, id),
      ]);
      expect(canceled.status).toBe('fulfilled');
      if (chosen.status === 'rejected') expect(chosen.reason).toMatchObject({ errorName: 'TAKES_NO_MORE' });
      const { status, payments } = await read(tills[0], shop, { id });
      expect([status, ...payments.map((payment) => payment.status)]).toEqual([
        ...['CANCELED', ...(chosen.status === 'fulfilled' ? ['CANCELED'] : [])],
      ]);
    }
  });

  it('of a choice and the end of its time one wins: no payment is left without its invoice', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await tills[0].create(shop);
      await Promise.allSettled([tills[0].choose(choice(id, 'TRON')), expireInvoice(tills[1].deps, shop, id)]);
      await tron.timeOut(START);
      await tills[0].expire();
      const { status, payments } = await read(tills[0], shop, { id });
      expect([status, ...payments.map((payment) => payment.status)]).toEqual([
        ...['EXPIRED', ...payments.map(() => 'EXPIRED')],
      ]);
    }
  });

  it('a choice that was judged before the end of its time is refused, and leaves no payment', async () => {
    const { id } = await tills[0].create(shop);
    const { db } = tills[0].deps;
    const insertLater = async (statement: QueryConfig) => {
      await expireInvoice(tills[1].deps, shop, id);
      return db.pool.query(statement);
    };
    const pool = Object.create(db.pool, { query: { value: insertLater } }) as typeof db.pool;
    const choose = createAssetChooser({ ...tills[0].deps, db: { ...db, pool } });
    await expect(choose(choice(id, 'TRON'))).rejects.toMatchObject({ errorName: 'TAKES_NO_MORE' });
    expect(await setup.sql('select 1 from quote where invoice_id = $1', [id])).toEqual([]);
  });

  it('creations under one reference make one invoice', async () => {
    const input = { amount: '5', currency: 'EUR', merchantInvoiceId: 'A1' };
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, nth) => tills[nth % 2 ? 1 : 0].createOnce(shop, input, null)),
    );
    expect(new Set(answers.map(({ result }) => result.id)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
  });

  it('two networks bring its money, in either order: settled once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const invoice = await tills[0].create(shop);
      const quotes = [
        await tills[0].quote(invoice, 'USDT', 'ETH'),
        await tills[0].quote(invoice, 'USDT', 'TRON'),
      ] as const;
      const [half, rest] = [await toward(setup, quotes[0], 50_000_000n), await toward(setup, quotes[1], 50_000_000n)];
      await Promise.all(round % 2 ? [eth.mine(half), tron.mine(rest)] : [tron.mine(rest), eth.mine(half)]);
      await Promise.all([eth.mineEmpty(1), tron.mineEmpty(1)]);
      expect(await read(tills[0], shop, invoice)).toMatchObject({ status: 'SETTLED', exception: null });
      const told = (await toldOf(setup, invoice)).filter((one) => one.startsWith('invoice.settled'));
      expect(told).toHaveLength(1);
    }
  });

  it('a refund of one payment and money of another settle without waiting for each other for ever', async () => {
    for (let round = 0; round < 5; round += 1) {
      const invoice = await tills[0].create(shop);
      const quotes = [
        await tills[0].quote(invoice, 'USDT', 'ETH'),
        await tills[0].quote(invoice, 'USDT', 'TRON'),
      ] as const;
      await book.deposit(eth, await orderOf(setup, quotes[0]), 50_000_000n);
      await tron.mine(await toward(setup, quotes[1], 50_000_000n));
      const order = await orderOf(setup, quotes[0]);
      await Promise.all([book.refund(tills[0].deps, order, '10'), tron.mineEmpty(1)]);
      const { status, amountConfirmed } = await read(tills[0], shop, invoice);
      expect(['SETTLED 100', 'PARTIALLY_PAID 100']).toContain(`${status} ${amountConfirmed}`);
    }
  });
});
