// Live lists in Chromium that do not move under those who read them: paused by a button or a key, scrolled, or behind a
// drawer. Without Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startTestGateway, type TestGateway } from '../../../../support/gateway/gateway.ts';
import { until } from '../../../../support/until.ts';
import { executablePath, launch } from '../../../browser.fixture.ts';
import { register, type ConsoleLook } from '../../browser.fixture.ts';

let gateway: TestGateway;
let browser: Browser;
let look: ConsoleLook;
let page: Page;

const CREATE = 'mutation ($i: CreatePaymentInput!) { createPayment(input: $i) { id } }';
const CANCEL = 'mutation ($id: ID!) { cancelPayment(id: $id) { id } }';
const FIRST_PAGE = 25;

async function make(merchantOrderId: string): Promise<string> {
  const i = { amount: '25', currency: 'USDT', network: 'ETH', merchantOrderId };
  return (await look.operate<{ createPayment: { id: string } }>(CREATE, { i })).createPayment.id;
}

if (executablePath !== undefined)
  describe('a live list', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      browser = await launch();
      look = await register(browser, gateway);
      page = look.page;
      for (let nth = 1; nth <= FIRST_PAGE + 5; nth += 1) await make(`KC-${String(nth)}`);
      await page.goto(`${gateway.url}/console/payments`);
      await row('KC-30').waitFor();
    });
    afterAll(async () => {
      expect(look.faults).toEqual([]);
      await browser.close();
      await gateway.stop();
    });

    it('stands still when it is paused, says how much is new, and shows it by a press', byButton, 120_000);
    it('is paused and goes on by a key', byKey, 120_000);
    it('holds back what comes while it is scrolled, and goes on with "Load more" below', scrolled, 120_000);
    it('goes on by itself when what lay over it is closed', covered, 120_000);
    it('of another page is not paused', elsewhere, 120_000);
  });

const row = (reference: string) => page.getByRole('row').filter({ has: page.getByText(reference, { exact: true }) });
/** The mark at the top, by its words and what a press does. */
const mark = (...words: readonly string[]) =>
  page.getByRole('banner').getByRole('button', { name: new RegExp(`^${words.join('[ ·]*')}$`) });

async function byButton(): Promise<void> {
  await mark('Live', 'Pause').click();
  await mark('Paused', 'Go on').waitFor();
  const id = await make('NEW-1');
  await mark('Paused', '1 new', 'Show').waitFor();
  await make('NEW-2');
  await mark('Paused', '2 new', 'Show').waitFor();
  const listed = await page.getByRole('row').count();
  expect([await row('NEW-1').count(), listed]).toEqual([0, FIRST_PAGE + 1]);
  await look.inspect('list-paused');
  await mark('Paused', '2 new', 'Show').click();
  await row('NEW-2').waitFor();
  await row('NEW-1').getByText('Waiting').waitFor();
  await mark('Live', 'Pause').waitFor();
  await look.operate(CANCEL, { id });
  await row('NEW-1').getByText('Canceled').waitFor();
}

async function byKey(): Promise<void> {
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('l');
  await mark('Paused', 'Go on').waitFor();
  const id = await make('NEW-3');
  await mark('Paused', '1 new', 'Show').waitFor();
  await page.keyboard.press('l');
  await row('NEW-3').getByText('Waiting').waitFor();
  await page.keyboard.press('l');
  await mark('Paused', 'Go on').waitFor();
  await look.operate(CANCEL, { id });
  await make('NEW-4');
  await mark('Paused', '1 new', 'Show').waitFor();
  // Nothing in it changes: a paused list is one to be read.
  await row('NEW-3').getByText('Waiting').waitFor();
  await page.keyboard.press('l');
  await row('NEW-3').getByText('Canceled').waitFor();
  await row('NEW-4').waitFor();
}

async function scrolled(): Promise<void> {
  const top = () =>
    page.getByRole('table', { name: 'Payments' }).evaluate((table) => table.getBoundingClientRect().top);
  await page.getByRole('button', { name: 'Load more' }).scrollIntoViewIfNeeded();
  expect(await top()).toBeLessThan(0);
  const before = await row('KC-20').boundingBox();
  await make('NEW-5');
  await mark('Paused', '1 new', 'Show').waitFor();
  expect(await row('KC-20').boundingBox()).toEqual(before);
  await page.getByRole('button', { name: 'Load more' }).click();
  await row('KC-1').waitFor();
  expect(await row('NEW-5').count()).toBe(0);
  await mark('Paused', '1 new', 'Show').click();
  await row('NEW-5').waitFor();
  await until(async () => (await top()) >= 0);
  await make('NEW-6');
  await row('NEW-6').waitFor();
}

async function covered(): Promise<void> {
  await look.button('Look at KC-30').click();
  await page.getByRole('dialog', { name: 'KC-30' }).waitFor();
  await make('NEW-7');
  await page.locator('.live .news').getByText('1 new').waitFor();
  expect(await page.getByText('NEW-7', { exact: true }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await row('NEW-7').waitFor();
  await mark('Live', 'Pause').waitFor();
}

async function elsewhere(): Promise<void> {
  await mark('Live', 'Pause').click();
  await mark('Paused', 'Go on').waitFor();
  await look.go('Invoices');
  await mark('Live', 'Pause').waitFor();
  for (const name of ['Payment links', 'Balances', 'Approvals']) {
    await look.go(name);
    await mark('Live', 'Pause').waitFor();
  }
  await look.go('Reports');
  await page.getByRole('banner').getByText('Live', { exact: true }).waitFor();
  expect(await page.getByRole('banner').locator('button.live').count()).toBe(0);
}
