// The choice of a table's columns in Chromium: by keys, kept for the person, and without a phone's list changing.
// Without Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startTestGateway, type TestGateway } from '../../../../support/gateway/gateway.ts';
import { until } from '../../../../support/until.ts';
import { DESKTOP, executablePath, launch, PHONE } from '../../../browser.fixture.ts';
import { register, type ConsoleLook } from '../../browser.fixture.ts';

let gateway: TestGateway;
let browser: Browser;
let look: ConsoleLook;
let page: Page;

const CREATE = 'mutation ($i: CreatePaymentInput!) { createPayment(input: $i) { id } }';
const CREATE_INVOICE = 'mutation ($i: CreateInvoiceInput!) { createInvoice(input: $i) { id } }';
const EMAIL = 'someone.with.a.long.name@customer.example';

if (executablePath !== undefined)
  describe('the columns of a table', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      browser = await launch();
      look = await register(browser, gateway);
      page = look.page;
      const i = { amount: '25', currency: 'USDT', network: 'ETH', merchantOrderId: 'KC-1', customerEmail: EMAIL };
      await look.operate(CREATE, { i });
      await look.operate(CREATE_INVOICE, { i: { amount: '49.90', currency: 'EUR', customerEmail: EMAIL } });
    });
    afterAll(async () => {
      expect(look.faults).toEqual([]);
      await browser.close();
      await gateway.stop();
    });

    it('are chosen by keys alone, and kept in this browser', byKeys, 120_000);
    it('a phone’s list has what it had', phone, 120_000);
    it('those of invoices are another choice, and all of them have room', invoices, 120_000);
    it('a choice that cannot be read is no choice', unreadable, 120_000);
    it(
      'one that the browser has no room for lasts as long as the page, and one that keeps nothing shows it',
      full,
      120_000,
    );
  });

const titles = (table: string) => page.getByRole('table', { name: table }).getByRole('columnheader').allInnerTexts();

const expectTitles = (table: string, expected: readonly string[]) =>
  until(async () => JSON.stringify(await titles(table)) === JSON.stringify(expected));

const menu = () => page.getByRole('group', { name: 'Columns' });
const button = () => page.getByRole('button', { name: 'Columns' });
const AT_FIRST = ['Select', 'Payment', 'Status', 'Amount', 'Received', 'Network', 'Created', 'Look'];

async function byKeys(): Promise<void> {
  await look.go('Payments');
  await expectTitles('Payments', AT_FIRST);
  await button().focus();
  await page.keyboard.press('Enter');
  await menu().waitFor();
  expect(await menu().getByLabel('Payment', { exact: true }).isDisabled()).toBe(true);
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.parentElement.textContent')).toBe('Status');
  await page.keyboard.press('Space');
  await menu().getByLabel('E-mail').focus();
  await page.keyboard.press('Space');
  await look.inspect('columns-menu');
  await page.keyboard.press('Escape');
  await menu().waitFor({ state: 'hidden' });
  await button().focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Escape');
  await menu().waitFor({ state: 'hidden' });
  expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Columns');
  const chosen = ['Select', 'Payment', 'Amount', 'Received', 'Network', 'E-mail', 'Created', 'Look'];
  await expectTitles('Payments', chosen);
  await page.reload();
  await page.getByText(EMAIL).waitFor();
  await expectTitles('Payments', chosen);
}

async function phone(): Promise<void> {
  await page.setViewportSize(PHONE);
  await page.getByRole('cell', { name: 'Waiting' }).waitFor();
  await page.getByText(EMAIL).waitFor({ state: 'hidden' });
  expect(await button().isVisible()).toBe(false);
  await page.setViewportSize(DESKTOP);
  await button().click();
  await menu().getByRole('button', { name: 'Reset columns' }).click();
  await expectTitles('Payments', AT_FIRST);
}

async function invoices(): Promise<void> {
  await look.go('Invoices');
  await expectTitles('Invoices', ['Invoice', 'Status', 'Price', 'Received', 'Created']);
  await button().click();
  for (const title of ['E-mail', 'Id']) await menu().getByLabel(title, { exact: true }).check();
  await page.keyboard.press('Escape');
  await expectTitles('Invoices', ['Invoice', 'Status', 'Price', 'Received', 'E-mail', 'Id', 'Created']);
  await look.inspect('columns-all');
  // The narrowest window that has a table and not a list.
  await page.setViewportSize({ width: 1090, height: 900 });
  await button().waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1090);
  await page.setViewportSize(DESKTOP);
}

async function unreadable(): Promise<void> {
  await page.evaluate(
    "for (const key of Object.keys(localStorage)) if (key.startsWith('turnpike/columns/')) localStorage.setItem(key, '[1')",
  );
  await page.reload();
  await expectTitles('Invoices', ['Invoice', 'Status', 'Price', 'Received', 'Created']);
}

async function full(): Promise<void> {
  await page.evaluate("Storage.prototype.setItem = () => { throw new DOMException('Full', 'QuotaExceededError'); }");
  await button().click();
  await menu().getByLabel('E-mail', { exact: true }).check();
  await page.keyboard.press('Escape');
  await expectTitles('Invoices', ['Invoice', 'Status', 'Price', 'Received', 'E-mail', 'Created']);
  await page.addInitScript(`for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, { get: () => { throw new DOMException('Closed', 'SecurityError'); } })`);
  await page.reload();
  await expectTitles('Invoices', ['Invoice', 'Status', 'Price', 'Received', 'Created']);
  await look.go('Home');
  await page.getByText('Your first payment, in four steps').waitFor();
  await look.button('Skip this').click();
  await page.getByText('Your first payment, in four steps').waitFor({ state: 'detached' });
}
