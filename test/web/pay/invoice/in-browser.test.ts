// The page of an invoice in a customer's browser, against a real gateway and chain: with scripts and without, by
// keyboard, in every language. Without Chromium this is left to CI, which has it.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { LANGUAGES } from '../../../../web/pay/languages.ts';
import { newMerchant, type TestMerchant } from '../../../support/clients.ts';
import { dataOf } from '../../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts';
import { until } from '../../../support/until.ts';
import { axeFindings, DESKTOP, executablePath, launch, look, PHONE, shoot, type Look } from '../../browser.fixture.ts';

const WAIT = { timeout: 60_000 };
const TEST_MS = 180_000;

let gateway: TestGateway;
let shop: TestMerchant;
let browser: Browser;
let seen: Look | null = null;

async function newInvoice(changes: object = {}): Promise<string> {
  const body = { amount: '49.90', currency: 'EUR', description: 'Two tins of Assam', ...changes };
  const returnUrl = 'https://shop.example/thanks';
  return dataOf(await shop.rest('POST', '/invoices', { returnUrl, ...body }), 201).invoiceId as string;
}

/** The order id of the invoice's newest payment. */
async function orderOf(id: string): Promise<string> {
  const { payments } = dataOf(await shop.rest('GET', `/invoices/${id}`));
  return (payments as { orderId: string }[]).at(-1)?.orderId ?? '';
}

const deposit = async (orderId: string, body: object = {}) =>
  dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/deposit`, body));

const endQuote = async (orderId: string) =>
  dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/expire-quote`));

/** Chooses without the page. */
const choose = async (id: string, currency = 'USDT', network = 'ETH') =>
  dataOf(await shop.rest('POST', `/checkout/invoices/${id}/choose`, { currency, network }));

/** Opens an invoice's page; any failure in it fails the test. */
async function visit(id: string, options: Parameters<typeof look>[2] = {}, query = ''): Promise<Page> {
  await seen?.close();
  seen = await look(browser, `${gateway.url}/pay/${id}${query}`, options);
  return seen.page;
}

const heading = (page: Page, text: string) => page.locator('#status .heading').getByText(text).waitFor(WAIT);

if (executablePath !== undefined)
  describe('an invoice in Chromium', () => {
    beforeAll(async () => {
      gateway = await startTestGateway({ SANDBOX_NETWORKS: 'ETH,POLYGON' });
      shop = await newMerchant(gateway);
      browser = await launch();
      dataOf(await shop.rest('PUT', '/merchant/settings', { companyName: 'Blue Kettle Tea' }));
    }, TEST_MS);
    afterEach(async () => {
      const faults = seen?.faults ?? [];
      await seen?.close();
      seen = null;
      expect(faults).toEqual([]);
    }, TEST_MS);
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    }, TEST_MS);

    it('a customer pays one part in one coin and the rest in another', payInTwoCoins, TEST_MS);
    it('once the rate is over the address is gone, and a new rate brings it back', renew, TEST_MS);
    it('without a script a coin and a network are chosen, and the payment is followed', payWithoutScript, TEST_MS);
    it('without a script a refusal is a page with the way back', beRefusedWithoutScript, TEST_MS);
    it('a coin is chosen by keyboard, and the amount copied', payByKeyboard, TEST_MS);
    it('in every language no step is wider than 320 px, and axe finds nothing', readLanguages, TEST_MS);
    it('at every step, light on a phone and dark on a desktop, axe finds nothing', lookAtSteps, TEST_MS);
    it('the first view is within 60 KiB, and waits for nothing else to be seen', weigh, TEST_MS);
  });

async function payInTwoCoins(): Promise<void> {
  const id = await newInvoice();
  const page = await visit(id);
  await heading(page, 'Choose a coin to pay with');
  expect(await page.locator('h1').innerText()).toMatch(/^Amount\s+49\.90 EUR$/);
  await page.locator('#coin-USDT').click();
  await page.locator('#on-ETH').click();
  await heading(page, 'Waiting for your payment');
  expect((await page.locator('h1').innerText()).replaceAll('\u00a0', ' ')).toMatch(
    /^Send exactly\s+53\.91896 USDT\s+on Ethereum \(ETH\)\s+for 49\.90 EUR\s+1 USDT = 0\.92546296 EUR$/,
  );
  await page
    .locator('.clock time')
    .getByText(/^\d\d:\d\d$/)
    .waitFor(WAIT);
  await deposit(await orderOf(id), { amount: '20' });
  await heading(page, 'Part of the amount has arrived');
  expect(await page.locator('#sum').innerText()).toBe('33.91896');
  await page.locator('#other').click();
  await heading(page, 'Choose a coin to pay with');
  await page.locator('#coin-USDC').click();
  await page.locator('#on-ETH').click();
  await heading(page, 'Part of the amount has arrived');
  expect(await page.locator('#sum').innerText()).toBe('33.895221');
  expect(await page.locator('[data-part=facts]').innerText()).toMatch(/Ethereum \(ERC20\)\s+20\sUSDT/);
  await deposit(await orderOf(id));
  await heading(page, 'Payment complete');
  await page.locator('.stay').click();
  expect(await page.locator('.return a').innerText()).toBe('Return to shop.example');
  expect(await page.locator('#address').count()).toBe(0);
  await shoot(page, 'two-coins-settled', 'invoice');
}

async function renew(): Promise<void> {
  const id = await newInvoice();
  await choose(id);
  const page = await visit(id);
  await heading(page, 'Waiting for your payment');
  const address = await page.locator('#address').innerText();
  await endQuote(await orderOf(id));
  await heading(page, 'The rate holds no longer');
  expect(await page.content()).not.toContain(address);
  await page.getByText('Already sent? It still counts').waitFor(WAIT);
  await page.locator('#renew').click();
  await heading(page, 'Waiting for your payment');
  expect(await page.locator('#address').innerText()).not.toBe(address);
  expect(dataOf(await shop.rest('GET', `/invoices/${id}`)).payments).toHaveLength(2);
}

async function payWithoutScript(): Promise<void> {
  const id = await newInvoice();
  const page = await visit(id, { javaScriptEnabled: false, viewport: { width: 320, height: 640 } });
  await heading(page, 'Choose a coin to pay with');
  await page.locator('.languages summary').click();
  await page.locator('.languages a[lang=ar]').click();
  await heading(page, 'اختر عملة للدفع');
  await page.locator('#coin-USDT').click();
  await heading(page, 'اختر الشبكة');
  expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
  await shoot(page, 'no-script-network-ar', 'invoice');
  await page.locator('#on-ETH').click();
  await heading(page, 'في انتظار دفعتك');
  expect(await page.locator('#sum').innerText()).toBe('53.91896');
  expect(await page.locator('.qr:visible').count()).toBe(1);
  expect(await page.locator('[data-copy]:visible').count()).toBe(0);
  await shoot(page, 'no-script-pay-ar', 'invoice');
  const order = await orderOf(id);
  await endQuote(order);
  await heading(page, 'لم يعد السعر ساريًا'); // By itself: it reloads every ten seconds.
  await page.locator('#renew').click();
  await heading(page, 'في انتظار دفعتك');
  await deposit(await orderOf(id));
  await heading(page, 'اكتملت الدفعة');
}

async function beRefusedWithoutScript(): Promise<void> {
  const id = await newInvoice();
  const page = await visit(id, { javaScriptEnabled: false }, '?coin=USDT');
  await page.locator('#on-ETH').waitFor(WAIT);
  dataOf(await shop.rest('POST', '/sandbox/rates', { code: 'USDT', usd: null }));
  await page.locator('#on-ETH').click();
  await page.getByText('There is no rate for this coin at the moment.').waitFor(WAIT);
  await page.locator('#back').click();
  await heading(page, 'Choose a coin to pay with');
  expect(await page.locator('#coin-USDT').count()).toBe(0);
  dataOf(await shop.rest('POST', '/sandbox/rates', { code: 'USDT' }));
  // The browser reports the answer's 503.
  seen?.faults.splice(0);
}

async function payByKeyboard(): Promise<void> {
  const id = await newInvoice();
  const page = await visit(id, { permissions: ['clipboard-read', 'clipboard-write'] });
  await heading(page, 'Choose a coin to pay with');
  const focused = () => page.evaluate<string>('document.activeElement.id');
  const reach = async (target: string) => {
    for (let step = 0; step < 20; step += 1) {
      await page.keyboard.press('Tab');
      if ((await focused()) === target) return;
    }
    throw new Error(`No way to ${target} by keyboard`);
  };
  await reach('coin-USDT');
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
  await page.keyboard.press('Enter');
  await heading(page, 'Choose the network');
  await reach('on-ETH');
  await page.keyboard.press('Enter');
  await heading(page, 'Waiting for your payment');
  await reach('copy-sum');
  await page.keyboard.press('Enter');
  await until(async () => (await page.evaluate('navigator.clipboard.readText()')) === '53.91896');
}

let made: ReturnType<typeof makeSteps> | null = null;

/** An invoice at each step that a customer may look at, and the query that leads there. */
const steps = () => (made ??= makeSteps());

async function makeSteps(): Promise<readonly (readonly [name: string, id: string, query: string])[]> {
  const fresh = await newInvoice();
  const [paying, over, part, settled, canceled] = await Promise.all([1, 2, 3, 4, 5].map(() => newInvoice()));
  for (const id of [paying, over, part, settled]) await choose(id ?? '');
  await endQuote(await orderOf(over ?? ''));
  await deposit(await orderOf(part ?? ''), { amount: '20' });
  await deposit(await orderOf(settled ?? ''));
  dataOf(await shop.rest('DELETE', `/invoices/${canceled}`));
  const statusOf = async (id = '') => dataOf(await shop.rest('GET', `/invoices/${id}`)).status as string;
  await until(
    async () => (await statusOf(settled)) === 'SETTLED' && (await statusOf(part)) === 'PARTIALLY_PAID',
    40_000,
  );
  return [
    ['coins', fresh, ''],
    ['networks', fresh, 'coin=USDT'],
    ['pay', paying ?? '', ''],
    ['new-rate', over ?? '', ''],
    ['part', part ?? '', ''],
    ['part-other', part ?? '', 'coin='],
    ['settled', settled ?? '', ''],
    ['canceled', canceled ?? '', ''],
  ];
}

async function readLanguages(): Promise<void> {
  const rows = await steps();
  const page = await visit(rows[0]?.[1] ?? '', { viewport: { width: 320, height: 640 } });
  for (const { code } of LANGUAGES) {
    // What is said at the end is the page of a payment's, in the same words.
    for (const [name, id, query] of rows.filter(([name]) => !['settled', 'canceled', 'part'].includes(name))) {
      await page.goto(`${gateway.url}/pay/${id}?lang=${code}&${query}`);
      expect([code, name, await page.locator('html').getAttribute('lang')]).toEqual([code, name, code]);
      expect([code, name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([code, name, 320]);
      expect([code, name, await axeFindings(page)]).toEqual([code, name, []]);
      await shoot(page, `${name}-${code}-320`, 'invoice');
      expect(seen?.faults).toEqual([]);
    }
  }
}

async function lookAtSteps(): Promise<void> {
  const rows = await steps();
  const looks = [
    ['phone', { viewport: PHONE, colorScheme: 'light' }],
    ['desktop', { viewport: DESKTOP, colorScheme: 'dark' }],
  ] as const;
  for (const [device, options] of looks) {
    const page = await visit(rows[0]?.[1] ?? '', options);
    for (const [name, id, query] of rows) {
      await page.goto(`${gateway.url}/pay/${id}?${query}`);
      expect(await page.locator('.reference code').innerText()).toBe(id);
      expect([name, device, await axeFindings(page)]).toEqual([name, device, []]);
      await shoot(page, `${name}-${device}`, 'invoice');
      expect(seen?.faults).toEqual([]);
    }
    await page.emulateMedia({ media: 'print' });
    await shoot(page, `print-${device}`, 'invoice');
  }
}

async function weigh(): Promise<void> {
  const id = await newInvoice();
  await choose(id);
  for (const query of ['', '?coin=', '?coin=USDT']) {
    const page = await visit(id, {}, query);
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    await page.reload({ waitUntil: 'networkidle' });
    console.log(`first view of ${query || 'an invoice'}: ${bytes} bytes`);
    expect(bytes).toBeGreaterThan(1_000);
    // Beside a logo of the largest size that we send, it is within the page's 60 KiB.
    expect(bytes).toBeLessThan(30 * 1024);
    const blocking = `performance.getEntriesByType('resource').filter((one) => one.renderBlockingStatus === 'blocking')`;
    expect(await page.evaluate(`${blocking}.length`)).toBe(0);
  }
}
