// Invoices as shops and customers meet them: the lives that the contract tells (contract-invoices, section 16).

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { acceptInvoice, cancelInvoice, expireQuote } from '../../../src/domain/invoices/end-invoice.ts';
import { audit } from '../audit.fixture.ts';
import { createSetup, minutesLater, openChain, START, type DataChain, type Setup } from '../book.fixture.ts';
import * as book from '../payouts/book.fixture.ts';
import { openTill, orderOf, read, toldOf, toward, type Till } from './till.fixture.ts';

let setup: Setup;
let till: Till;
let shop: string;
let chains: Record<'ETH' | 'TRON' | 'LTC' | 'BTC', DataChain>;

beforeAll(async () => {
  setup = await createSetup();
});
afterAll(() => setup.stop());
beforeEach(async () => {
  setup.setNow(START);
  till = await openTill(setup);
  shop = await setup.merchant();
  chains = {
    ETH: await openChain(till, 100, 'ETH'),
    TRON: await openChain(till, 100, 'TRON'),
    LTC: await openChain(till, 100, 'LTC'),
    BTC: await openChain(till, 100, 'BTC'),
  };
});
afterEach(() => audit(setup));

const SETTLED = ['invoice.processing PROCESSING', 'invoice.settled SETTLED'];

describe('an invoice', () => {
  it('plain: one coin, one quote, settled without a surplus', async () => {
    till.rates.set('BTC/EUR', '55000');
    const invoice = await till.create(shop, { amount: '49.90', merchantInvoiceId: 'A1', description: 'Shoes' });
    expect(invoice).toMatchObject({ status: 'OPEN', amount: '49.9', amountDue: '49.9', payments: [] });
    const quote = await till.quote(invoice, 'BTC', 'BTC');
    expect(quote).toMatchObject({ amount: '0.00090728', rate: '55000', status: 'PENDING' });
    expect(await setup.read(await orderOf(setup, quote))).toMatchObject({
      ...{ invoiceId: invoice.id, paymentUrl: `http://localhost/pay/${invoice.id}` },
      ...{ merchantOrderId: 'A1', productName: 'Shoes', callbackUrl: null, metadata: null },
    });
    await chains.BTC.mine(await toward(setup, quote, 90_728n));
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'PROCESSING', amountReceived: '49.9' });
    await chains.BTC.mineEmpty(1);
    expect(await read(till, shop, invoice)).toMatchObject({
      ...{ status: 'SETTLED', exception: null, amountConfirmed: '49.9', amountDue: '0', settledAt: expect.any(Date) },
      payments: [{ transactions: [{ rate: '55000', value: '49.9' }] }],
    });
    expect(await toldOf(setup, invoice)).toEqual(['invoice.created OPEN', 'invoice.updated OPEN', ...SETTLED]);
    const sent = await setup.sql(
      'select type from event where merchant_id = $1 and body is not null order by version',
      [shop],
    );
    expect(sent.map(({ type }) => type)).toEqual(['invoice.created', 'invoice.processing', 'invoice.settled']);
  });

  it('switched: two coins, the first of which stays short and is told to nobody', async () => {
    till.rates.set('USDT/KWD', '0.307538461538');
    till.rates.set('LTC/KWD', '24.615384615385');
    const invoice = await till.create(shop, { amount: '12.345', currency: 'kwd' });
    const first = await till.quote(invoice, 'USDT', 'TRON');
    expect(first.amount).toBe('40.141321');
    await chains.TRON.mine(await toward(setup, first, 20_000_000n));
    expect(await read(till, shop, invoice)).toMatchObject({
      ...{ status: 'PARTIALLY_PAID', amountReceived: '6.15', amountDue: '6.195' },
    });
    const second = await till.quote(invoice, 'LTC', 'LTC');
    expect(second.amount).toBe('0.25164063');
    await chains.LTC.mine(await toward(setup, second, 25_164_063n));
    await chains.TRON.mineEmpty(1);
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'PROCESSING' });
    await chains.LTC.mineEmpty(1);
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'SETTLED', exception: null });
    setup.setNow(minutesLater(61));
    await chains.TRON.timeOut(minutesLater(61));
    const { payments, status } = await read(till, shop, invoice);
    expect([status, ...payments.map((payment) => `${payment.status} ${payment.exception}`)]).toEqual([
      ...['SETTLED', 'FAILED UNDERPAID', 'SUCCEEDED null'],
    ]);
    const [{ sent } = {}] = await setup.sql(
      `select count(*)::int as sent from event where payment_id is not null and body is not null and merchant_id = $1`,
      [shop],
    );
    expect(sent).toBe(0);
  });

  it('late: the lower of the quoted rate and that of the moment', async () => {
    till.rates.set('ETH/JPY', '461538.461538461538');
    const invoice = await till.create(shop, { amount: '5000', currency: 'JPY' });
    const quote = await till.quote(invoice, 'ETH', 'ETH');
    expect(quote.amount).toBe('0.01083334');
    setup.setNow(minutesLater(40));
    till.rates.set('ETH/JPY', '438461.538461538462');
    await chains.ETH.mineAt(minutesLater(40), await toward(setup, quote, 10_833_340_000_000_000n));
    expect(await read(till, shop, invoice)).toMatchObject({
      ...{ status: 'PARTIALLY_PAID', amountReceived: '4750', amountDue: '250' },
      payments: [{ status: 'CONFIRMING', transactions: [{ rate: '438461.538461538462' }] }],
    });
    const rest = await till.quote(invoice, 'ETH', 'ETH');
    expect(rest.amount).toBe('0.00057017');
    await chains.ETH.mineAt(minutesLater(41), await toward(setup, rest, 570_170_000_000_000n));
    await chains.ETH.mineEmpty(1);
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'SETTLED', exception: null });
  });

  it('late while the coin has risen: the quoted rate holds', async () => {
    till.rates.set('ETH/JPY', '461538.461538461538');
    const invoice = await till.create(shop, { amount: '5000', currency: 'JPY' });
    const quote = await till.quote(invoice, 'ETH', 'ETH');
    setup.setNow(minutesLater(40));
    till.rates.set('ETH/JPY', '500000');
    await chains.ETH.mineAt(minutesLater(40), await toward(setup, quote, 10_833_340_000_000_000n));
    await chains.ETH.mineEmpty(1);
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'SETTLED' });
  });

  it('late as seen, but in time by its block: the quoted rate is restored', async () => {
    till.rates.set('ETH/JPY', '461538.461538461538');
    const invoice = await till.create(shop, { amount: '5000', currency: 'JPY' });
    const quote = await till.quote(invoice, 'ETH', 'ETH');
    setup.setNow(minutesLater(16));
    till.rates.set('ETH/JPY', '400000');
    const transfer = await toward(setup, quote, 10_833_340_000_000_000n);
    await chains.ETH.mempool([transfer]);
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'PARTIALLY_PAID', amountReceived: '4333' });
    await chains.ETH.mineAt(minutesLater(14), transfer);
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'PROCESSING', amountReceived: '5000' });
  });

  it('refunded whole: REFUNDED; lost for good: FAILED (REORGED), and SETTLED again when it is back', async () => {
    till.rates.set('USDC/USD', '1.0002');
    const [one, two] = [
      await till.create(shop, { amount: '20', currency: 'USD' }),
      await till.create(shop, { amount: '20', currency: 'USD' }),
    ];
    const [first, second] = [await till.quote(one, 'USDC', 'ETH'), await till.quote(two, 'USDC', 'ETH')];
    expect(first.amount).toBe('19.996001');
    const paid = await toward(setup, first, 19_996_001n);
    await chains.ETH.mine(await toward(setup, second, 19_996_001n));
    await chains.ETH.mine(paid);
    await chains.ETH.mineEmpty(1);
    const refund = await book.refund(till.deps, await orderOf(setup, second));
    await book.complete(till.deps, refund);
    expect(await read(till, shop, two)).toMatchObject({ status: 'REFUNDED', amountRefunded: '20' });
    expect((await toldOf(setup, two)).at(-1)).toBe('invoice.refunded REFUNDED');
    await book.loseForGood(chains.ETH);
    expect(await read(till, shop, one)).toMatchObject({ status: 'FAILED', exception: 'REORGED' });
    await chains.ETH.mine(paid);
    await chains.ETH.mineEmpty(1);
    expect(await read(till, shop, one)).toMatchObject({ status: 'SETTLED', exception: null });
    expect((await toldOf(setup, one)).slice(-3)).toEqual([
      ...['invoice.failed FAILED REORGED', 'invoice.updated FAILED REORGED', 'invoice.settled SETTLED'],
    ]);
  });
});

describe('an invoice that ends', () => {
  beforeEach(() => {
    till.rates.set('USDT/EUR', '1');
    till.rates.set('ETH/EUR', '2000');
  });

  it('without payments expires by the clock', async () => {
    const invoice = await till.create(shop);
    setup.setNow(minutesLater(59));
    await till.expire();
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'OPEN' });
    setup.setNow(minutesLater(60));
    await till.expire();
    expect(await toldOf(setup, invoice)).toEqual(['invoice.created OPEN', 'invoice.expired EXPIRED']);
  });

  it('is not kept waiting by hundreds before it that wait themselves', async () => {
    const invoice = await till.create(shop);
    await setup.sql(
      `insert into invoice select (jsonb_populate_record(i, jsonb_build_object('id', 'inv_' || n, 'status', 'PROCESSING',
         'processing_since', i.deadline, 'deadline', i.deadline - interval '1 minute',
         'expires_at', i.deadline - interval '1 minute'))).*
       from invoice i, generate_series(1, 450) n where i.id = $1`,
      [invoice.id],
    );
    setup.setNow(minutesLater(60));
    await till.expire();
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'EXPIRED' });
    await setup.sql(`delete from invoice where id <> $1 and merchant_id = $2`, [invoice.id, shop]);
  });

  it('waits for its payments, which wait for their watchers', async () => {
    const invoice = await till.create(shop);
    await till.quote(invoice, 'USDT', 'TRON');
    setup.setNow(minutesLater(120));
    await till.expire();
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'OPEN' });
    await chains.TRON.timeOut(minutesLater(120));
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'EXPIRED', payments: [{ status: 'EXPIRED' }] });
  });

  it('with a part of its price fails as UNDERPAID', async () => {
    const invoice = await till.create(shop);
    const quote = await till.quote(invoice, 'USDT', 'TRON');
    await chains.TRON.mine(await toward(setup, quote, 40_000_000n));
    setup.setNow(minutesLater(120));
    await chains.TRON.timeOut(minutesLater(120));
    expect(await read(till, shop, invoice)).toMatchObject({
      status: 'FAILED',
      exception: 'UNDERPAID',
      amountDue: '60',
    });
  });

  it('by a cancel ends its payments too, and late money leads it on', async () => {
    const invoice = await till.create(shop);
    const quote = await till.quote(invoice, 'USDT', 'TRON');
    expect(await cancelInvoice(till.deps, shop, invoice.id)).toMatchObject({
      ...{ status: 'CANCELED', payments: [{ status: 'CANCELED' }] },
    });
    await expect(cancelInvoice(till.deps, shop, invoice.id)).rejects.toMatchObject({ errorName: 'WRONG_STATE' });
    await chains.TRON.mine(await toward(setup, quote, 100_000_000n));
    await chains.TRON.mineEmpty(1);
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'SETTLED', exception: 'PAID_LATE' });
    expect((await toldOf(setup, invoice)).slice(-2)).toEqual([
      ...['invoice.processing PROCESSING', 'invoice.settled SETTLED PAID_LATE'],
    ]);
  });

  it('under MANUAL waits for the merchant', async () => {
    await setup.sql(`update merchant set late_payment_policy = 'MANUAL' where id = $1`, [shop]);
    const invoice = await till.create(shop);
    const quote = await till.quote(invoice, 'USDT', 'TRON');
    setup.setNow(minutesLater(120));
    await chains.TRON.timeOut(minutesLater(120));
    await expect(acceptInvoice(till.deps, shop, invoice.id)).rejects.toMatchObject({ errorName: 'WRONG_STATE' });
    await chains.TRON.mineAt(minutesLater(121), await toward(setup, quote, 100_000_000n));
    await chains.TRON.mineEmpty(1);
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'EXPIRED', amountReceived: '100' });
    expect(await acceptInvoice(till.deps, shop, invoice.id)).toMatchObject({
      status: 'SETTLED',
      exception: 'PAID_LATE',
    });
  });

  it('never confirmed: FAILED (UNCONFIRMED) after a day, and confirmed money leads back', async () => {
    const invoice = await till.create(shop);
    const quote = await till.quote(invoice, 'USDT', 'TRON');
    const transfer = await toward(setup, quote, 100_000_000n);
    await chains.TRON.mine(transfer);
    const later = minutesLater(60 + 24 * 60);
    setup.setNow(later);
    await till.expire();
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'PROCESSING' });
    await chains.TRON.timeOut(later);
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'FAILED', exception: 'UNCONFIRMED' });
    await chains.TRON.mineEmpty(1);
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'SETTLED', exception: 'PAID_LATE' });
  });
});

describe('a refund before the invoice was settled', () => {
  it('sets its money aside, pro rata and rounded up, which is due again', async () => {
    till.rates.set('USDT/EUR', '0.999999999999');
    const invoice = await till.create(shop);
    const quote = await till.quote(invoice, 'USDT', 'ETH');
    await book.deposit(chains.ETH, await orderOf(setup, quote), 60_000_000n);
    const refund = await book.refund(till.deps, await orderOf(setup, quote), '10');
    const held = await read(till, shop, invoice);
    expect(held).toMatchObject({ status: 'PARTIALLY_PAID', amountReceived: '59.99', amountDue: '50.01' });
    await book.complete(till.deps, refund);
    expect(await toldOf(setup, invoice)).toContain('invoice.refunded PARTIALLY_PAID');
    const rest = await till.quote(invoice, 'USDT', 'ETH');
    await book.deposit(chains.ETH, await orderOf(setup, rest), 50_000_001n);
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'SETTLED', exception: null });
  });

  it('that fails counts as received again', async () => {
    till.rates.set('USDT/EUR', '1');
    const invoice = await till.create(shop);
    const quote = await till.quote(invoice, 'USDT', 'ETH');
    await book.deposit(chains.ETH, await orderOf(setup, quote), 60_000_000n);
    const refund = await book.refund(till.deps, await orderOf(setup, quote), '10');
    await book.fail(till.deps, refund);
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'PARTIALLY_PAID', amountDue: '40' });
  });
});

describe('a refund after the invoice was settled', () => {
  it('leaves it paid, and is part of what is restored when lost money is back', async () => {
    till.rates.set('USDT/EUR', '1');
    const invoice = await till.create(shop);
    const transfer = await toward(setup, await till.quote(invoice, 'USDT', 'ETH'), 100_000_000n);
    await chains.ETH.mine(transfer);
    await chains.ETH.mineEmpty(1);
    const [payment] = (await read(till, shop, invoice)).payments;
    const order = await orderOf(setup, { id: payment?.id ?? '' });
    await book.complete(till.deps, await book.refund(till.deps, order, '10'));
    expect(await read(till, shop, invoice)).toMatchObject({
      ...{ status: 'PARTIALLY_REFUNDED', amountRefunded: '10', amountReceived: '100', amountDue: '0' },
    });
    await book.loseForGood(chains.ETH);
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'FAILED', exception: 'REORGED' });
    await chains.ETH.mine(transfer);
    await chains.ETH.mineEmpty(1);
    expect((await toldOf(setup, invoice)).at(-1)).toBe('invoice.settled PARTIALLY_REFUNDED');
  });

  it('of two payments ends in REFUNDED once no money is left in either', async () => {
    till.rates.set('USDT/EUR', '1');
    const invoice = await till.create(shop);
    const first = await orderOf(setup, await till.quote(invoice, 'USDT', 'ETH'));
    await book.deposit(chains.ETH, first, 60_000_000n);
    setup.setNow(minutesLater(20));
    const second = await orderOf(setup, await till.quote(invoice, 'USDT', 'ETH'));
    await book.deposit(chains.ETH, second, 40_000_000n);
    // An order of the shop besides: its fee covers those of the refunds, which are the shop's.
    await book.deposit(chains.ETH, await setup.order(shop, { amount: '5000000' }), 5_000_000n);
    setup.setNow(minutesLater(70));
    await chains.ETH.timeOut(minutesLater(70));
    for (const [order, status] of [
      [first, 'PARTIALLY_REFUNDED'],
      [second, 'REFUNDED'],
    ] as const) {
      await book.complete(till.deps, await book.refund(till.deps, order));
      expect(await read(till, shop, invoice)).toMatchObject({ status });
    }
    const told = (await toldOf(setup, invoice)).filter((one) => one.startsWith('invoice.refunded'));
    expect(told).toEqual(['invoice.refunded PARTIALLY_REFUNDED', 'invoice.refunded REFUNDED']);
  });
});

describe('more than the price', () => {
  it('is OVERPAID from a cent on, and not below', async () => {
    till.rates.set('USDT/EUR', '1');
    for (const [units, exception] of [
      [100_009_999n, null],
      [100_010_000n, 'OVERPAID'],
    ] as const) {
      const invoice = await till.create(shop);
      const quote = await till.quote(invoice, 'USDT', 'ETH');
      await book.deposit(chains.ETH, await orderOf(setup, quote), units);
      expect(await read(till, shop, invoice)).toMatchObject({ status: 'SETTLED', exception });
    }
  });
});

describe('a surplus', () => {
  it('that comes after the end is an update, not another settlement', async () => {
    till.rates.set('USDT/EUR', '1');
    const invoice = await till.create(shop);
    const quote = await till.quote(invoice, 'USDT', 'ETH');
    await book.deposit(chains.ETH, await orderOf(setup, quote), 100_000_000n);
    await book.deposit(chains.ETH, await orderOf(setup, quote), 5_000n);
    await book.deposit(chains.ETH, await orderOf(setup, quote), 10_000_000n);
    const told = await toldOf(setup, invoice);
    expect(told.filter((one) => one.startsWith('invoice.settled'))).toHaveLength(1);
    expect(told.at(-1)).toBe('invoice.updated SETTLED OVERPAID');
  });
});

describe('in the sandbox', () => {
  it('a quote can be ended, so that what follows counts at the lower rate', async () => {
    till.rates.set('USDT/EUR', '1');
    const invoice = await till.create(shop);
    const quote = await till.quote(invoice, 'USDT', 'ETH');
    setup.setNow(minutesLater(1));
    await expireQuote(till.deps, shop, quote.id);
    till.rates.set('USDT/EUR', '0.5');
    setup.setNow(minutesLater(2));
    await chains.ETH.mineAt(minutesLater(2), await toward(setup, quote, 100_000_000n));
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'PARTIALLY_PAID', amountReceived: '50' });
  });
});
