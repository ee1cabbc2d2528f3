// An accountant's month: last month beside the month before, what was credited in it, both as files, and one payment by
// its reference. Without Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { executablePath, launch } from '../browser.fixture.ts';
import { setOut, type Journey } from './journey.fixture.ts';
import { openShop, signIn, type Shop } from './shop.fixture.ts';

/** Clicks of today's best way. */
const CLICKS = {
  ...{ 'sign-in': 0, home: 1, reports: 1, month: 2, file: 1, receipts: 1, 'receipts-month': 2, 'receipts-file': 1 },
  ...{ search: 1, found: 0, payment: 0 },
};

/** A day of a month that is so many before this one, in UTC; the zeroth is the last of the month before. */
function dayOf(monthsAgo: number, day: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo, day, 12));
}
const written = (day: Date): string => day.toISOString().slice(0, 10);

let gateway: TestGateway;
let browser: Browser;
let shop: Shop;
let journey: Journey;
let email: string;

if (executablePath !== undefined)
  describe('an accountant at the end of the month', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      browser = await launch();
      shop = await openShop(gateway);
      email = await shop.hire('ACCOUNTANT');
      for (const [nth, at] of [dayOf(2, 4), dayOf(2, 19), dayOf(1, 2), dayOf(1, 11), dayOf(1, 27), undefined].entries())
        await shop.order({
          ...{ reference: `BK-${String(10_041 + nth)}`, product: 'Two tins of Assam', amount: String(100 + 35 * nth) },
          ...(at && { at }),
        });
      journey = await setOut(browser, {
        ...{ name: 'accountant', clicks: CLICKS, url: `${gateway.url}/console`, stored: shop.stored },
        forgiven: /status of 401/,
      });
    }, 120_000);
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('compares last month with the month before', compare);
    it('saves what was credited last month', receipts);
    it('opens a payment by its reference', open);
    it('needed no more clicks than before, and nothing went wrong', () => journey.end());
  });

const loaded = () => until(async () => (await journey.page.locator('.skeleton, [aria-busy=true]').count()) === 0);

async function save(): Promise<string[]> {
  const { page, press } = journey;
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    press(page.getByRole('button', { name: 'Download CSV', exact: true })),
  ]);
  return (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
}

async function compare(): Promise<void> {
  const { page, press, choose, step } = journey;
  await signIn(journey, email, 'Home');
  await loaded();
  await step('home');
  await press(page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: /^Reports/ }));
  await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();
  await page.getByRole('table', { name: 'By period' }).waitFor();
  await step('reports');
  await choose(page.getByLabel('Time', { exact: true }), 'Last month');
  const total = page.getByRole('table', { name: 'Totals' }).locator('tbody tr');
  // 170 + 205 + 240 after 100 + 135.
  await until(async () => (await total.innerText()).includes('161.7 % more'));
  await loaded();
  expect(await total.innerText()).toContain('615.00');
  expect(await total.innerText()).toContain('235.00');
  await step('month');
  expect(await save()).toHaveLength(4);
  await page.getByText('Saved 3 rows as CSV').waitFor();
  await step('file', { isNew: false });
}

async function receipts(): Promise<void> {
  const { page, press, write, step } = journey;
  await press(page.getByRole('navigation', { name: 'Reports' }).getByRole('link', { name: 'Receipts' }));
  await page.getByRole('table', { name: 'Receipts' }).waitFor();
  await step('receipts');
  await write(page.getByLabel('From'), written(dayOf(1, 1)));
  await write(page.getByLabel('To', { exact: true }), written(dayOf(0, 0)));
  await until(async () => (await page.getByRole('table', { name: 'Receipts' }).locator('tbody tr').count()) === 3);
  await step('receipts-month', { isNew: false });
  expect(await save()).toHaveLength(4);
  await page.getByText('Saved 3 receipts as CSV').waitFor();
  await step('receipts-file', { isNew: false });
}

async function open(): Promise<void> {
  const { page, press, write, key, step } = journey;
  await press(page.getByRole('button', { name: /^Search/ }));
  const box = page.getByRole('dialog').getByRole('searchbox');
  await box.waitFor();
  // Its long list is gone through by arrow keys from the field, which axe does not know of.
  await step('search', { isNew: false });
  await write(box, 'BK-10044');
  await page.getByRole('menuitem', { name: /^BK-10044/ }).waitFor();
  await step('found');
  await key('Enter');
  await page.getByRole('heading', { level: 1, name: 'Payment' }).waitFor();
  await loaded();
  await step('payment');
}
