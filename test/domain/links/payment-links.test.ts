// Payment links in the domain: what they ask for, when they take no more, and how their uses move with the states of
// their invoices (contract-invoices, sections 9 and 16).

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { findInvoiceCheckout } from '../../../src/domain/invoices/checkout.ts';
import { cancelInvoice } from '../../../src/domain/invoices/end-invoice.ts';
import { findReceipts } from '../../../src/domain/ledger/receipts.ts';
import { findLinkCheckout } from '../../../src/domain/links/checkout.ts';
import { updateLink } from '../../../src/domain/links/payment-links.ts';
import type { InvoiceSnapshot } from '../../../src/domain/snapshots/invoice.ts';
import { audit } from '../audit.fixture.ts';
import { createSetup, minutesLater, openChain, START, type DataChain, type Setup } from '../book.fixture.ts';
import { openTill, orderOf, read, toldOf, toward, type Till } from '../invoices/till.fixture.ts';
import * as book from '../payouts/book.fixture.ts';
import { actorOf, open, submit, usesOf } from './shop-window.fixture.ts';

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
  till = await openTill(setup);
  for (const coin of ['USDC', 'USDT']) till.rates.set(`${coin}/USD`, '1.0002');
  shop = await setup.merchant();
  eth = await openChain(till, 100, 'ETH');
});
afterEach(() => audit(setup));

const NO_MORE = { errorName: 'TAKES_NO_MORE' };
const chosen = (invoice: InvoiceSnapshot) => till.quote(invoice, 'USDC', 'ETH');

describe('the life of a link', () => {
  it('with one use: two who had chosen both pay, a third is refused, refunds and reorganisations are counted', async () => {
    const link = await open(till, shop, { maxUses: 1 });
    // An order besides: its fee covers that of the refund, which is the shop's.
    const besides = await setup.order(shop, { currency: 'USDC', amount: '5000000' });
    await eth.mine(await toward(setup, { id: besides.id, currency: 'USDC' }, 5_000_000n));
    await eth.mineEmpty(1);
    const first = (await submit(till, link)).result;
    const second = (await submit(till, link)).result;
    const third = (await submit(till, link)).result;
    const quotes = [await chosen(first), await chosen(second)] as const;
    expect(quotes[0]).toMatchObject({ amount: '19.996001', rate: '1.0002' });
    const lost = await toward(setup, quotes[0], 19_996_001n);
    await eth.mine(await toward(setup, quotes[1], 19_996_001n));
    await eth.mineEmpty(1);
    expect(await usesOf(till, shop, link)).toBe(1);
    await eth.mine(lost);
    expect(await usesOf(till, shop, link)).toBe(2);
    await eth.mineEmpty(1);
    for (const invoice of [first, second]) expect(await read(till, shop, invoice)).toMatchObject({ status: 'SETTLED' });
    await expect(submit(till, link)).rejects.toMatchObject(NO_MORE);
    await expect(chosen(third)).rejects.toMatchObject(NO_MORE);
    expect(await findLinkCheckout(till.deps, link.id)).toMatchObject({ isOpen: false });

    await book.complete(till.deps, await book.refund(till.deps, await orderOf(setup, quotes[1])));
    expect((await toldOf(setup, second)).at(-1)).toBe('invoice.refunded REFUNDED');
    expect(await usesOf(till, shop, link)).toBe(2);

    const receiptOf = async (invoiceId: string) =>
      (await findReceipts(till.deps, shop, { invoiceId }, { limit: 10, before: null })).nodes;
    expect(await receiptOf(first.id)).toMatchObject([{ fiatAmount: '20', fiatCurrency: 'USD', reversedAt: null }]);
    await book.loseForGood(eth);
    expect(await usesOf(till, shop, link)).toBe(1);
    expect(await read(till, shop, first)).toMatchObject({ status: 'FAILED', exception: 'REORGED' });
    const [reversed] = await receiptOf(first.id);
    expect(reversed?.reversedAt).toEqual(expect.any(Date));
    await eth.mine(lost);
    await eth.mineEmpty(1);
    expect(await read(till, shop, first)).toMatchObject({ status: 'SETTLED' });
    expect((await toldOf(setup, first)).at(-1)).toMatch(/^invoice.settled SETTLED/);
    expect(await receiptOf(first.id)).toEqual([{ ...reversed, reversedAt: null }]);
  });
});

describe('a link takes no more', () => {
  const closed = async (change: Parameters<typeof updateLink>[3]) => {
    const link = await open(till, shop);
    const waiting = (await submit(till, link)).result;
    await updateLink(till.deps, actorOf(shop), link.id, change);
    return { link, waiting };
  };

  it.each([
    ['disabled', { enabled: false }],
    ['ended', { endsAt: START }],
  ])('once it is %s, at submission and at the choice', async (_, change) => {
    const { link, waiting } = await closed(change);
    await expect(submit(till, link)).rejects.toMatchObject(NO_MORE);
    await expect(chosen(waiting)).rejects.toMatchObject(NO_MORE);
    expect(await findInvoiceCheckout(till.deps, waiting.id)).toMatchObject({ status: 'OPEN', options: [] });
    expect(await read(till, shop, waiting)).toMatchObject({ payments: [] });
  });

  it('but who has chosen may reload, pay, and pay the rest in another coin', async () => {
    const link = await open(till, shop);
    const invoice = (await submit(till, link)).result;
    const quote = await chosen(invoice);
    await updateLink(till.deps, actorOf(shop), link.id, { enabled: false });
    expect(await chosen(invoice)).toMatchObject({ id: quote.id });
    await expect(till.quote(invoice, 'USDT', 'ETH')).rejects.toMatchObject(NO_MORE);
    await eth.mine(await toward(setup, quote, 10_000_000n));
    expect(await usesOf(till, shop, link)).toBe(0);
    const rest = await till.quote(invoice, 'USDT', 'ETH');
    await eth.mine(await toward(setup, rest, 9_996_001n));
    await eth.mineEmpty(1);
    expect(await read(till, shop, invoice)).toMatchObject({ status: 'SETTLED' });
    expect(await usesOf(till, shop, link)).toBe(1);
  });

  it('and counts neither what is canceled nor what falls back', async () => {
    const link = await open(till, shop);
    const [canceled, back] = [(await submit(till, link)).result, (await submit(till, link)).result];
    await cancelInvoice(till.deps, shop, canceled.id);
    await eth.mine(await toward(setup, await chosen(back), 19_996_001n));
    expect(await usesOf(till, shop, link)).toBe(1);
    await eth.rollBack(1);
    expect(await read(till, shop, back)).toMatchObject({ status: 'OPEN' });
    expect(await usesOf(till, shop, link)).toBe(0);
  });
});

describe('at once', () => {
  it('submissions of the last use all make invoices, and both payments count', async () => {
    const link = await open(till, shop, { maxUses: 1 });
    const other = await openTill({ ...setup, deps: await setup.another() }, till.rates);
    const made = await Promise.all([submit(till, link), submit(other, link)]);
    const quotes = await Promise.all(made.map(({ result }) => chosen(result)));
    expect(new Set(made.map(({ result }) => result.id)).size).toBe(2);
    const transfers = await Promise.all(quotes.map((quote) => toward(setup, quote, 19_996_001n)));
    await eth.mine(...transfers);
    await eth.mineEmpty(1);
    expect(await usesOf(till, shop, link)).toBe(2);
  });

  it('the uses of one link move on two networks without waiting for each other for ever', async () => {
    const tron = await openChain(till, 100, 'TRON');
    const links = [await open(till, shop), await open(till, shop)] as const;
    for (let round = 1; round <= 5; round += 1) {
      const made = await Promise.all([...links, ...links].map((link) => submit(till, link)));
      const [a, b, c, d] = await Promise.all(
        made.map(({ result }, nth) => till.quote(result, 'USDT', nth < 2 ? 'ETH' : 'TRON')),
      );
      if (!a || !b || !c || !d) throw new Error('There are four');
      const transfers = await Promise.all([a, b, c, d].map((quote) => toward(setup, quote, 19_996_001n)));
      await Promise.all([eth.mine(...transfers.slice(0, 2)), tron.mine(...transfers.slice(2).reverse())]);
      for (const link of links) expect(await usesOf(till, shop, link)).toBe(2 * round);
    }
  });
});

describe('a submission', () => {
  it('makes an invoice with what the link says, and what the customer may say', async () => {
    const link = await open(till, shop, {
      ...{ amount: null, minAmount: '5', maxAmount: '50', description: 'Tea' },
      acceptedAssets: [{ currency: 'usdc', network: 'erc20' }],
      ...{ requiredFields: ['EMAIL'], optionalFields: ['NAME', 'NOTE'] },
      ...{ returnUrl: 'https://shop.test/', callbackUrl: 'https://shop.test/hook', metadata: { a: 'b' } },
      expirationMinutes: 90,
    });
    const { result } = await submit(till, link, { amount: '7.50', email: 'ann@customer.test', name: 'Ann' });
    expect(result).toMatchObject({
      ...{ linkId: link.id, amount: '7.5', currency: 'USD', description: 'Tea', status: 'OPEN' },
      ...{ acceptedAssets: [{ currency: 'USDC', network: 'ETH' }], customerEmail: 'ann@customer.test' },
      ...{ customer: { name: 'Ann' }, returnUrl: 'https://shop.test/', callbackUrl: 'https://shop.test/hook' },
      ...{ metadata: { a: 'b' }, expiresAt: minutesLater(90), merchantInvoiceId: null },
    });
  });

  it.each([
    [{ amount: '20' }, {}, ['amount']],
    [{}, { amount: null }, ['amount']],
    [{ amount: '4.99' }, { amount: null, minAmount: '5' }, ['amount']],
    [{ amount: '50.01' }, { amount: null, maxAmount: '50' }, ['amount']],
    [{ amount: '5.001' }, { amount: null }, ['amount']],
    [
      { phone: '1', note: 'x' },
      { requiredFields: ['EMAIL', 'NAME'], optionalFields: ['NOTE'] },
      ['email', 'name', 'phone'],
    ],
  ] as const)('of %j at a link with %j is 2001', async (fields, link, paths) => {
    await expect(submit(till, await open(till, shop, link), fields)).rejects.toMatchObject({
      errorName: 'VALIDATION',
      details: paths.map((path) => ({ path: `input.${path}` })),
    });
  });

  it('that is repeated under its key is answered as before, even once the link takes no more', async () => {
    const link = await open(till, shop);
    const once = { scope: link.id, operation: 'submitPaymentLink', key: 'k', inputDigest: Buffer.from('1') };
    const first = await submit(till, link, {}, once);
    await updateLink(till.deps, actorOf(shop), link.id, { enabled: false });
    const again = await submit(till, link, {}, once);
    expect([again.replayed, again.result.id]).toEqual([true, first.result.id]);
    const another = await open(till, shop);
    expect((await submit(till, another, {}, { ...once, scope: another.id })).replayed).toBe(false);
  });
});

describe('a change', () => {
  it('replaces what is given, and refuses what contradicts the rest', async () => {
    const link = await open(till, shop, {
      amount: null,
      minAmount: '5',
      requiredFields: ['EMAIL'],
      description: 'Tea',
    });
    const change = (asked: Parameters<typeof updateLink>[3]) => updateLink(till.deps, actorOf(shop), link.id, asked);
    expect(await change({ maxUses: 3, description: null })).toMatchObject({
      ...{ maxUses: 3, description: null, minAmount: '5', requiredFields: ['EMAIL'] },
    });
    for (const [asked, path] of [
      [{ maxAmount: '4.99' }, 'maxAmount'],
      [{ minAmount: '5.001' }, 'minAmount'],
      [{ optionalFields: ['EMAIL'] }, 'optionalFields.0'],
    ] as const)
      await expect(change(asked)).rejects.toMatchObject({ details: [{ path: `input.${path}` }] });
    await expect(change({ maxAmount: '1000000000000' })).rejects.toMatchObject({ errorName: 'ABOVE_MAXIMUM' });
    const fixed = await open(till, shop);
    await expect(
      updateLink(till.deps, actorOf(shop), fixed.id, { minAmount: '1', maxAmount: '2' }),
    ).rejects.toMatchObject({ details: [{ path: 'input.minAmount' }, { path: 'input.maxAmount' }] });
    await expect(updateLink(till.deps, actorOf(await setup.merchant()), link.id, {})).rejects.toMatchObject({
      errorName: 'NOT_FOUND',
    });
  });

  it('is in the audit log, with no more of the callback URL than its host', async () => {
    const link = await open(till, shop);
    setup.setNow(minutesLater(1));
    await updateLink(till.deps, actorOf(shop), link.id, { callbackUrl: 'https://shop.test/hook?key=secret' });
    const entries = await setup.sql(
      'select action, target, details from audit_log where merchant_id = $1 order by id',
      [shop],
    );
    expect(entries).toEqual([
      { action: 'PAYMENT_LINK_CREATED', target: link.id, details: { name: 'Window', currency: 'USD', amount: '20' } },
      { action: 'PAYMENT_LINK_CHANGED', target: link.id, details: { callbackHost: 'shop.test' } },
    ]);
  });
});
