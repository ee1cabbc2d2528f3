// Settings → Rates in the console, against a whole gateway: the live table, spread and times, coins that payers choose,
// fixed rates, and prices moved in the sandbox. Without Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { executablePath, launch } from '../browser.fixture.ts';
import { register, type ConsoleLook } from './browser.fixture.ts';

let gateway: TestGateway;
let browser: Browser;
let look: ConsoleLook;
let page: Page;

if (executablePath !== undefined)
  describe('rates in the console', () => {
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
    it('shows the rates of all coins with their state, age and sources', shows);
    it('renews them by itself while the page is seen', renews);
    it('says where nothing quotes a currency', unquoted);
    it('saves spread, minutes, books and coins, and says what is wrong with each', saves);
    it('fixes rates, changes and removes them, by the keyboard alone', fixes);
    it('shows the errors of the gateway beside the fields of a fixed rate', refuses);
    it('moves prices in the sandbox, away and back', moves);
    it('nothing went wrong in the browser, and no other host was asked', () => expect(look.faults).toEqual([]));
  });

const row = (coin: string, currency = 'EUR'): Locator =>
  page
    .getByRole('table', { name: `Rates in ${currency}` })
    .getByRole('row')
    .filter({ has: page.getByRole('cell', { name: coin, exact: true }) });

const settings = () =>
  look.operate<{ settings: Record<string, unknown> }>(
    `{ settings { rateSpread quoteMinutes invoiceExpirationMinutes accountingCurrency
      acceptedAssets { currency network } fixedRates { asset currency rate } } }`,
  );

async function shows(): Promise<void> {
  await look.go('Settings');
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Rates' }).click();
  await page.getByRole('heading', { level: 1, name: 'Rates' }).waitFor();
  await row('ETH').waitFor();
  // 3,000 / 1.08 US dollars.
  expect(await row('ETH').innerText()).toMatch(/2,777\.78\s+2,777\.78\s+Fresh[^]*\d+ s\s+sandbox/);
  await page.getByText('No fixed rates yet.').waitFor();
  await page.getByRole('checkbox', { name: 'USDT on Ethereum' }).waitFor();
  await look.inspect('rates');
}

async function renews(): Promise<void> {
  // Moved outside the page: nothing but the time tells it.
  const move = `mutation { setSandboxRate(input: { code: "ETH", usd: "2700" }) { rate } }`;
  await look.operate(move);
  await row('ETH').getByText('2,500', { exact: true }).first().waitFor({ timeout: 240_000 });
  await look.operate(`mutation { setSandboxRate(input: { code: "ETH" }) { rate } }`);
}

async function unquoted(): Promise<void> {
  await page.getByLabel('Currency', { exact: true }).selectOption('ISK');
  await page.getByText('No rates in ISK.').waitFor();
  await look.inspect('rates-unquoted');
  await page.getByLabel('Currency', { exact: true }).selectOption('USDT');
  await row('USDT', 'USDT').getByText('not needed').waitFor();
  await page.getByLabel('Currency', { exact: true }).selectOption('EUR');
  await row('ETH').waitFor();
}

async function saves(): Promise<void> {
  await page.getByLabel('Spread (%)').fill('-10.5');
  await page.getByLabel('Minutes a quote lasts').fill('4');
  await page.getByLabel('Minutes to pay an invoice').fill('43201');
  await look.button('Save settings').click();
  for (const fault of ['From -10 to 10, with two decimals at most', 'From 5 to 60, whole', 'From 5 to 43200, whole'])
    await page.getByText(fault).waitFor();
  await look.inspect('rates-faults');
  await page.getByLabel('Spread (%)').fill('1.25');
  await page.getByLabel('Minutes a quote lasts').fill('20');
  await page.getByLabel('Minutes to pay an invoice').fill('120');
  await page.getByLabel('Bookkeeping currency').selectOption('CHF');
  await page.getByText('USDT on Ethereum').click();
  await look.button('Save settings').click();
  await page.getByText('The settings are saved').waitFor();
  // The page shows what quotes take now: 2777.777777777778 × 0.9875, rounded down.
  await row('ETH').getByTitle('2,743.055555555555').getByText('2,743.06').waitFor();
  const expected = { rateSpread: 125, quoteMinutes: 20, invoiceExpirationMinutes: 120, accountingCurrency: 'CHF' };
  const coins = { acceptedAssets: [{ currency: 'USDT', network: 'ETH' }], fixedRates: [] };
  expect((await settings()).settings).toEqual({ ...expected, ...coins });
  await page.getByLabel('Spread (%)').fill('-0.29');
  await page.getByText('USDT on Ethereum').click();
  await look.button('Save settings').click();
  // None ticked is all.
  await until(async () => (await settings()).settings['acceptedAssets'] === null);
  expect((await settings()).settings['rateSpread']).toBe(-29);
}

const dialog = (): Locator => page.getByRole('dialog');
const press = (key: string): Promise<void> => page.keyboard.press(key);

async function fixes(): Promise<void> {
  await look.button('Fix a rate').focus();
  await press('Enter');
  await dialog().getByLabel('Coin', { exact: true }).selectOption('ETH');
  await dialog().getByLabel('Price of one coin').focus();
  await page.keyboard.type('2600.5');
  await press('Enter');
  await page.getByRole('table', { name: 'Fixed rates' }).getByText('1 ETH = 2,600.5 EUR').waitFor();
  await row('ETH').getByText('Fixed', { exact: true }).waitFor();
  await look.inspect('rates-fixed');
  await look.button('Change the rate of ETH in EUR').focus();
  await press('Enter');
  await dialog().getByLabel('Price of one coin').fill('2601');
  await press('Enter');
  await page.getByText('1 ETH = 2,601 EUR').waitFor();
  await look.button('Remove the rate of ETH in EUR').focus();
  await press('Enter');
  await look.inspect('rates-remove');
  await look.button('Remove the rate').focus();
  await press('Enter');
  await page.getByText('No fixed rates yet.').waitFor();
  await row('ETH').getByText('Fresh', { exact: true }).waitFor();
}

async function refuses(): Promise<void> {
  await look.operate('mutation ($f: [FixedRateInput!]) { updateSettings(input: { fixedRates: $f }) { rateSpread } }', {
    f: [{ asset: 'USDT', currency: 'ISK', rate: '137.5' }],
  });
  await page.reload();
  await look.button('Remove the rate of USDT in ISK').waitFor();
  await look.button('Fix a rate').click();
  await dialog().getByLabel('Price of one coin').fill('0');
  await look.button('Save the rate').click();
  await dialog().getByText('Must be a decimal number above zero in a string').waitFor();
  await look.inspect('rates-fixed-fault');
  // A pair that is there already is told at the pair.
  await dialog().getByLabel('Coin', { exact: true }).selectOption('USDT');
  await dialog().getByLabel('Currency').selectOption('ISK');
  await dialog().getByLabel('Price of one coin').fill('138');
  await look.button('Save the rate').click();
  await dialog().getByText('Is fixed twice').waitFor();
  expect(await dialog().getByLabel('Coin', { exact: true }).getAttribute('aria-invalid')).toBe('true');
  await look.inspect('rates-fixed-twice');
  await look.button('Cancel').click();
  await page.getByLabel('Currency', { exact: true }).selectOption('ISK');
  await row('USDT', 'ISK').getByText('your fixed rate').waitFor();
  await row('ETH', 'ISK').getByText('No rate', { exact: true }).waitFor();
  await look.inspect('rates-missing');
  await page.getByLabel('Currency', { exact: true }).selectOption('EUR');
}

async function moves(): Promise<void> {
  await row('ETH').waitFor();
  await page.getByLabel('Price of').selectOption('ETH');
  await page.getByLabel('US dollars for one').fill('nothing');
  await look.button('Move the price').click();
  await page.getByText('Must be a decimal number above zero').waitFor();
  await page.getByLabel('US dollars for one').fill('2160');
  await look.button('Move the price').click();
  await page.getByText('1 ETH is 2,160 USD for you now').waitFor();
  await row('ETH').getByText('2,000', { exact: true }).waitFor();
  await page.getByLabel('Move it').selectOption('NONE');
  await look.button('Move the price').click();
  await row('ETH').getByText('payers cannot choose this coin').waitFor();
  await look.inspect('rates-moved');
  await page.getByLabel('Move it').selectOption('DEFAULT');
  await look.button('Move the price').click();
  await row('ETH').getByTitle('2,777.777777777778').first().waitFor();
}
