// Finding things in the console in Chromium: the search over every page and its keys, what needs attention on the
// first page, and the views, looks and selections of the list of payments.

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts';
import { until } from '../../../support/until.ts';
import { executablePath, launch } from '../../browser.fixture.ts';
import { register, type ConsoleLook } from '../browser.fixture.ts';

let gateway: TestGateway;
let browser: Browser;
let look: ConsoleLook;
/** Ids by their references. */
const made = new Map<string, string>();

const CREATE = 'mutation ($i: CreatePaymentInput!) { createPayment(input: $i) { id address } }';
const DEPOSIT = 'mutation ($i: SimulateDepositInput!) { simulateDeposit(input: $i) { id } }';
const REFUND = 'mutation ($i: RefundPaymentInput!) { refundPayment(input: $i) { id } }';
const RECIPIENT = `0x${'4'.repeat(40)}`;
const EXPIRE = 'mutation ($id: ID!) { expirePayment(id: $id) { id } }';

async function make(merchantOrderId: string, more: object = {}): Promise<string> {
  const input = { amount: '25', currency: 'USDT', network: 'ETH', merchantOrderId, ...more };
  const data = await look.operate<{ createPayment: { id: string } }>(CREATE, { i: input });
  made.set(merchantOrderId, data.createPayment.id);
  return data.createPayment.id;
}

async function fill(): Promise<void> {
  const paid = await make('KC-1', { productName: 'Darjeeling first flush', customerEmail: 'ann@customer.example' });
  await look.operate(DEPOSIT, { i: { paymentId: paid } });
  const short = await make('KC-2', { productName: 'Matcha set' });
  await look.operate(DEPOSIT, { i: { paymentId: short, amount: '10' } });
  await look.operate(EXPIRE, { id: short });
  for (const reference of ['KC-3', 'KC-4', 'OTHER-5']) await make(reference, { customerEmail: 'bob@customer.example' });
  await until(async () => (await waiting()) === 1);
}
const waiting = async () =>
  (await look.operate<{ paymentCounts: { waiting: number } }>('{ paymentCounts { waiting } }')).paymentCounts.waiting;

if (executablePath !== undefined)
  describe('finding things in the console', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      browser = await launch();
      look = await register(browser, gateway);
      await fill();
    });
    afterAll(async () => {
      expect(look.faults).toEqual([]);
      await browser.close();
      await gateway.stop();
    });

    it('the first page says what needs attention, and leads there', attention, 60_000);
    it('a payment is found from any page by a piece of it, without a mouse', byPiece, 60_000);
    it('two refunds of one payment are two lines, which lead to it', twoRefunds, 60_000);
    it('pages and deeds are in the search, and single keys lead there until they are switched off', byKeys, 60_000);
    it('views count what is in them, and one’s own are kept in the browser', views, 60_000);
    it('a payment is looked at beside the list, and the next by a key', beside, 60_000);
    it('several are saved and canceled at once', several, 60_000);
  });

async function attention(): Promise<void> {
  const { page } = look;
  await page.reload();
  await page.getByText('10.00 of 25.00 USDT came: ask for the rest, or refund it.').waitFor();
  await look.inspect('home');
  await page.getByRole('definition').getByRole('link', { name: '1', exact: true }).click();
  await page.waitForURL('**/payments?view=attention');
  await expectRows(['KC-2']);

  await page.getByRole('link', { name: 'KC-2', exact: true }).click();
  const ask = page.getByRole('link', { name: /^Ask for the rest/ });
  const letter = decodeURIComponent((await ask.getAttribute('href')) ?? '');
  expect(letter).toMatch(/^mailto:\?subject=15\.00 USDT is still missing: KC-2&body=Hello,\r\n/);
  expect(letter).toMatch(/USDT on Ethereum, and on no other network, to this address:\r\n0x[0-9a-fA-F]{40}$/);
  await look.inspect('payment-short');
}

async function byPiece(): Promise<void> {
  const { page } = look;
  await look.go('Reports');
  await page.keyboard.press('Control+k');
  const box = page.getByRole('dialog').getByRole('searchbox');
  await box.waitFor();
  // All pages, which are more than fit.
  await page.getByRole('menuitem', { name: 'Home' }).waitFor();
  await look.inspect('search-pages');
  for (const [text, found] of [
    ['kc-1', /^KC-1/],
    ['DARJEELING', /^KC-1/],
    ['ann@', /^KC-1/],
    [made.get('KC-1')?.slice(0, 24) ?? '', /^KC-1/],
  ] as const) {
    await box.fill(text);
    await page.getByRole('group', { name: 'Payments' }).getByRole('menuitem', { name: found }).first().waitFor();
  }
  await look.inspect('search');
  await box.fill('nothing like it');
  await page.getByText('Nothing begins with this.', { exact: false }).waitFor();
  await box.fill('kc-2');
  await page.getByRole('menuitem', { name: /^KC-2/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/payments/${made.get('KC-2') ?? ''}`);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

async function twoRefunds(): Promise<void> {
  const { page } = look;
  await look.confirm();
  for (const amount of ['1', '2'])
    await look.operate(REFUND, { i: { paymentId: made.get('KC-1'), amount, address: RECIPIENT } });
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('searchbox').fill(RECIPIENT);
  const refunds = page.getByRole('group', { name: 'Refunds' }).getByRole('menuitem');
  await refunds.nth(1).waitFor();
  expect(await refunds.count()).toBe(2);
  await refunds.filter({ hasText: '1.00 USDT' }).click();
  await page.waitForURL(`**/payments/${made.get('KC-1') ?? ''}`);
}

async function byKeys(): Promise<void> {
  const { page } = look;
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor();
  // In a field a letter is a letter.
  await page.getByRole('searchbox').fill('');
  await page.keyboard.type('n?');
  expect(await page.getByRole('searchbox').inputValue()).toBe('n?');
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('n');
  await page.getByRole('heading', { level: 1, name: 'New payment' }).waitFor();
  await page.keyboard.press('/');
  await page.getByRole('dialog').getByRole('searchbox').fill('new inv');
  await page.getByRole('menuitem', { name: 'New invoice' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'New invoice' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await look.inspect('shortcuts');
  await page.getByLabel('Single-key shortcuts').uncheck();
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search' }).waitFor();
  await page.keyboard.press('Escape');
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('New invoice');
  await page.evaluate("localStorage.removeItem('turnpike/letters-off')");
}

/** Waits until the list has these references, newest first. */
async function expectRows(references: readonly string[]): Promise<void> {
  const names = look.page.getByRole('table', { name: 'Payments' }).locator('tbody .name-of');
  await until(async () => JSON.stringify(await names.allTextContents()) === JSON.stringify(references));
}

async function views(): Promise<void> {
  const { page } = look;
  await look.go('Payments');
  const nav = page.getByRole('navigation', { name: 'Views' });
  await nav.getByRole('link', { name: 'All 5' }).waitFor();
  await nav.getByRole('link', { name: 'Open 3' }).click();
  await expectRows(['OTHER-5', 'KC-4', 'KC-3']);
  await nav.getByRole('link', { name: 'Ended unpaid 1' }).click();
  await expectRows(['KC-2']);
  await page.getByRole('searchbox').fill('bob@customer.example');
  await look.button('Find').click();
  await expectRows(['OTHER-5', 'KC-4', 'KC-3']);
  await look.button('Save view').click();
  await page.getByLabel('Name').fill('Of Bob');
  await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click();
  await nav.getByRole('link', { name: 'Of Bob' }).waitFor();
  await look.inspect('payments-views');
  await page.reload();
  await nav.getByRole('link', { name: 'All 5' }).click();
  await expectRows(['OTHER-5', 'KC-4', 'KC-3', 'KC-2', 'KC-1']);
  await nav.getByRole('link', { name: 'Of Bob' }).click();
  await expectRows(['OTHER-5', 'KC-4', 'KC-3']);
  await look.button('Remove view').click();
  await nav.getByRole('link', { name: 'Of Bob' }).waitFor({ state: 'detached' });
}

async function beside(): Promise<void> {
  const { page } = look;
  await look.go('Payments');
  await expectRows(['OTHER-5', 'KC-4', 'KC-3', 'KC-2', 'KC-1']);
  await page.getByRole('row').filter({ hasText: 'KC-2' }).getByText('Matcha set').click();
  await page.getByRole('dialog', { name: 'KC-2' }).getByText('Failed, too little').waitFor();
  await look.inspect('payment-beside');
  await page.keyboard.press('j');
  await page.getByRole('dialog', { name: 'KC-1' }).getByText('ann@customer.example').waitFor();
  await page.keyboard.press('k');
  await page.keyboard.press('k');
  await page.getByRole('dialog', { name: 'KC-3' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(page.url()).not.toContain('look=');
  await look.button('Look at KC-4').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'KC-4' }).getByRole('link', { name: 'Open' }).click();
  await page.waitForURL(`**/payments/${made.get('KC-4') ?? ''}`);
}

async function several(): Promise<void> {
  const { page } = look;
  await look.go('Payments');
  for (const reference of ['KC-1', 'KC-3', 'KC-4']) await page.getByLabel(`Select ${reference}`).check();
  const bar = page.getByRole('region', { name: 'Selected payments' });
  await bar.getByText('3 payments selected').waitFor();
  await look.inspect('payments-selected');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    bar.getByRole('button', { name: 'Export' }).click(),
  ]);
  const [head = '', ...rows] = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
  expect(head).toMatch(/^id,merchantOrderId,/);
  expect(rows.map((row) => row.split(',')[1])).toEqual(['KC-4', 'KC-3', 'KC-1']);
  await bar.getByRole('button', { name: 'Cancel' }).click();
  const question = page.getByRole('alertdialog', { name: 'Cancel 2 payments?' });
  await question.getByText('The other 1 payment cannot be canceled any more.').waitFor();
  await question.getByRole('button', { name: 'Cancel 2 payments' }).click();
  await page.getByText('2 payments canceled').waitFor();
  await bar.waitFor({ state: 'detached' });
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Ended unpaid 3' }).click();
  await expectRows(['KC-4', 'KC-3', 'KC-2']);
}
