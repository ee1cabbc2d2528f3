// The page of a payment link in a customer's browser, against a real gateway: from a shop's own button to the invoice.
// Without Chromium this is left to CI, which has it.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { LANGUAGES } from '../../../../web/pay/languages.ts';
import { newMerchant, type TestMerchant } from '../../../support/clients.ts';
import { dataOf } from '../../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts';
import { axeFindings, DESKTOP, executablePath, launch, look, PHONE, shoot, type Look } from '../../browser.fixture.ts';

const WAIT = { timeout: 60_000 };
const TEST_MS = 180_000;
const EVERY_FIELD = { requiredFields: ['EMAIL', 'NAME'], optionalFields: ['PHONE', 'ADDRESS', 'NOTE'] };

let gateway: TestGateway;
let shop: TestMerchant;
let browser: Browser;
let seen: Look | null = null;

async function newLink(changes: object = {}): Promise<string> {
  const body = { name: 'Window', currency: 'EUR', description: 'A box of Darjeeling', ...changes };
  return dataOf(await shop.rest('POST', '/payment-links', body), 201).id as string;
}

async function visit(url: string, options: Parameters<typeof look>[2] = {}): Promise<Page> {
  await seen?.close();
  seen = await look(browser, url, options);
  return seen.page;
}

const heading = (page: Page, text: string) => page.locator('#status .heading').getByText(text).waitFor(WAIT);

if (executablePath !== undefined)
  describe('a payment link in Chromium', () => {
    beforeAll(async () => {
      gateway = await startTestGateway({});
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

    it("a shop's button leads to the form, and the form to the invoice, without a script", fromButton, TEST_MS);
    it('the form is filled in by keyboard, and what was refused is said beside its field', correct, TEST_MS);
    it('in every language the form is no wider than 320 px, and axe finds nothing', readLanguages, TEST_MS);
    it('light on a phone and dark on a desktop, axe finds nothing', lookAtForms, TEST_MS);
  });

/** The page of a shop with the button of the guide: a form that is sent by GET. */
async function openShop(linkId: string): Promise<Server> {
  const page = `<!doctype html><html lang="en"><title>Shop</title><form action="${gateway.url}/pay/${linkId}">
    <input name="amount" value="12.50"><button>Pay</button></form></html>`;
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(page));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

async function fromButton(): Promise<void> {
  const id = await newLink({ minAmount: '5' });
  const server = await openShop(id);
  try {
    const { port } = server.address() as AddressInfo;
    const page = await visit(`http://127.0.0.1:${port}/`, { javaScriptEnabled: false });
    await page.getByRole('button', { name: 'Pay' }).click();
    await heading(page, 'Ready to pay');
    expect(await page.locator('#status').innerText()).toContain('You pay Blue Kettle Tea');
    expect(await page.getByLabel('Amount in EUR').inputValue()).toBe('12.50');
    await page.locator('#next').click();
    await page.waitForURL(/\/pay\/inv_/, WAIT);
    // The gateway is another origin than the shop's.
    seen?.faults.splice(0);
    await heading(page, 'Choose a coin to pay with');
    expect(await page.locator('h1').innerText()).toMatch(/^Amount\s+12\.50 EUR$/);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function correct(): Promise<void> {
  const id = await newLink({ amount: '20', ...EVERY_FIELD });
  const page = await visit(`${gateway.url}/pay/${id}`);
  expect(await page.locator('h1').innerText()).toMatch(/^Amount\s+20\.00 EUR$/);
  await page.getByLabel('Name').focus();
  await page.keyboard.type('Ada');
  await page.keyboard.press('Enter');
  await heading(page, 'Please check the form');
  const email = page.getByLabel('Email');
  expect(await email.getAttribute('aria-invalid')).toBe('true');
  expect(await page.locator('#email-fault').innerText()).toBe('Please fill this in.');
  expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
  await shoot(page, 'refused', 'link');
  // A browser reports the status of the refusal, too.
  seen?.faults.splice(0);
  await email.focus();
  await page.keyboard.type('ada@example.com');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/pay\/inv_/, WAIT);
  await heading(page, 'Choose a coin to pay with');
}

async function readLanguages(): Promise<void> {
  const id = await newLink({ minAmount: '5', maxAmount: '500', ...EVERY_FIELD });
  for (const { code } of LANGUAGES) {
    const page = await visit(`${gateway.url}/pay/${id}?lang=${code}`, { viewport: { width: 320, height: 640 } });
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect([code, width]).toEqual([code, 320]);
    expect([code, await axeFindings(page)]).toEqual([code, []]);
    await shoot(page, `form-${code}`, 'link');
  }
}

async function lookAtForms(): Promise<void> {
  const pages = [
    ['fixed', await newLink({ amount: '20', ...EVERY_FIELD })],
    ['open', await newLink({ maxAmount: '500' })],
    ['closed', await newLink({ amount: '20', enabled: false })],
  ] as const;
  for (const [name, id] of pages)
    for (const [device, options] of [
      ['phone', { viewport: PHONE, colorScheme: 'light' }],
      ['desktop', { viewport: DESKTOP, colorScheme: 'dark' }],
    ] as const) {
      const page = await visit(`${gateway.url}/pay/${id}`, options);
      expect([name, device, await axeFindings(page)]).toEqual([name, device, []]);
      await shoot(page, `${name}-${device}`, 'link');
    }
}
