// The payment page under a thumb: what is in reach without scrolling, wallets that do not open, and what happens once
// the payment is complete: the way back by itself, and a receipt of one page.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { newMerchant, USDT_PAYMENT, type TestMerchant } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { axeFindings, executablePath, launch, look, shoot, type Look } from '../browser.fixture.ts';
import { stopClock, takeClock } from './connections.fixture.ts';

const WAIT = { timeout: 60_000 };
const TEST_MS = 180_000;
const SMALL_PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true } as const;

let gateway: TestGateway;
let shop: TestMerchant;
let browser: Browser;
let seen: Look | null = null;
/** Failures that the test itself causes. */
let forgiven: RegExp | null = null;

async function newPayment(changes: object = {}): Promise<string> {
  const body = { ...USDT_PAYMENT, productName: 'Two tins of Assam', merchantOrderId: 'BK-10045', ...changes };
  return dataOf(await shop.rest('POST', '/payments', { returnUrl: 'https://shop.example/thanks', ...body }), 201)
    .orderId as string;
}

const deposit = async (id: string, body: object = {}) =>
  dataOf(await shop.rest('POST', `/sandbox/payments/${id}/deposit`, body));

async function visit(id: string, options: BrowserContextOptions = SMALL_PHONE): Promise<Page> {
  await seen?.close();
  seen = await look(browser, `${gateway.url}/pay/${id}`, options);
  // The shop that customers go back to.
  await seen.page
    .context()
    .route('https://shop.example/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Thanks</title><h1>Thanks</h1>' }),
    );
  return seen.page;
}

const heading = (page: Page, text: string) => page.locator('#status .heading').getByText(text).waitFor(WAIT);

/** Whether an element is whole on the screen as it is, and nothing lies on it. */
function inReach(page: Page, part: string): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const element = document.querySelector(${JSON.stringify(part)});
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const on = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && (on === element || element.contains(on));
  })()`);
}

if (executablePath !== undefined)
  describe('on a phone', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      shop = await newMerchant(gateway);
      browser = await launch();
      const settings = { companyName: 'Blue Kettle Tea', supportEmail: 'help@shop.example' };
      dataOf(await shop.rest('PUT', '/merchant/settings', settings));
    }, TEST_MS);
    afterEach(async () => {
      const faults = (seen?.faults ?? []).filter((fault) => forgiven?.test(fault) !== true);
      await seen?.close();
      [seen, forgiven] = [null, null];
      expect(faults).toEqual([]);
    }, TEST_MS);
    afterAll(async () => {
      await browser?.close();
      await gateway?.stop();
    }, TEST_MS);

    it('nothing has to be scrolled before the first action', reach, TEST_MS);
    it('the code is one tap away, and stays when the page changes', chooseCode, TEST_MS);
    it('where no wallet opens, the page says what else there is', openNothing, TEST_MS);
    it('it leads back to the shop once it has seen the payment complete', goBack, TEST_MS);
    it('who wants to stay, stays; who opens it later is not led anywhere', stay, TEST_MS);
    it('the receipt is one page of paper, with the whole transaction', print, TEST_MS);
    it('who paid too much, or too little, has one button to the shop', contact, TEST_MS);
  });

async function reach(): Promise<void> {
  const page = await visit(await newPayment());
  await page.locator('#way-wallet:checked').waitFor({ ...WAIT, state: 'attached' });
  for (const part of [
    'h1 .amount',
    '.clock time',
    '.wallets > .button',
    '.bar button:first-child',
    '.bar button:last-child',
  ])
    expect([part, await inReach(page, part)]).toEqual([part, true]);
  expect(await page.evaluate('scrollY')).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  await shoot(page, 'reach-small-phone');
  const places = () =>
    page
      .locator('.field, .bar, .field button')
      .evaluateAll((parts: readonly { getBoundingClientRect(): object }[]) =>
        parts.map((part) => JSON.stringify(part.getBoundingClientRect())),
      );
  await page.locator('#copy-address').click();
  await page
    .locator('#copy-address')
    .getByText(/Copied|Selected/)
    .waitFor(WAIT);
  const after = await places();
  await page.locator('#copy-address').getByText('Copy', { exact: true }).waitFor(WAIT);
  expect(after).toEqual(await places());
  await page.locator('.bar').getByText('Copy address').click();
  await page
    .locator('.bar')
    .getByText(/Copied|Selected/)
    .waitFor(WAIT);
}

async function chooseCode(): Promise<void> {
  const id = await newPayment();
  const page = await visit(id);
  expect(await page.locator('.qr:visible').count()).toBe(0);
  expect(await page.locator('[data-part=status]').innerText()).not.toContain('Scan');
  await page.locator('label[for=way-code]').click();
  expect(await page.locator('.qr:visible').count()).toBe(1);
  expect(await page.locator('.wallets > .button:visible').count()).toBe(0);
  await deposit(id, { amount: '10' });
  await heading(page, 'Part of the amount has arrived');
  expect(await page.locator('.qr:visible').count()).toBe(1);
  expect(await page.locator('.share').getAttribute('value')).toBe('40');
}

async function openNothing(): Promise<void> {
  const page = await visit(await newPayment());
  // No program here takes the scheme.
  forgiven = /scheme does not have a registered handler|asked ethereum:/;
  await page.locator('.wallets > .button').click();
  await page.getByText('Did no wallet open? Copy the address and the amount instead.').waitFor(WAIT);
}

async function goBack(): Promise<void> {
  const id = await newPayment();
  const page = await visit(id);
  await heading(page, 'Waiting for your payment');
  forgiven = /^asked https:\/\/shop\.example\//;
  await deposit(id);
  await heading(page, 'Payment complete');
  await page.locator('.return .count').waitFor(WAIT);
  await page.waitForURL('https://shop.example/thanks', WAIT);
}

async function stay(): Promise<void> {
  const id = await newPayment();
  const page = await visit(id);
  await heading(page, 'Waiting for your payment');
  await deposit(id);
  await page.locator('.stay').click();
  expect(await page.locator('.return .count').count()).toBe(0);
  expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('Return to shop.example');
  for (const reopened of [false, true]) {
    if (reopened) await page.reload();
    await takeClock(page);
    await stopClock(page);
    await page.clock.fastForward('01:00');
    expect(page.url()).toContain(id);
    expect(await page.locator('.stay:visible').count()).toBe(0);
  }
}

async function print(): Promise<void> {
  const id = await newPayment({ productName: 'Two tins of Assam, and a pot' });
  await deposit(id);
  const page = await visit(id);
  await heading(page, 'Payment complete');
  const [{ txHash = '' } = {}] = dataOf(await shop.rest('GET', `/payments/${id}`)).transactions as { txHash: string }[];
  await page.evaluate('window.print = () => document.title = "printed"');
  await page.getByText('Save receipt').click();
  await until(async () => (await page.title()) === 'printed');
  const paper = await page.pdf({ format: 'A4' });
  expect(paper.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  expect(await page.locator('.receipt .whole').innerText()).toBe(txHash);
  expect(await page.locator('.actions:visible, .languages:visible').count()).toBe(0);
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(247, 248, 250)');
  await shoot(page, 'receipt-print');
}

async function contact(): Promise<void> {
  const over = await newPayment();
  await deposit(over, { amount: '30' });
  const page = await visit(over);
  await heading(page, 'Payment complete');
  await page.getByText('Too much', { exact: true }).waitFor(WAIT);
  const mail = (id: string) => `mailto:help@shop.example?subject=${id}`;
  expect(await page.locator('#contact').getAttribute('href')).toBe(mail(over));
  const under = await newPayment();
  await deposit(under, { amount: '10' });
  dataOf(await shop.rest('POST', `/sandbox/payments/${under}/expire`));
  await page.goto(`${gateway.url}/pay/${under}`);
  await heading(page, 'The payment was not completed');
  expect(await page.locator('.actions .button').first().getAttribute('href')).toBe(mail(under));
  await shoot(page, 'underpaid-small-phone');
}
