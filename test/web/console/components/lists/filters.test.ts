// The filters above lists in Chromium: chips that remove them, the fold of phones, and the search that payments and
// invoices share. Without Chromium this is left to CI, which has it.

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
/** The id of the invoice with the reference INV-1. */
let invoiceId: string;

const CREATE = 'mutation ($i: CreatePaymentInput!) { createPayment(input: $i) { id } }';
const CREATE_INVOICE = 'mutation ($i: CreateInvoiceInput!) { createInvoice(input: $i) { id } }';

async function fill(): Promise<void> {
  for (const merchantOrderId of ['KC-1', 'KC-2'])
    await look.operate(CREATE, { i: { amount: '25', currency: 'USDT', network: 'ETH', merchantOrderId } });
  for (const [merchantInvoiceId, customerEmail] of [
    ['INV-2', 'bob@customer.example'],
    ['INV-1', 'ann@customer.example'],
  ] as const) {
    const i = { amount: '49.90', currency: 'EUR', merchantInvoiceId, customerEmail };
    invoiceId = (await look.operate<{ createInvoice: { id: string } }>(CREATE_INVOICE, { i })).createInvoice.id;
  }
}

if (executablePath !== undefined)
  describe('filters above lists', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      browser = await launch();
      look = await register(browser, gateway);
      page = look.page;
      await fill();
    });
    afterAll(async () => {
      expect(look.faults).toEqual([]);
      await browser.close();
      await gateway.stop();
    });

    it('what is in force is a row of chips, and each removes its filter, by keys as well', chips, 120_000);
    it('on a phone they are behind a button, which stays open for the visit', folded, 120_000);
    it('invoices are found by the beginning of a reference, an e-mail address or an id', invoices, 120_000);
    it('withdrawals, calls and deliveries have them too, and the key of a call is one line', others, 120_000);
  });

const force = () => page.getByRole('list', { name: 'Filters in force' });
const chip = (words: string) => force().getByRole('button', { name: `Remove filter ${words}`, exact: true });
const references = (table: string) => page.getByRole('table', { name: table }).locator('tbody .name-of');

async function expectRows(table: string, expected: readonly string[]): Promise<void> {
  await until(async () => {
    return JSON.stringify(await references(table).allTextContents()) === JSON.stringify(expected);
  });
}

async function chips(): Promise<void> {
  await page.goto(`${gateway.url}/console/payments?view=open`);
  await expectRows('Payments', ['KC-2', 'KC-1']);
  expect(await force().count()).toBe(0);
  await page.getByLabel('Status').selectOption({ label: 'Confirming' });
  await page.getByText('No payments match.').waitFor();
  await page.getByLabel('From').fill('2024-02-01');
  await chip('From 1 Feb 2024').waitFor();
  await page.getByLabel('Currency').selectOption('USDT/ETH');
  await chip('Currency: USDT on Ethereum').waitFor();
  await look.inspect('filters-chips');
  await chip('Status: Confirming').focus();
  await page.keyboard.press('Enter');
  await chip('Status: Confirming').waitFor({ state: 'detached' });
  await expectRows('Payments', ['KC-2', 'KC-1']);
  // Those who go on by keys are at the next of them.
  expect(await page.evaluate('document.activeElement.textContent')).toContain('USDT on Ethereum');
  await force().getByRole('button', { name: 'Clear all' }).click();
  await force().waitFor({ state: 'detached' });
  expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Filters');
  expect(new URL(page.url()).search).toBe('?view=open');
}

async function folded(): Promise<void> {
  await page.setViewportSize(PHONE);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await page.goto(`${gateway.url}/console/payments?asset=USDT/ETH&to=2099-01-01`);
  await expectRows('Payments', ['KC-2', 'KC-1']);
  await page.getByRole('searchbox').waitFor();
  expect(await page.getByLabel('Status').isVisible()).toBe(false);
  await button('Filters (2)').click();
  await page.getByLabel('Status').selectOption({ label: 'Waiting' });
  await button('Filters (3)').waitFor();
  await page.reload();
  await page.getByLabel('Status').waitFor();
  await button('Filters (3)').click();
  await page.getByLabel('Status').waitFor({ state: 'hidden' });
  await chip('To 1 Jan 2099').click();
  await button('Filters (2)').waitFor();
  await page.setViewportSize(DESKTOP);
  await page.getByLabel('Status').waitFor();
}

async function invoices(): Promise<void> {
  await look.go('Invoices');
  await expectRows('Invoices', ['INV-1', 'INV-2']);
  for (const [text, found] of [
    ['inv-2', ['INV-2']],
    ['ann@', ['INV-1']],
    [invoiceId.slice(0, -2), ['INV-1']],
    ['INV', ['INV-1', 'INV-2']],
  ] as const) {
    await page.getByRole('searchbox').fill(text);
    await look.button('Find').click();
    await expectRows('Invoices', found);
    await chip(`Search: ${text}`).waitFor();
  }
  await look.inspect('invoices-found');
  await page.getByRole('searchbox').fill('KC-1');
  await look.button('Find').click();
  await page.getByText('No invoices match.').waitFor();
  await page.getByText('match, too.').getByRole('link', { name: 'Payments' }).click();
  await expectRows('Payments', ['KC-1']);
}

async function others(): Promise<void> {
  await page.goto(`${gateway.url}/console/wallet?status=FAILED`);
  await page.getByText('No withdrawals match.').waitFor();
  await chip('Status: Failed').click();
  await page.getByText('No withdrawals yet.').waitFor();
  expect(page.url()).not.toContain('FAILED');
  await page.goto(`${gateway.url}/console/webhooks?status=FAILED&hours=24`);
  await chip('Status: Failed').click();
  await chip('Time: Last 24 hours').waitFor();
  expect(page.url()).not.toContain('FAILED');
  const [merchant] = await gateway.sql<{ id: string }>('select id from merchant order by created_at desc limit 1');
  await gateway.sql(
    `insert into api_log (merchant_id, request_id, at, key_id, method, path, status, duration_ms, ip)
     values ($1, 'req-1', now(), 'pk_test_0123456789abcdef', 'GET', '/api/v1/payments', 200, 3, '127.0.0.1')`,
    [merchant?.id],
  );
  await page.goto(`${gateway.url}/console/api-logs?path=/api/v1/payments`);
  const cell = page.getByRole('table', { name: 'Calls' }).locator('td').last();
  await cell.getByText('pk_test_0123…').waitFor();
  const [row, line] = [await cell.boundingBox(), await cell.locator('code').boundingBox()];
  expect([row?.height, line?.height].map((height) => (height ?? 99) < 48)).toEqual([true, true]);
  await chip('Path: /api/v1/payments').click();
  await page.waitForURL(/api-logs$/);
  expect(await page.getByLabel('Path').inputValue()).toBe('');
  await look.inspect('logs');
}
