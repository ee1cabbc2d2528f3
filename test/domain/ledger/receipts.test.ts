// Receipts in the domain: what is kept of a deposit's value when it is first credited, and what the list says of it
// (contract-invoices, section 10).

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findReceipts, type Receipt, type ReceiptFilter } from '../../../src/domain/ledger/receipts.ts';
import { makeReport } from '../../../src/domain/ledger/reports.ts';
import { fiatFigures } from '../../../src/domain/payments/keep-receipts.ts';
import { createRates } from '../../../src/domain/rates/create-rates.ts';
import { createSandboxPrices, setSandboxRate } from '../../../src/domain/rates/sandbox-prices.ts';
import { ASSETS } from '../../../src/values/assets.ts';
import { feeOf } from '../../../src/values/amount.ts';
import { FIAT_CODES, priceDecimals } from '../../../src/values/prices/currencies.ts';
import { audit } from '../audit.fixture.ts';
import { createSetup, minutesLater, openChain, pay, START, type DataChain, type Setup } from '../book.fixture.ts';
import { openTill, toward, type Till } from '../invoices/till.fixture.ts';
import * as book from '../payouts/book.fixture.ts';

let setup: Setup;
let till: Till;
let shop: string;
let eth: DataChain;

beforeAll(async () => {
  setup = await createSetup();
});
afterAll(() => setup.stop());
beforeEach(async () => {
  setup.setNow(START);
  const own = await openTill(setup);
  // The sandbox's own prices, in place of a test's.
  const rates = createRates(createSandboxPrices(setup.deps.clock), setup.deps.clock);
  till = { ...own, deps: { ...own.deps, rates } };
  shop = await setup.merchant();
  eth = await openChain(till, 100, 'ETH');
});
afterEach(() => audit(setup));

const list = async (filter: ReceiptFilter = {}, limit = 100, before: string | null = null) =>
  findReceipts(till.deps, shop, filter, { limit, before });
const only = async (filter: ReceiptFilter = {}): Promise<Receipt> => {
  const { nodes } = await list(filter);
  if (nodes.length !== 1 || !nodes[0]) throw new Error(`There are ${nodes.length} receipts`);
  return nodes[0];
};
const keepBooksIn = (currency: string | null) =>
  setup.sql('update merchant set accounting_currency = $2 where id = $1', [shop, currency]);
const paidOrder = async (units = 10_000_000n) => {
  const order = await setup.order(shop, { amount: units.toString(), merchant_order_id: 'B1' });
  await book.deposit(eth, order, units);
  return order;
};

describe('a receipt', () => {
  it('is in the currency of the books, at the market rate of its block, with amount, fee and net', async () => {
    await keepBooksIn('EUR');
    await setup.sql('update merchant set rate_spread = 500 where id = $1', [shop]);
    const order = await paidOrder();
    const { rateAt, creditedAt, txHash, ...rest } = await only();
    expect(rest).toEqual({
      ...{ id: expect.stringMatching(/^ltx_/), orderId: order.id, invoiceId: null, merchantOrderId: 'B1' },
      ...{ merchantInvoiceId: null, currency: 'USDT', network: 'ETH', amount: '10', fee: '0.1', net: '9.9' },
      // 10 at 0.9995 / 1.08, half up.
      ...{ fiatCurrency: 'EUR', rate: '0.925462962963', fiatAmount: '9.25', fiatFee: '0.09', fiatNet: '9.16' },
      reversedAt: null,
    });
    expect([rateAt, creditedAt]).toEqual([new Date(START.getTime() + 1_000), START]);
    expect(txHash).toMatch(/^0x/);
  });

  it('is in the currency of its invoice, unless the books have one', async () => {
    const own = await openTill(setup);
    own.rates.set('USDT/GBP', '0.8');
    own.rates.set('USDT/JPY', '150');
    const settle = async (currency: string) => {
      const invoice = await own.create(shop, { amount: '10', currency });
      const quote = await own.quote(invoice, 'USDT', 'ETH');
      await eth.mine(await toward(setup, quote, 12_500_000n));
      await eth.mineEmpty(1);
      return only({ invoiceId: invoice.id });
    };
    // 12.5 at 0.9995 / 1.25.
    expect(await settle('GBP')).toMatchObject({ fiatCurrency: 'GBP', fiatAmount: '10', fiatFee: '0.1' });
    await keepBooksIn('JPY');
    // No decimals: 12.5 at 0.9995 / 0.0065 are 1922.1.
    expect(await settle('GBP')).toMatchObject({ fiatCurrency: 'JPY', fiatAmount: '1922', fiatFee: '19' });
  });

  it('of a merchant without either has no fiat, and no row', async () => {
    await paidOrder();
    expect(await only()).toMatchObject({
      amount: '10',
      fiatCurrency: null,
      rate: null,
      fiatAmount: null,
      fiatNet: null,
    });
    expect(
      await setup.sql('select from receipt where deposit_id in (select id from deposit where merchant_id = $1)', [
        shop,
      ]),
    ).toEqual([]);
  });

  it('without a rate stays without for good', async () => {
    await keepBooksIn('EUR');
    await setSandboxRate(till.deps, shop, { code: 'EUR', usd: null });
    await paidOrder();
    await setSandboxRate(till.deps, shop, { code: 'EUR' });
    const unknown = { fiatCurrency: 'EUR', rate: null, rateAt: null, fiatAmount: null, fiatFee: null, fiatNet: null };
    expect(await only()).toMatchObject(unknown);
    await book.loseForGood(eth);
    const { txHash, ...lost } = await only();
    expect(lost.reversedAt).toEqual(expect.any(Date));
    expect(lost).toMatchObject(unknown);
    expect(txHash).toMatch(/^0x/);
  });

  it('is at the price of its block, whatever was moved before it is credited', async () => {
    await keepBooksIn('EUR');
    const order = await setup.order(shop);
    await eth.mine(pay(order, 1_000_000n));
    setup.setNow(minutesLater(1));
    await setSandboxRate(till.deps, shop, { code: 'USDT', usd: '2.16' });
    await eth.mineEmpty(1);
    expect(await only()).toMatchObject({ rate: '0.925462962963', fiatAmount: '0.93' });
    const later = await setup.order(shop);
    await eth.mineAt(minutesLater(2), pay(later, 1_000_000n));
    await eth.mineEmpty(1);
    expect(await only({ orderId: later.id })).toMatchObject({ rate: '2', fiatAmount: '2' });
  });

  it('of a deposit of before there were receipts is listed too, with what the book knows', async () => {
    await keepBooksIn('EUR');
    const order = await paidOrder();
    await setup.sql('delete from receipt');
    expect(await only()).toMatchObject({ orderId: order.id, amount: '10', creditedAt: START, fiatCurrency: null });
  });
});

describe('the list', () => {
  it('is newest first, in pages, of one merchant, narrowed by time, order and invoice', async () => {
    const orders = [];
    for (let minute = 0; minute < 4; minute += 1) {
      setup.setNow(minutesLater(minute));
      orders.push((await paidOrder()).id);
    }
    const newest = [...orders].reverse();
    const ids = ({ nodes }: { nodes: readonly Receipt[] }) => nodes.map(({ orderId }) => orderId);
    expect(ids(await list())).toEqual(newest);
    const first = await list({}, 3);
    expect([ids(first), first.hasMore]).toEqual([newest.slice(0, 3), true]);
    const rest = await list({}, 3, first.nodes[2]?.id ?? null);
    expect([ids(rest), rest.hasMore]).toEqual([newest.slice(3), false]);
    const during = { startDate: minutesLater(1).toISOString(), endDate: minutesLater(3).toISOString() };
    expect(ids(await list(during))).toEqual(newest.slice(1, 3));
    const [one = ''] = orders;
    expect(ids(await list({ orderId: one }))).toEqual([one]);
    expect(ids(await list({ orderId: one, invoiceId: 'inv_' }))).toEqual([]);
    expect(ids(await list({ orderId: 'ord_' }))).toEqual([]);
    const foreign = await findReceipts(till.deps, await setup.merchant(), { orderId: one }, { limit: 9, before: null });
    expect(foreign.nodes).toEqual([]);
  });
});

describe('a report in fiat', () => {
  const sums = async () => {
    const report = await makeReport(till.deps, shop, { startDate: '2026-01-01', endDate: '2026-01-02', fiat: true });
    expect(report.rows.map(({ period: _, ...row }) => row)).toEqual(report.totals);
    return report.totals.map(({ gross, fiatCurrency, fiatGross }) => [gross, fiatCurrency, fiatGross]);
  };

  it('adds up the values of its receipts, less those of what was lost', async () => {
    await keepBooksIn('EUR');
    await paidOrder();
    await paidOrder(1_000_000n);
    // 9.25 and 0.93.
    expect(await sums()).toEqual([['11', 'EUR', '10.18']]);
    await book.loseForGood(eth);
    expect(await sums()).toEqual([['10', 'EUR', '9.25']]);
    const plain = await makeReport(till.deps, shop, { startDate: '2026-01-01', endDate: '2026-01-02' });
    expect(plain.totals).toMatchObject([{ gross: '10', fiatCurrency: null, fiatGross: null }]);
  });

  it('is null where a receipt lacks its value, or they are in several currencies', async () => {
    await keepBooksIn('EUR');
    await paidOrder();
    await keepBooksIn('GBP');
    await paidOrder();
    expect(await sums()).toEqual([['20', null, null]]);
    await setup.sql(`update receipt set fiat_currency = 'EUR', rate = null, rate_at = null, fiat_amount = null, fiat_fee = null
      where fiat_currency = 'GBP'`);
    expect(await sums()).toEqual([['20', 'EUR', null]]);
    await setup.sql('delete from receipt');
    expect(await sums()).toEqual([['20', null, null]]);
  });
});

describe('figures', () => {
  const assets = fc.constantFrom(...ASSETS);
  const currencies = fc.constantFrom(...FIAT_CODES);
  const units = fc.bigInt({ min: 1n, max: 10n ** 78n - 1n });
  const rates = fc.oneof(fc.bigInt({ min: 1n, max: 10n ** 20n }), fc.bigInt({ min: 1n, max: 10n ** 36n - 1n }));

  it('are the nearest minor unit, half up, or null where they fit no column', () => {
    fc.assert(
      fc.property(assets, currencies, units, rates, (asset, currency, amount, rate) => {
        const { currency: coin, network } = asset;
        const found = fiatFigures({ amount, currency: coin, network }, rate, currency);
        // The value in minor units is amount × rate / scale.
        const scale = 10n ** BigInt(asset.decimals + 12 - (priceDecimals(currency) ?? 0));
        const isNearest = (figure: bigint, of: bigint) => {
          const twice = 2n * of * rate;
          return 2n * figure * scale - scale <= twice && twice < 2n * figure * scale + scale;
        };
        if (found === null) return (2n * amount * rate + scale) / (2n * scale) >= 10n ** 78n;
        const [whole, fee] = [BigInt(found.fiatAmount ?? ''), BigInt(found.fiatFee ?? '')];
        return whole < 10n ** 78n && isNearest(whole, amount) && isNearest(fee, feeOf(amount)) && fee <= whole;
      }),
      { numRuns: 2_000 },
    );
  });
});
