// Reports → Receipts in the console, against a whole gateway: what was credited, what it was worth, what was taken
// back, the file that the API answers too, and the reports' values in fiat. Without Chromium this is left to CI, which
// has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { Browser, Locator, Page } from 'playwright-core';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { executablePath, launch } from '../browser.fixture.ts';
import { register, type ConsoleLook } from './browser.fixture.ts';

let gateway: TestGateway;
let browser: Browser;
let look: ConsoleLook;
let page: Page;
/** The first payment, whose deposit is taken back, and the invoice. */
let first: string;
let invoice: string;

if (executablePath !== undefined)
  describe('receipts in the console', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      browser = await launch();
      look = await register(browser, gateway);
      page = look.page;
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('there are none at first', none);
    it('shows what deposits were worth, and which were taken back', listed);
    it('finds those of a payment, of an invoice and of a time', narrowed);
    it('goes on to the next page', goesOn);
    it('saves the very CSV of the API', saved);
    it('reports show what was received in fiat, and save it as the API does', reported);
    it('nothing went wrong in the browser, and no other host was asked', () => expect(look.faults).toEqual([]));
  });

const receipts = (): Locator => page.getByRole('table', { name: 'Receipts' }).getByRole('row');

async function open(): Promise<void> {
  await look.go('Reports');
  await page.getByRole('navigation', { name: 'Reports' }).getByRole('link', { name: 'Receipts' }).click();
  await page.getByRole('heading', { level: 1, name: 'Receipts' }).waitFor();
}

async function none(): Promise<void> {
  await open();
  await page.getByText('No receipts yet.').waitFor();
  await look.inspect('receipts-none');
}

async function makePayment(merchantOrderId: string): Promise<string> {
  const input = { amount: '25', currency: 'USDT', network: 'ETH', merchantOrderId };
  const { createPayment } = await look.operate<{ createPayment: { id: string } }>(
    'mutation ($input: CreatePaymentInput!) { createPayment(input: $input) { id } }',
    { input },
  );
  return createPayment.id;
}

const deposit = (paymentId: string, more: object = {}): Promise<unknown> =>
  look.operate('mutation ($input: SimulateDepositInput!) { simulateDeposit(input: $input) { status } }', {
    input: { paymentId, ...more },
  });

async function listed(): Promise<void> {
  first = await makePayment('BK-1');
  await deposit(first);
  // Replaces the block of the deposit and the one that confirmed it, and confirms that it is gone.
  await look.operate('mutation { simulateReorg(input: { network: "ETH", depth: 2 }) { tip } }');
  await page.reload();
  await receipts().filter({ hasText: 'BK-1' }).getByText('Reversed').waitFor();
  expect(await receipts().nth(1).innerText()).toContain('no currency');
  await look.operate('mutation { updateSettings(input: { accountingCurrency: "EUR" }) { accountingCurrency } }');
  const { createInvoice } = await look.operate<{ createInvoice: { id: string } }>(
    'mutation ($input: CreateInvoiceInput!) { createInvoice(input: $input) { id } }',
    { input: { amount: '10', currency: 'CHF', merchantInvoiceId: 'INV-7' } },
  );
  invoice = createInvoice.id;
  const { chooseAsset } = await look.operate<{ chooseAsset: { payments: { checkout: { id: string } }[] } }>(
    'mutation ($input: ChooseAssetInput!) { chooseAsset(input: $input) { payments { checkout { id } } } }',
    { input: { invoiceId: invoice, currency: 'USDC', network: 'ETH' } },
  );
  await deposit(chooseAsset.payments[0]?.checkout.id ?? '');
  await page.reload();
  // 10 CHF are 10.997801 USDC (1.1 / 1.0002, rounded up), which are worth 10.18… EUR (1.0002 / 1.08).
  const row = receipts().filter({ hasText: 'INV-7' });
  await row.waitFor();
  expect(await row.innerText()).toMatch(/10\.997801 USDC on Ethereum[^]*10\.19 EUR[^]*1 USDC ≈ 0\.926111 EUR/);
  await look.inspect('receipts');
  await row.getByRole('link', { name: 'INV-7' }).click();
  await page.getByRole('heading', { level: 1, name: 'Invoice' }).waitFor();
}

async function narrowed(): Promise<void> {
  await open();
  for (const [wanted, found, other] of [
    [first, 'BK-1', 'INV-7'],
    [invoice, 'INV-7', 'BK-1'],
  ] as const) {
    await page.getByRole('searchbox').fill(wanted);
    await look.button('Find').click();
    await receipts().filter({ hasText: other }).waitFor({ state: 'detached' });
    await receipts().filter({ hasText: found }).waitFor();
  }
  await page.getByRole('searchbox').fill('INV-7');
  await look.button('Find').click();
  await page.getByText('This is not a payment or invoice ID.').waitFor();
  await page.getByRole('searchbox').fill('');
  await look.button('Find').click();
  await receipts().filter({ hasText: 'BK-1' }).waitFor();
  await page.getByLabel('To').fill('2020-01-01');
  await page.getByText('No receipts match.').waitFor();
  await page.getByLabel('To').fill('');
  await receipts().filter({ hasText: 'BK-1' }).waitFor();
}

async function goesOn(): Promise<void> {
  const id = await makePayment('BK-2');
  for (let nth = 0; nth < 24; nth += 1) await deposit(id, { amount: '2', confirmations: 0 });
  await look.operate('mutation { mineBlocks(input: { network: "ETH", count: 12 }) { tip } }');
  await page.reload();
  await receipts().nth(25).waitFor();
  expect(await page.getByText('BK-1').count()).toBe(0);
  await look.button('Load more').click();
  await page.getByText('BK-1').waitFor();
  expect(await receipts().count()).toBe(1 + 26);
}

/** What the API answers with a key that may read reports. */
async function fromApi(path: string): Promise<string> {
  await look.confirm();
  const { createApiKey } = await look.operate<{ createApiKey: { keyId: string; secret: string } }>(
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { keyId secret } }',
    { input: { name: 'Books', permissions: ['READ_REPORTS'] } },
  );
  const { keyId, secret } = createApiKey;
  const session = await fetch(`${gateway.url}/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ keyId, secret }),
  });
  const { data } = (await session.json()) as { data: { accessToken: string } };
  const headers = { authorization: `Bearer ${data.accessToken}` };
  return (await fetch(`${gateway.url}/api/v1${path}`, { headers })).text();
}

async function download(): Promise<string> {
  const [file] = await Promise.all([page.waitForEvent('download'), look.button('Download CSV').click()]);
  return await readFile(await file.path(), 'utf8');
}

async function saved(): Promise<void> {
  const text = await download();
  await page.getByText('Saved 26 receipts as CSV').waitFor();
  expect(text).toBe(await fromApi('/reports/receipts?format=csv'));
  await page.getByRole('searchbox').fill(first);
  await look.button('Find').click();
  await receipts().filter({ hasText: 'BK-2' }).first().waitFor({ state: 'detached' });
  expect((await download()).split('\r\n')).toHaveLength(3);
}

async function reported(): Promise<void> {
  await look.go('Reports');
  const totals = page.getByRole('table', { name: 'Totals' }).getByRole('row');
  await totals.filter({ hasText: 'USDC' }).getByText('10.19 EUR').waitFor();
  // The first deposit was valued in no currency.
  await totals.filter({ hasText: 'USDT' }).getByText('not in one currency').waitFor();
  await look.inspect('reports-fiat');
  expect(await download()).toBe(await fromApi('/reports?format=csv&fiat=true'));
  // The days that are chosen here are those of the receipts, and there and back again.
  await page.getByLabel('From', { exact: true }).fill('2020-01-01');
  await page.getByLabel('To', { exact: true }).fill('2020-12-31');
  await page.getByText('No money came in or went out in this period.').waitFor();
  const beside = page.getByRole('navigation', { name: 'Reports' });
  await beside.getByRole('link', { name: 'Receipts' }).click();
  await page.getByText('No receipts match.').waitFor();
  await beside.getByRole('link', { name: 'By period' }).click();
  await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();
  expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe('2020-01-01');
  expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('2020-12-31');
}
