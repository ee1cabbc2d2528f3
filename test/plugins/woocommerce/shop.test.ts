// A shop on Debian's WordPress, paid in a browser: settings, checkout, the gateway's page, webhooks, refunds. The real
// WooCommerce takes the double's place if WOOCOMMERCE_ZIP names it. Without WordPress this is left to the slow tests of
// CI.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { newMerchant, type Json, type TestMerchant } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { PASS, startMeddlingProxy } from '../../support/proxies/meddling-proxy.ts';
import { until, untilPasses } from '../../support/until.ts';
import { executablePath, launch } from '../../web/browser.fixture.ts';
import * as people from './browser.fixture.ts';
import { deliver, newEventId, secretOf } from './deliveries.fixture.ts';
import { isWordPressHere, startShop, type Shop } from './wordpress.fixture.ts';

const TEST_MS = 150_000;
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

let gateway: TestGateway;
let merchant: TestMerchant;
let shop: Shop;
let browser: Browser;
let admin: Page;
let secret: string;

/** Waits until the order has this status. */
const becomes = (order: number, status: string) =>
  until(async () => (await shop.order(order)).status === status, 60_000);

const notesOf = async (order: number, pattern: RegExp): Promise<string[]> =>
  (await shop.order(order)).notes.filter((note) => pattern.test(note));

const invoiceOf = async (id: string): Promise<Json> => dataOf(await merchant.rest('GET', `/invoices/${id}`));

/** An order on the gateway's page. */
async function order(): Promise<{ order: number; invoice: string; page: Page }> {
  const page = await people.openCheckout(browser, shop);
  return { ...(await people.placeOrder(page, merchant)), page };
}

/** An order that the sandbox has paid. */
async function paidOrder(): Promise<{ order: number; invoice: string }> {
  const placed = await order();
  await people.pay(placed.page, merchant, placed.invoice);
  await becomes(placed.order, 'processing');
  await placed.page.context().close();
  return placed;
}

if (executablePath !== undefined && isWordPressHere)
  describe('a shop with WooCommerce', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      merchant = await newMerchant(gateway);
      shop = await startShop();
      browser = await launch();
      admin = await people.signIn(browser, shop);
    }, TEST_MS);
    afterAll(async () => {
      await browser?.close();
      await shop?.stop();
      await gateway?.stop();
    }, TEST_MS);

    it('is set up by its address and a key: the webhook makes itself, and the secret is shown nowhere', setUp, TEST_MS);
    it('a key without a permission is told which', tellMissing, TEST_MS);
    it('a new address has the secret entered again', keepSecretAtHome, TEST_MS);
    it('an order is paid: its invoice, the hosted page, a webhook, and then it is processed', payOrder, TEST_MS);
    it('the same order clicked twice has one invoice; another total has another one', clickTwice, TEST_MS);
    it('an order that nobody pays is cancelled', expire, TEST_MS);
    it('what is forged, old, or changed on its way does nothing', forge, TEST_MS);
    it('two deliveries at once, and one that is repeated, act once', deliverTwice, TEST_MS);
    it('events in the wrong order never move an order back', deliverInWrongOrder, TEST_MS);
    it(
      'an order that is paid in another way, or held by hand, is not ended with its invoice',
      leaveOthersAlone,
      TEST_MS,
    );
    it('an event is acted on again if another plugin kept the order from being completed', completeAgain, TEST_MS);
    it('an order whose money went back before its payment was heard of is not processed', hearRefundFirst, TEST_MS);
    it('a late reversal holds an order, and leaves a note on one that is completed', reverse, TEST_MS);
    it('a refund asks for an address first, then goes there once', refundOrder, TEST_MS);
    it('a refund whose answer was lost is made once, however often it is asked for', loseAnswer, TEST_MS);
    it('a rotated secret is read at its first delivery, and the one before it soon signs no more', rotate, TEST_MS);
    it('the checkout block offers it, and says that it is a sandbox', showBlock, TEST_MS);
    it('no secret is in the logs', lookAtLogs, TEST_MS);
  });
else
  it('without WordPress, MariaDB, PHP and Chromium this is left to CI', () => {
    expect(process.env['CI']).not.toBe('true');
  });

async function setUp(): Promise<void> {
  await people.saveSettings(admin, shop, {
    gateway_url: gateway.url,
    key_id: merchant.keyId,
    secret: merchant.secret,
  });
  expect(await admin.content()).not.toContain(merchant.secret);
  const endpoints = await people.endpointsOf(merchant);
  expect(endpoints.map(({ url }) => url)).toEqual([shop.webhookUrl]);
  expect(await people.testConnection(admin, shop)).toBe('Connected to a sandbox. The webhook is set up.');
  expect(await people.endpointsOf(merchant)).toHaveLength(1);
  secret = await secretOf(gateway, merchant);
  expect(await admin.content()).not.toContain(secret);
  // WooCommerce's API shows these, and changes them without asking the plugin.
  const { settings } = (await shop.run('settings')) as { settings: Json };
  expect(settings).toMatchObject({ gateway_url: gateway.url, key_id: merchant.keyId, secret: '' });
}

async function tellMissing(): Promise<void> {
  const narrow = await newMerchant(gateway, ['READ_PAYMENTS', 'CREATE_PAYMENTS', 'CANCEL_PAYMENTS', 'MANAGE_WEBHOOKS']);
  await people.saveSettings(admin, shop, { key_id: narrow.keyId, secret: narrow.secret });
  expect(await admin.locator('.error.inline').innerText()).toContain('lacks these permissions: WITHDRAW.');
  await people.saveSettings(admin, shop, { key_id: merchant.keyId, secret: 'sk_test_wrong' });
  expect(await people.testConnection(admin, shop)).toContain('(1005)');
  await people.saveSettings(admin, shop, { secret: merchant.secret });
  expect(await people.testConnection(admin, shop)).toContain('Connected');
}

async function keepSecretAtHome(): Promise<void> {
  await people.saveSettings(admin, shop, { gateway_url: 'http://thief.example' });
  expect(await admin.locator('.error.inline').innerText()).toContain('https://');
  await people.saveSettings(admin, shop, { gateway_url: '' });
  expect(await admin.locator('.error.inline').innerText()).toContain('enter the secret again');
  await people.saveSettings(admin, shop, { gateway_url: gateway.url });
  expect(await people.testConnection(admin, shop)).toContain('not set up yet');
  await people.saveSettings(admin, shop, { secret: merchant.secret });
  expect(await people.testConnection(admin, shop)).toContain('Connected');
}

async function payOrder(): Promise<void> {
  const { order: id, invoice, page } = await order();
  expect(await invoiceOf(invoice)).toMatchObject({
    amount: '49.9',
    currency: 'EUR',
    merchantInvoiceId: String(id),
    customerEmail: 'ada@example.com',
  });
  expect(await shop.order(id)).toMatchObject({ status: 'pending', isPaid: false, method: 'Pay with coins (sandbox)' });
  const { returnUrl } = (await invoiceOf(invoice)) as { returnUrl: string };
  await page
    .context()
    .newPage()
    .then((other) => other.goto(returnUrl));
  expect((await shop.order(id)).status).toBe('pending'); // coming back changes nothing
  await people.pay(page, merchant, invoice);
  await becomes(id, 'processing');
  expect(await shop.order(id)).toMatchObject({ isPaid: true, transactionId: invoice });
  await untilPasses(async () => expect(await notesOf(id, /payment is confirmed/)).toHaveLength(1));
  await page.locator('.return a').click();
  await page.locator('.order-status, .woocommerce-order').waitFor();
}

async function clickTwice(): Promise<void> {
  const { order: id, invoice, page } = await order();
  const again = `${shop.checkoutUrl}&order-pay=${id}`;
  await page.goto(again);
  expect(await people.placeOrder(page, merchant)).toEqual({ order: id, invoice });
  await shop.run('total', String(id), '20.00');
  await page.goto(again);
  const changed = await people.placeOrder(page, merchant);
  expect(changed.order).toBe(id);
  expect(changed.invoice).not.toBe(invoice);
  expect(await invoiceOf(invoice)).toMatchObject({ status: 'CANCELED' });
  expect(await invoiceOf(changed.invoice)).toMatchObject({ amount: '20', merchantInvoiceId: `${id}-2` });
}

async function expire(): Promise<void> {
  const { order: id, invoice } = await order();
  dataOf(await merchant.rest('POST', `/sandbox/invoices/${invoice}/expire`, {}));
  await becomes(id, 'cancelled');
  expect(await notesOf(id, /nothing was paid in time/)).toHaveLength(1);
}

async function forge(): Promise<void> {
  const { order: id, invoice } = await order();
  const settled = { ...(await invoiceOf(invoice)), status: 'SETTLED', settledAt: new Date().toISOString() };
  const event = { type: 'invoice.settled', invoice: settled, secret };
  const forgeries = [
    { ...event, secret: 'whsec_guessed' },
    { ...event, secret: '' },
    { ...event, signedAt: -400 },
    { ...event, signedAt: 400 },
    { ...event, meddle: (body: string) => body.replace('"amount":"49.9"', '"amount":"0.01"') },
  ];
  const statuses: number[] = [];
  for (const forgery of forgeries) statuses.push((await deliver(shop, forgery)).status);
  // At the first one the secret is read again; those after it may come from one that is newer still.
  expect(statuses).toEqual([400, 503, 400, 400, 503]);
  expect((await shop.order(id)).status).toBe('pending');
  const foreign = { ...settled, invoiceId: 'inv_of_another_shop' };
  expect((await deliver(shop, { ...event, invoice: foreign })).status).toBe(200);
  expect((await shop.order(id)).status).toBe('pending');
}

async function deliverTwice(): Promise<void> {
  const { order: id, invoice } = await order();
  const now = new Date().toISOString();
  const settled = { ...(await invoiceOf(invoice)), status: 'SETTLED', settledAt: now, updatedAt: now };
  const event = { type: 'invoice.settled', invoice: settled, secret, eventId: newEventId() };
  const answers = await Promise.all([1, 2, 3].map(() => deliver(shop, event)));
  // Who waits too long on a busy machine is told to come again.
  const words = answers.map(({ body }) => body.status as string).sort();
  expect(words.filter((word) => word === 'ok')).toHaveLength(1);
  expect(words.filter((word) => !['ok', 'known', 'busy'].includes(word))).toEqual([]);
  expect((await deliver(shop, event)).body.status).toBe('known');
  expect((await shop.order(id)).status).toBe('processing');
  expect(await notesOf(id, /payment is confirmed/)).toHaveLength(1);
}

async function deliverInWrongOrder(): Promise<void> {
  const { order: id, invoice } = await order();
  const start = Date.now();
  const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();
  const base = await invoiceOf(invoice);
  const settled = { ...base, status: 'SETTLED', settledAt: at(2), updatedAt: at(2) };
  const say = async (type: string, changed: object) => {
    expect((await deliver(shop, { type, invoice: { ...base, ...changed }, secret })).status).toBe(200);
    return (await shop.order(id)).status;
  };
  expect(await say('invoice.processing', { status: 'PROCESSING', updatedAt: at(1) })).toBe('on-hold');
  expect(await say('invoice.settled', settled)).toBe('processing');
  expect(await say('invoice.processing', { status: 'PROCESSING', updatedAt: at(-1) })).toBe('processing');
  expect(await say('invoice.expired', { status: 'EXPIRED', updatedAt: at(9) })).toBe('processing');
  await shop.run('status', String(id), 'completed');
  for (const status of ['EXPIRED', 'FAILED', 'PROCESSING'])
    expect(await say(`invoice.${status.toLowerCase()}`, { status, updatedAt: at(20) })).toBe('completed');
}

/** Delivers an event about an order's invoice in a state; resolves with the answer and what the order is then. */
async function tell(placed: { order: number; invoice: string }, status: string, eventId = newEventId()) {
  const now = new Date().toISOString();
  const invoice = { ...(await invoiceOf(placed.invoice)), status, settledAt: now, updatedAt: now };
  const answer = await deliver(shop, { type: `invoice.${status.toLowerCase()}`, invoice, secret, eventId });
  return [answer.status, (await shop.order(placed.order)).status];
}

async function leaveOthersAlone(): Promise<void> {
  const [byTransfer, byHand, ours] = [await order(), await order(), await order()];
  await shop.run('method', String(byTransfer.order), 'bacs');
  await shop.run('status', String(byTransfer.order), 'on-hold');
  await shop.run('status', String(byHand.order), 'on-hold');
  for (const placed of [byTransfer, byHand])
    for (const status of ['EXPIRED', 'FAILED']) expect(await tell(placed, status)).toEqual([200, 'on-hold']);
  expect(await tell(ours, 'PROCESSING')).toEqual([200, 'on-hold']);
  expect(await tell(ours, 'FAILED')).toEqual([200, 'failed']);
}

async function completeAgain(): Promise<void> {
  if (process.env['WOOCOMMERCE_ZIP'] !== undefined) return; // the hook that throws is the double's
  const placed = await order();
  const eventId = newEventId();
  await shop.run('throws', 'yes');
  try {
    expect(await tell(placed, 'SETTLED', eventId)).toEqual([500, 'pending']);
  } finally {
    await shop.run('throws', '');
  }
  expect(await tell(placed, 'SETTLED', eventId)).toEqual([200, 'processing']);
  expect(await notesOf(placed.order, /payment is confirmed/)).toHaveLength(1);
}

async function hearRefundFirst(): Promise<void> {
  const placed = await order();
  expect(await tell(placed, 'REFUNDED')).toEqual([200, 'pending']);
  expect(await tell(placed, 'SETTLED')).toEqual([200, 'pending']);
}

async function reverse(): Promise<void> {
  const held = await paidOrder();
  await people.reorganise(merchant);
  await becomes(held.order, 'on-hold');
  expect(await notesOf(held.order, /payment was reversed/)).toHaveLength(1);
  const completed = await paidOrder();
  await shop.run('status', String(completed.order), 'completed');
  await people.reorganise(merchant);
  await until(async () => (await notesOf(completed.order, /payment was reversed/)).length === 1);
  expect((await shop.order(completed.order)).status).toBe('completed');
}

async function refundOrder(): Promise<void> {
  await paidOrder(); // the balance then covers the fee of the next one
  const { order: id, invoice } = await paidOrder();
  expect(await people.refund(admin, shop, id, '10.00')).toContain(
    'Ask the customer for an address that takes USDT on ETH',
  );
  await people.enterAddress(admin, shop, id, 'ETH', 'not an address');
  expect(await people.refund(admin, shop, id, '10.00')).toContain('This is not an address on that network');
  await people.enterAddress(admin, shop, id, 'eth', ADDRESS);
  expect(await people.refund(admin, shop, id, '10.00')).toBe('');
  expect(await notesOf(id, /refund of [\d.]+ USDT \(ETH\) asked for/)).toHaveLength(1);
  await until(async () => (await notesOf(id, /refunded on the chain so far/)).length === 1);
  const { payments } = await invoiceOf(invoice);
  // 10.00 EUR at 0.925462962963, rounded down to the coin's six decimals or what the gateway takes.
  expect(Number(payments.at(-1).amountRefunded)).toBeCloseTo(10 / 0.925462962963, 5);
  expect((await shop.order(id)).status).toBe('processing');
}

async function loseAnswer(): Promise<void> {
  const { order: id, invoice } = await paidOrder();
  await people.enterAddress(admin, shop, id, 'ETH', ADDRESS);
  const proxy = await startMeddlingProxy(gateway.url);
  try {
    await people.saveSettings(admin, shop, { gateway_url: proxy.url, secret: merchant.secret });
    proxy.meddle(({ path }) => (path.endsWith('/refund') ? { kind: 'lose' } : PASS));
    expect(await people.refund(admin, shop, id, '7.00')).toContain('Refund the same amount again: it is sent once');
    expect(await people.refund(admin, shop, id, '8.00')).toContain('Refund 7.00 again first');
    // Who asks is refused in between: that says nothing of what was asked for before.
    const error = { code: '1003', message: 'Not from this address' };
    const body = JSON.stringify({ success: false, error });
    proxy.meddle(({ path }) => (path.endsWith('/refund') ? { kind: 'say', status: 403, body } : PASS));
    expect(await people.refund(admin, shop, id, '7.00')).toContain('Not from this address');
    expect(await people.refund(admin, shop, id, '8.00')).toContain('Refund 7.00 again first');
    proxy.meddle(() => PASS);
    expect(await people.refund(admin, shop, id, '7.00')).toBe('');
  } finally {
    await proxy.stop();
  }
  await people.saveSettings(admin, shop, { gateway_url: gateway.url, secret: merchant.secret });
  const { payments } = await invoiceOf(invoice);
  const refunds = dataOf(await merchant.rest('GET', `/refunds?paymentId=${payments.at(-1).orderId}`));
  expect(refunds.items).toHaveLength(1);
  expect(await notesOf(id, /asked for/)).toHaveLength(1);
}

async function rotate(): Promise<void> {
  const { order: id, invoice } = await order();
  const change = async (overlapHours: number): Promise<string> =>
    dataOf(await merchant.rest('POST', '/merchant/webhook/rotate-secret', { overlapHours })).secret as string;
  const first = secret;
  const open = { ...(await invoiceOf(invoice)), status: 'OPEN' };
  const say = async (signedWith: string) =>
    (await deliver(shop, { type: 'invoice.expired', invoice: open, secret: signedWith })).status;
  const second = await change(24);
  await shop.run('later', '300');
  expect([await say(first), await say(second), await say(first)]).toEqual([200, 200, 200]);
  secret = await change(0); // others knew the second one
  expect([await say(second), await say(secret)]).toEqual([200, 503]);
  await shop.run('later', '300');
  expect([await say(secret), await say(second)]).toEqual([200, 200]);
  await shop.run('later', '600');
  expect([await say(second), await say(secret)]).toEqual([400, 200]);
  expect(await people.endpointsOf(merchant)).toHaveLength(1);
  expect((await shop.order(id)).status).toBe('pending');
}

async function showBlock(): Promise<void> {
  const page = await people.openCheckout(browser, shop);
  if (process.env['WOOCOMMERCE_ZIP'] === undefined) {
    await page.locator('#block section').waitFor();
    expect(await page.locator('#block section').innerText()).toMatch(
      /^Pay with coins \(sandbox\)\s*You choose the coin/,
    );
  }
  expect(await page.content()).toContain('This is a sandbox: no real money moves.');
  expect(await page.content()).not.toContain(merchant.keyId);
}

async function lookAtLogs(): Promise<void> {
  const logs = shop.logs();
  expect(logs).toContain('turnpike: POST /auth/token: 401 1005');
  for (const hidden of [merchant.secret, secret, ADDRESS, 'ada@example.com']) expect(logs).not.toContain(hidden);
  expect(logs.split('\n').filter((line) => /turnpike-for-woocommerce/.test(line))).toEqual([]);
}
