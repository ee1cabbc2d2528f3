// Invoices in the console, against a whole gateway: made by hand, paid, refunded, canceled, and what they are worth.
// Without Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { executablePath, launch } from '../browser.fixture.ts';
import { register, type ConsoleLook } from './browser.fixture.ts';

let gateway: TestGateway;
let browser: Browser;
let look: ConsoleLook;

if (executablePath !== undefined)
  describe('invoices in the console', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      browser = await launch();
      look = await register(browser, gateway);
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('there are none at first, and a wrong price is told beside its field', faults, 90_000);
    it('one is made, its quote is shown beside the market, and it is paid in the sandbox', paid, 90_000);
    it('a refund says what the money was worth and is worth now', refund, 90_000);
    it('the payment of an invoice leads to it, and is not canceled alone', ofInvoice, 90_000);
    it('one is canceled after a question, and found by its reference and id', canceled, 90_000);
    it('the time of a quote and of an invoice is ended in the sandbox', ended, 90_000);
    it('nothing went wrong in the browser, and no other host was asked', () => expect(look.faults).toEqual([]));
  });

const button = (name: string) => look.button(name);

async function faults(): Promise<void> {
  const { page } = look;
  await look.go('Invoices');
  await page.getByText('No invoices yet.').waitFor();
  await look.inspect('invoices-none');
  await page.getByRole('link', { name: 'New invoice' }).click();
  await page.getByLabel('Price').fill('49.901');
  await page.getByLabel('Currency').fill('EUR');
  await button('Create invoice').click();
  await page.locator('.field .fault').first().waitFor();
  await look.inspect('new-invoice-faults');
}

/** Makes one of 49.90 EUR and stays on its page. */
async function make(reference: string): Promise<string> {
  const { page } = look;
  await look.go('Invoices');
  await page.getByRole('link', { name: 'New invoice' }).click();
  await page.getByLabel('Price').fill('49.90');
  await page.getByLabel('Currency').fill('eur');
  await page.getByLabel('Description').fill('Two tins of Assam');
  await page.getByLabel('Your reference').fill(reference);
  await button('Create invoice').click();
  await page.getByRole('heading', { name: 'Quotes' }).waitFor();
  return page.url().split('/').at(-1) ?? '';
}

/** Chooses a coin in the customer's place; the page shows it by itself. */
async function choose(invoiceId: string): Promise<void> {
  const input = { invoiceId, currency: 'USDT', network: 'ETH' };
  await look.operate('mutation ($input: ChooseAssetInput!) { chooseAsset(input: $input) { id } }', { input });
  await look.page.getByRole('table', { name: 'Quotes' }).waitFor();
}

const status = () => look.page.getByRole('region', { name: 'Summary' }).getByRole('status');

async function paid(): Promise<void> {
  const { page } = look;
  await look.operate('mutation { updateSettings(input: { rateSpread: 100 }) { rateSpread } }');
  const id = await make('INV-1');
  await page.getByText('No coin has been chosen yet.').waitFor();
  await choose(id);
  // 0.9995 / 1.08, and one percent less.
  const quote = page.getByRole('table', { name: 'Quotes' }).getByRole('row').nth(1);
  expect(await quote.innerText()).toMatch(/1 USDT ≈ 0\.916208 EUR[^]*1 USDT ≈ 0\.925463 EUR[^]*spread 1 %/);
  await look.inspect('invoice-quoted');
  await button('Pay, not confirmed yet').click();
  await status().getByText('Confirming').waitFor();
  await button('Mine a block').click();
  await status().getByText('Paid', { exact: true }).waitFor();
  await look.go('Invoices');
  await page.getByRole('row').filter({ hasText: 'INV-1' }).getByText('Paid', { exact: true }).waitFor();
  await look.inspect('invoices');
}

async function refund(): Promise<void> {
  const { page } = look;
  await page.getByRole('link', { name: 'INV-1' }).click();
  await look.operate('mutation { setSandboxRate(input: { code: "USDT", usd: "1.08" }) { asset } }');
  await page.reload();
  const part = page.getByRole('region', { name: 'Refund' });
  await part.getByText('Value when paid').waitFor();
  await part.getByText('54.46 EUR').waitFor();
  expect(await part.innerText()).toMatch(/54\.46\d* USDT[^]*49\.90 EUR[^]*54\.46 EUR/);
  await page.getByLabel('Address on Ethereum').fill('0x52908400098527886E0F7030069857D2E4169EE7');
  await page.getByLabel('Amount in USDT').fill('10');
  await look.inspect('invoice-refund');
  await button('Refund…').click();
  await look.showPassword();
  await page.getByText('is on its way to').waitFor();
  await page.getByRole('table', { name: 'Refunds' }).getByText('10.00 USDT').waitFor();
}

async function ofInvoice(): Promise<void> {
  const { page } = look;
  const id = await make('INV-2');
  await choose(id);
  await page.getByRole('table', { name: 'Quotes' }).getByRole('link').click();
  const link = page.getByRole('link', { name: /^an invoice, which is canceled/ });
  await link.waitFor();
  expect(await button('Cancel payment').count()).toBe(0);
  await look.inspect('payment-of-invoice');
  await link.click();
  await page.getByRole('heading', { name: 'Quotes' }).waitFor();
}

async function canceled(): Promise<void> {
  const { page } = look;
  const id = page.url().split('/').at(-1) ?? '';
  await button('Cancel invoice').click();
  await look.inspect('invoice-cancel');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel invoice' }).click();
  await status().getByText('Canceled').waitFor();
  await look.go('Invoices');
  for (const wanted of ['INV-2', id]) {
    await page.getByRole('searchbox').fill(wanted);
    await button('Find').click();
    await page.getByRole('link', { name: 'INV-1' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'INV-2' }).waitFor();
  }
}

async function ended(): Promise<void> {
  const id = await make('INV-3');
  await choose(id);
  await button('Expire the quote').click();
  await button('Expire the quote').waitFor({ state: 'detached' });
  await button('Expire the invoice').click();
  await status().getByText('Expired').waitFor();
}
