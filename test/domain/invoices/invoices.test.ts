// Creating, listing and choosing: what each answers, and what each refuses (contract-invoices, sections 3 and 6).

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { cancelInvoice, expireInvoice, expireQuote } from '../../../src/domain/invoices/end-invoice.ts';
import { findInvoices } from '../../../src/domain/invoices/read-invoices.ts';
import type { IdempotencyKey } from '../../../src/domain/idempotency.ts';
import { acceptPayment } from '../../../src/domain/payments/accept-payment.ts';
import { cancelPayment, expireNow } from '../../../src/domain/payments/read-and-cancel.ts';
import type { InvoiceSnapshot } from '../../../src/domain/snapshots/invoice.ts';
import { newId } from '../../../src/values/id.ts';
import { audit } from '../audit.fixture.ts';
import { createSetup, minutesLater, openChain, START, type DataChain, type Setup } from '../book.fixture.ts';
import { CHAINS, openTill, read, toldOf, toward, type Till } from './till.fixture.ts';

let setup: Setup;
let till: Till;
let shop: string;
let tron: DataChain;

beforeAll(async () => {
  setup = await createSetup();
});
afterAll(() => setup.stop());
beforeEach(async () => {
  setup.setNow(START);
  till = await openTill(setup);
  till.rates.set('USDT/EUR', '1');
  till.rates.set('ETH/EUR', '2000');
  shop = await setup.merchant();
  tron = await openChain(till, 100, 'TRON');
});
afterEach(() => audit(setup));

const refusal = (errorName: string, path?: string) => ({
  errorName,
  ...(path !== undefined && { details: [expect.objectContaining({ path })] }),
});
/** How far the addresses of all accounts have been given out. */
const addressesGiven = async () =>
  (await setup.sql<{ given: string }>('select sum(next_index)::text as given from derivation_account'))[0]?.given;

describe('creating an invoice', () => {
  it.each([
    ['a currency that is none', { currency: 'XAU' }, refusal('VALIDATION', 'input.currency')],
    ['more decimals than the currency has', { amount: '1.001' }, refusal('VALIDATION', 'input.amount')],
    ['thirteen digits before the point', { amount: '1000000000000' }, refusal('ABOVE_MAXIMUM')],
    ['a currency that nothing here quotes', { currency: 'JPY' }, refusal('NOT_QUOTED')],
    ['an asset that is none', { acceptedAssets: [{ currency: 'BTC', network: 'ETH' }] }, refusal('UNSUPPORTED_ASSET')],
    [
      'an asset twice, in other words',
      {
        acceptedAssets: [
          { currency: 'USDT', network: 'ETH' },
          { currency: 'usdt', network: 'erc20' },
        ],
      },
      refusal('VALIDATION', 'input.acceptedAssets.1'),
    ],
    ['a callback that is no URL for webhooks', { callbackUrl: 'http://[::1]:22/' }, refusal('WEBHOOK_URL_REFUSED')],
  ])('refuses %s', async (_what, fields, expected) => {
    await expect(till.create(shop, fields)).rejects.toMatchObject(expected);
    expect(await setup.sql('select id from invoice where merchant_id = $1', [shop])).toEqual([]);
  });

  it('refuses an asset that the settings do not accept', async () => {
    await setup.sql(`update merchant set accepted_assets = '[{"currency":"ETH","network":"ETH"}]' where id = $1`, [
      shop,
    ]);
    const acceptedAssets = [{ currency: 'USDT', network: 'ETH' }];
    await expect(till.create(shop, { acceptedAssets })).rejects.toMatchObject(
      refusal('VALIDATION', 'input.acceptedAssets.0'),
    );
  });

  it('answers upper-case codes, canonical assets and amounts, and the settings of the moment', async () => {
    await setup.sql(
      `update merchant set invoice_expiration_minutes = 90, default_return_url = 'https://shop.example' where id = $1`,
      [shop],
    );
    const acceptedAssets = [{ currency: 'usdt', network: 'trc20' }];
    expect(await till.create(shop, { amount: '49.900', currency: 'eur', acceptedAssets })).toMatchObject({
      ...{ amount: '49.9', currency: 'EUR', acceptedAssets: [{ currency: 'USDT', network: 'TRON' }], test: false },
      ...{ expiresAt: minutesLater(90), returnUrl: 'https://shop.example', linkId: null, customer: null },
    });
  });

  it('takes no address, nor does a choice that is refused or was made before', async () => {
    const before = await addressesGiven();
    const invoice = await till.create(shop);
    await expect(till.quote(invoice, 'TRX', 'TRON')).rejects.toMatchObject(refusal('NO_RATE'));
    expect(await addressesGiven()).toBe(before);
    await till.quote(invoice, 'USDT', 'TRON');
    const after = await addressesGiven();
    expect(after).not.toBe(before);
    await till.quote(invoice, 'USDT', 'TRON');
    expect(await addressesGiven()).toBe(after);
  });

  it('under a reference is done once: the same input again answers the invoice as it is now', async () => {
    const input = { amount: '5', currency: 'EUR', merchantInvoiceId: 'A1' };
    const first = await till.createOnce(shop, input, null);
    await cancelInvoice(till.deps, shop, first.result.id);
    const again = await till.createOnce(shop, { ...input, description: null }, null);
    expect(again).toMatchObject({ replayed: true, result: { id: first.result.id, status: 'CANCELED' } });
    await expect(till.createOnce(shop, { ...input, amount: '6' }, null)).rejects.toMatchObject(
      refusal('REFERENCE_USED'),
    );
    const other = await setup.merchant();
    expect(await till.createOnce(other, input, null)).toMatchObject({ replayed: false });
  });

  it('under a key is answered as the first time, whatever became of it', async () => {
    const once: IdempotencyKey = {
      scope: shop,
      operation: 'createInvoice',
      key: newId('evt'),
      inputDigest: Buffer.alloc(33),
    };
    const input = { amount: '5', currency: 'EUR' };
    const first = await till.createOnce(shop, input, once);
    await cancelInvoice(till.deps, shop, first.result.id);
    expect(await till.createOnce(shop, input, once)).toMatchObject({
      ...{ replayed: true, result: { id: first.result.id, status: 'OPEN' } },
    });
    await expect(till.createOnce(shop, input, { ...once, inputDigest: Buffer.alloc(33, 1) })).rejects.toMatchObject(
      refusal('IDEMPOTENCY_MISMATCH'),
    );
  });
});

describe('a list of invoices', () => {
  it('is narrowed by every filter, newest first, in pages', async () => {
    const made: InvoiceSnapshot[] = [];
    for (const [nth, fields] of [
      { amount: '1' },
      { amount: '2', merchantInvoiceId: 'B' },
      { amount: '3' },
      { amount: '4', currency: 'USDT' },
    ].entries()) {
      till.rates.set('ETH/USDT', '2000');
      setup.setNow(minutesLater(nth));
      made.push(await till.create(shop, fields));
    }
    const id = (nth: number) => made[nth]?.id ?? '';
    await cancelInvoice(till.deps, shop, id(2));
    await setup.sql('update invoice set link_id = $2 where id = $1', [id(1), 'lnk_1']);
    const list = async (filter: Parameters<typeof findInvoices>[2], page: { limit?: number; before?: string } = {}) => {
      const { nodes, hasMore } = await findInvoices(till.deps, shop, filter, { limit: 10, before: null, ...page });
      return [...nodes.map(({ amount }) => amount), ...(hasMore ? ['more'] : [])];
    };
    expect(await list({})).toEqual(['4', '3', '2', '1']);
    expect(await list({}, { limit: 2 })).toEqual(['4', '3', 'more']);
    expect(await list({}, { before: id(2) })).toEqual(['2', '1']);
    expect(await list({ status: ['OPEN'] })).toEqual(['4', '2', '1']);
    expect(await list({ status: ['CANCELED', 'SETTLED'] })).toEqual(['3']);
    expect(await list({ currency: 'usdt' })).toEqual(['4']);
    expect(await list({ currency: 'EUR', status: ['OPEN'] })).toEqual(['2', '1']);
    expect(await list({ merchantInvoiceId: 'B' })).toEqual(['2']);
    expect(await list({ merchantInvoiceId: 'B', status: ['CANCELED'] })).toEqual([]);
    expect(await list({ linkId: 'lnk_1' })).toEqual(['2']);
    expect(await list({ linkId: 'lnk_1', currency: 'USDT' })).toEqual([]);
    expect(await list({ from: minutesLater(1), until: minutesLater(3) })).toEqual(['3', '2']);
    expect((await findInvoices(till.deps, await setup.merchant(), {}, { limit: 10, before: null })).nodes).toEqual([]);
  });
});

describe('a quote', () => {
  it.each([
    ['49.90', 'EUR', 'BTC', 'BTC', '55000', '0.00090728'],
    ['12.345', 'KWD', 'USDT', 'TRON', '0.307538461538', '40.141321'],
    // Eighteen decimals are eight in a quote.
    ['5000', 'JPY', 'ETH', 'ETH', '461538.461538461538', '0.01083334'],
    ['20', 'USD', 'USDC', 'ETH', '1.0002', '19.996001'],
    ['1', 'UGX', 'TRX', 'TRON', '1000.000000000001', '0.001'],
    ['0.00000001', 'BTC', 'USDT', 'ETH', '0.000000000001', '10000'],
    ['999999999.99', 'EUR', 'ETH', 'ETH', '1000000', '999.99999999'],
  ])('of %s %s in %s on %s at %s asks for %s', async (amount, currency, coin, network, market, asked) => {
    till.rates.set(`${coin}/${currency}`, market);
    const quote = await till.quote(await till.create(shop, { amount, currency }), coin, network);
    expect(quote).toMatchObject({ amount: asked, rate: market, marketRate: market, spread: 0, sources: ['sandbox'] });
  });

  it('of a price in the coin itself is exact', async () => {
    till.rates.set('ETH/USDT', '2000');
    const quote = await till.quote(await till.create(shop, { amount: '0.010001', currency: 'USDT' }), 'USDT', 'TRON');
    expect(quote).toMatchObject({ amount: '0.010001', rate: '1', sources: [] });
  });
});

describe('choosing an asset', () => {
  it('twice answers the live quote again; after its end makes another', async () => {
    const invoice = await till.create(shop);
    const first = await till.quote(invoice, 'USDT', 'TRON');
    expect((await till.quote(invoice, 'usdt', 'trc20')).id).toBe(first.id);
    setup.setNow(minutesLater(15));
    till.rates.set('USDT/EUR', '0.8');
    expect(await till.quote(invoice, 'USDT', 'TRON')).toMatchObject({ amount: '125', rate: '0.8' });
    expect((await read(till, shop, invoice)).payments).toHaveLength(2);
  });

  it('again after money came by another makes a quote of the rest, and after money of its own does not', async () => {
    const invoice = await till.create(shop);
    const usdt = await till.quote(invoice, 'USDT', 'TRON');
    await till.quote(invoice, 'ETH', 'ETH');
    await tron.mine(await toward(setup, usdt, 40_000_000n));
    expect((await till.quote(invoice, 'USDT', 'TRON')).id).toBe(usdt.id);
    expect(await till.quote(invoice, 'ETH', 'ETH')).toMatchObject({ amount: '0.03' });
  });

  it('lengthens the deadline of the invoice and its payments, not the time to choose', async () => {
    const invoice = await till.create(shop, { expirationMinutes: 10 });
    setup.setNow(minutesLater(9));
    const quote = await till.quote(invoice, 'USDT', 'TRON');
    expect(quote.quoteExpiresAt).toEqual(minutesLater(24));
    const [row] = await setup.sql('select deadline, expires_at from invoice where id = $1', [invoice.id]);
    expect([row?.['deadline'], row?.['expires_at']].map((at) => new Date(String(at)))).toEqual([
      ...[minutesLater(24), minutesLater(10)],
    ]);
    setup.setNow(minutesLater(10));
    await expect(till.quote(invoice, 'ETH', 'ETH')).rejects.toMatchObject(refusal('TAKES_NO_MORE'));
  });

  it.each([
    ['no such asset', 'BTC', 'ETH', {}, 'UNSUPPORTED_ASSET'],
    ['one that the invoice does not accept', 'USDT', 'ETH', {}, 'UNSUPPORTED_ASSET'],
    ['one without a rate', 'TRX', 'TRON', {}, 'NO_RATE'],
    ['one below its minimum', 'ETH', 'ETH', { amount: '0.01' }, 'BELOW_MINIMUM'],
    ['one above its maximum', 'USDT', 'TRON', { amount: '1000000.01' }, 'ABOVE_MAXIMUM'],
  ])('refuses %s', async (_what, currency, network, fields, errorName) => {
    const acceptedAssets = [
      { currency: 'USDT', network: 'TRON' },
      { currency: 'TRX', network: 'TRON' },
      { currency: 'ETH', network: 'ETH' },
    ];
    const invoice = await till.create(shop, { acceptedAssets, ...fields });
    await expect(till.quote(invoice, currency, network)).rejects.toMatchObject(refusal(errorName));
    expect((await read(till, shop, invoice)).payments).toEqual([]);
  });

  it('refuses an asset whose node is away, with or without a rate', async () => {
    const invoice = await till.create(shop);
    const away = await openTill({ ...setup, deps: setup.deps }, till.rates);
    Object.assign(away.deps, { chains: new Map([...CHAINS].filter(([network]) => network !== 'ETH')) });
    await expect(away.quote(invoice, 'ETH', 'ETH')).rejects.toMatchObject(refusal('NETWORK_UNAVAILABLE'));
    till.rates.set('ETH/EUR', null);
    await expect(away.quote(invoice, 'ETH', 'ETH')).rejects.toMatchObject(refusal('NETWORK_UNAVAILABLE'));
  });

  it('refuses one by the settings where the invoice says nothing, judged at the choice', async () => {
    const invoice = await till.create(shop);
    await setup.sql(`update merchant set accepted_assets = '[{"currency":"ETH","network":"ETH"}]' where id = $1`, [
      shop,
    ]);
    await expect(till.quote(invoice, 'USDT', 'TRON')).rejects.toMatchObject(refusal('UNSUPPORTED_ASSET'));
    expect(await till.quote(invoice, 'ETH', 'ETH')).toMatchObject({ amount: '0.05' });
  });

  it('refuses the eleventh quote of a day', async () => {
    const invoice = await till.create(shop, { expirationMinutes: 3 * 24 * 60 });
    for (let nth = 0; nth < 10; nth += 1) {
      setup.setNow(minutesLater(15 * nth));
      await till.quote(invoice, 'USDT', 'TRON');
    }
    setup.setNow(minutesLater(150));
    await expect(till.quote(invoice, 'USDT', 'TRON')).rejects.toMatchObject(refusal('TOO_MANY_CHOICES'));
    setup.setNow(minutesLater(24 * 60 + 1));
    await till.quote(invoice, 'USDT', 'TRON');
  });

  it('of an invoice that is paid, gone or nobody’s is refused', async () => {
    const paid = await till.create(shop);
    const quote = await till.quote(paid, 'USDT', 'TRON');
    await tron.mine(await toward(setup, quote, 100_000_000n));
    await expect(till.quote(paid, 'ETH', 'ETH')).rejects.toMatchObject(refusal('TAKES_NO_MORE'));
    await expect(till.quote({ id: newId('inv') }, 'ETH', 'ETH')).rejects.toMatchObject(refusal('NOT_FOUND'));
    await expect(till.quote({ id: 'inv_x' }, 'ETH', 'ETH')).rejects.toMatchObject(refusal('NOT_FOUND'));
  });
});

describe('the payment of an invoice', () => {
  it('is not canceled, accepted or expired by itself', async () => {
    const invoice = await till.create(shop);
    const { id } = await till.quote(invoice, 'USDT', 'TRON');
    for (const act of [cancelPayment, acceptPayment, expireNow])
      await expect(act(till.deps, shop, id)).rejects.toMatchObject(refusal('WRONG_STATE'));
  });

  it('ends with its invoice in the sandbox', async () => {
    const invoice = await till.create(shop);
    await till.quote(invoice, 'USDT', 'TRON');
    setup.setNow(minutesLater(5));
    expect(await expireInvoice(till.deps, shop, invoice.id)).toMatchObject({
      ...{ status: 'OPEN', expiresAt: minutesLater(5), payments: [{ quoteExpiresAt: minutesLater(5) }] },
    });
    await tron.timeOut(minutesLater(5));
    expect(await toldOf(setup, invoice)).toContain('invoice.expired EXPIRED');
    await expect(expireInvoice(till.deps, shop, invoice.id)).rejects.toMatchObject(refusal('WRONG_STATE'));
  });

  it('only has a quote to end', async () => {
    const order = await setup.order(shop);
    await expect(expireQuote(till.deps, shop, order.id)).rejects.toMatchObject(refusal('WRONG_STATE'));
    await expect(expireQuote(till.deps, shop, newId('ord'))).rejects.toMatchObject(refusal('NOT_FOUND'));
  });
});
