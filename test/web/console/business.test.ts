// A merchant's daily work in the console, in Chromium against the real gateway: the wallet, webhooks, keys, reports,
// logs and settings.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Locator, Page } from 'playwright-core';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { executablePath, launch } from '../browser.fixture.ts';
import { register, type ConsoleLook } from './browser.fixture.ts';

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

let gateway: TestGateway;
let browser: Browser;
let look: ConsoleLook;
let page: Page;
let receiver: Server;
let receiverUrl: string;
/** What the receiver answers at `/moody`. */
let mood = 400;

if (executablePath !== undefined)
  describe('the console, as a merchant uses it every day', () => {
    beforeAll(async () => {
      // Given up within seconds instead of days.
      gateway = await startTestGateway({ WEBHOOK_RETRY_DELAYS: '1,1,1' });
      receiver = createServer((request, response) => {
        response.statusCode = request.url === '/gone' ? 410 : request.url === '/moody' ? mood : 200;
        response.end('<b>answered</b>');
      });
      await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
      receiverUrl = `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}`;
      browser = await launch();
      look = await register(browser, { url: gateway.url });
      page = look.page;
    });
    afterAll(async () => {
      await browser.close();
      await new Promise((resolve) => receiver.close(resolve));
      await gateway.stop();
    });

    it('shows money in the wallet as soon as it is there', seeMoneyArrive, 60_000);
    it('withdraws after saying what will happen, and by the right password only', withdraw, 90_000);
    it('sets webhooks up, shows every attempt, and sends again what failed', useWebhooks, 90_000);
    it('changes the webhook secret, and shows the new one once', rotate, 60_000);
    it('makes a key, shows its secret once, changes and revokes it', useKeys, 60_000);
    it('lists the calls that a key made', readLogs, 60_000);
    it('reports as a table, a chart and the very CSV of the API', report, 60_000);
    it('prints a chart that was not scrolled to', print, 60_000);
    it('saves settings, and says what is wrong with each field', changeSettings, 60_000);
    it('changes the password, ends other sessions, and shows what was changed', keepAccount, 60_000);
    it('did nothing that its policy forbids, asked no other host and logged no error', () => {
      expect(look.faults).toEqual([]);
    });
  });

const ask = <Data>(query: string, input: unknown): Promise<Data> => look.operate<Data>(query, { input });
const go = (name: string): Promise<void> => look.go(name);
const press = (name: string | RegExp): Promise<void> => look.button(name).click();
const rows = (table: string): Locator => page.getByRole('table', { name: table }).getByRole('row');

const inspect = (name: string): Promise<void> => look.inspect(name);

async function seeMoneyArrive(): Promise<void> {
  await go('Balances');
  await page.getByText('Your wallet is empty').waitFor();
  await inspect('wallet-empty');
  const { createPayment } = await ask<{ createPayment: { id: string } }>(
    'mutation ($input: CreatePaymentInput!) { createPayment(input: $input) { id } }',
    { amount: '2500.5', currency: 'USDT', network: 'ETH' },
  );
  await ask('mutation ($input: SimulateDepositInput!) { simulateDeposit(input: $input) { status } }', {
    paymentId: createPayment.id,
  });
  await rows('Balances').getByText('2,475.495').waitFor();
}

async function withdraw(): Promise<void> {
  await press('Withdraw');
  await page.getByLabel('Amount in USDT').fill('2475.496');
  await page.getByLabel('Address on Ethereum').fill(ADDRESS);
  await press('Continue');
  await page.getByText('You can withdraw 2475.495 at most').waitFor();
  await inspect('withdraw');
  await press('Everything');
  await press('Continue');
  const question = page.getByRole('alertdialog');
  await question.getByText('There is no network fee').waitFor();
  const words = await question.innerText();
  for (const said of ['2,475.495 USDT', 'Ethereum', ADDRESS, 'cannot be reversed']) expect(words).toContain(said);
  await question.getByLabel('Your password').fill('not mine');
  await press('Withdraw 2475.495 USDT');
  await question.getByText('That is not your password.').waitFor();
  await inspect('withdraw-question');
  await question.getByLabel('Your password').fill(look.password);
  await press('Withdraw 2475.495 USDT');
  await rows('Withdrawals').getByText('2,475.495').waitFor();
  await rows('Withdrawals').getByText('Completed').waitFor({ timeout: 45_000 });
  await expectGone(rows('Balances').getByText('2,475.495').first());
  await inspect('wallet');
}

/** As if five minutes had passed since the password was confirmed. */
const forget = (): Promise<unknown> => gateway.sql('update owner_session set confirmed_at = null');

/** The question for the password: a wrong one is reported, and without an answer nothing changes. */
async function beAsked(action: string, name: string): Promise<void> {
  const question = page.getByRole('alertdialog', { name: 'Confirm that it is you' });
  await question.getByLabel('Your password').fill('not mine');
  await question.getByRole('button', { name: 'Confirm', exact: true }).click();
  await question.getByText('That is not your password.').waitFor();
  await inspect(name);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Nothing was changed. This needs your confirmation.').waitFor();
  await press(action);
  await look.showPassword();
}

async function addEndpoint(path: string): Promise<void> {
  await press('Add an endpoint');
  await page.getByLabel('Address (URL)').fill(receiverUrl + path);
  await press('Add the endpoint');
  if (path === '/fine') await beAsked('Add the endpoint', 'webhooks-question');
  await page.getByText(/^whsec_/).waitFor();
}

const endpoints = (): Locator => page.getByRole('list', { name: 'Endpoints' });

async function useWebhooks(): Promise<void> {
  await go('Webhooks');
  await forget();
  await page.getByText('No endpoints yet').waitFor();
  await press('Add an endpoint');
  await page.getByLabel('Address (URL)').fill('ftp://nowhere');
  await press('Add the endpoint');
  await page.getByRole('dialog').locator('.fault').getByText(/http/).waitFor();
  await inspect('webhooks-new');
  await press('Cancel');
  for (const path of ['/fine', '/moody', '/gone']) {
    await addEndpoint(path);
    if (path === '/fine') await inspect('webhooks-secret');
    await press('I have saved it');
    await press(`Send test to ${receiverUrl}${path}`);
  }
  const deliveries = page.getByRole('table', { name: 'Deliveries' });
  // Updated live: nothing was pressed, and nothing was reloaded.
  for (const word of ['Delivered', 'Failed', 'Disabled']) await deliveries.getByText(word).waitFor();
  await page.reload();
  await endpoints().getByText('The receiver answered 410').waitFor();
  await inspect('webhooks');

  await deliveries.getByRole('button', { name: /^4 attempts of .*moody$/ }).click();
  await page.getByRole('dialog').getByText('<b>answered</b>').first().waitFor();
  await inspect('webhooks-attempts');
  await press('Close');

  mood = 200;
  await press('Resend failed');
  await press('Send them again');
  await page.getByText('1 event is sent again.').waitFor();
  await press('Close');
  await page.getByLabel('Status').selectOption('Failed');
  // All of them stay visible until the answer comes.
  await until(async () => (await rows('Deliveries').count()) === 2);
  await rows('Deliveries').nth(1).getByText('Failed').waitFor();
  await page.getByLabel('Status').selectOption('All');

  await press(`Delete ${receiverUrl}/gone`);
  await look.showPassword();
  await expectGone(endpoints().getByText('/gone'));
}

const expectGone = (what: Locator): Promise<void> => what.waitFor({ state: 'detached' });

async function rotate(): Promise<void> {
  await forget();
  await press('Change the secret');
  await page.getByLabel('Keep the old secret valid').selectOption('For an hour');
  await press('Create a new secret');
  await look.showPassword();
  const shown = page.getByText(/^whsec_/);
  const secret = await shown.innerText();
  await press('I have saved it');
  await expectGone(shown);
  expect(await page.content()).not.toContain(secret);
}

async function useKeys(): Promise<void> {
  await go('API keys');
  await inspect('keys');
  await press('New key');
  await page.getByLabel('Name').fill('Web shop');
  await page.getByLabel('Allowed IP addresses').fill('127.0.0.1\nnot an address');
  await press('Create the key');
  await page.getByText(/^Entry 2: Must be an IPv4 address/).waitFor();
  await inspect('keys-new');
  await page.getByLabel('Allowed IP addresses').fill('127.0.0.1');
  await page.getByText('See balances').click();
  await forget();
  await press('Create the key');
  await beAsked('Create the key', 'keys-question');
  const keyId = await page
    .getByRole('dialog')
    .getByText(/^pk_test_/)
    .innerText();
  const secret = await page
    .getByRole('dialog')
    .getByText(/^sk_test_/)
    .innerText();
  await inspect('keys-secret');
  await press('I have saved it');
  const { status, token } = await call(keyId, secret);
  expect(status).toBe(200);
  await go('Balances');
  await go('API keys');
  const row = rows('Keys').filter({ hasText: 'Web shop' });
  expect(await row.innerText()).toMatch(/See payments, Create payments, See balances/);

  await press('Change Web shop');
  await page.getByRole('dialog').getByText('See balances').click();
  await press('Save');
  await expectGone(row.getByText('See balances'));
  await press('Revoke Web shop');
  await look.showPassword();
  await row.getByText('Revoked').waitFor();
  expect(await page.content()).not.toContain(secret);
  expect((await read('/wallet/balance', token)).status).toBe(401);
}

/** Exchanges a key for a token, and makes one call with it. */
async function call(keyId: string, secret: string): Promise<{ status: number; token: string }> {
  const answer = await fetch(`${gateway.url}/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ keyId, secret }),
  });
  const { data } = (await answer.json()) as { data: { accessToken: string } };
  const { status } = await read('/wallet/balance', data.accessToken);
  return { status, token: data.accessToken };
}

const read = (path: string, token: string): Promise<Response> =>
  fetch(`${gateway.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } });

async function readLogs(): Promise<void> {
  // Calls are listed within a second, and the page does not refresh by itself.
  const call = `select 1 from api_log where path = '/api/v1/wallet/balance'`;
  await until(async () => (await gateway.sql(call)).length > 0);
  await go('Logs');
  await rows('Calls').getByText('GET /api/v1/wallet/balance').first().waitFor();
  expect(await rows('Calls').getByText('/graphql').count()).toBe(0);
  await inspect('logs');
  await page.getByLabel('To').fill('2020-01-01');
  await page.getByText('No calls in this period.').waitFor();
  await inspect('logs-empty');
}

async function report(): Promise<void> {
  await go('Reports');
  await rows('Totals').getByText('2,500.50').waitFor();
  await page.locator('.chart .bar').first().waitFor();
  await page.locator('.chart .legend').getByText('USDT on Ethereum').waitFor();
  await inspect('reports');
  await page.getByText('Received by period, as a table').click();
  const bars = page.getByRole('table', { name: 'Received by period' }).locator('tbody tr');
  expect(await bars.count()).toBe(30); // each day, also those on which nothing came in
  await page.getByLabel('By', { exact: true }).selectOption('WEEK');
  await until(async () => [5, 6].includes(await bars.count()));
  await page.getByLabel('By', { exact: true }).selectOption('DAY');
  await until(async () => (await bars.count()) === 30);
  const [file] = await Promise.all([page.waitForEvent('download'), press('Download CSV')]);
  const saved = await readFile(await file.path(), 'utf8');
  await look.confirm();
  const { createApiKey } = await ask<{ createApiKey: { keyId: string; secret: string } }>(
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { keyId secret } }',
    { name: 'Books', permissions: ['READ_REPORTS', 'READ_WALLET'] },
  );
  const { token } = await call(createApiKey.keyId, createApiKey.secret);
  expect(saved).toBe(await (await read('/reports?format=csv', token)).text());
  await page.getByLabel('Currency').selectOption('ETH');
  await page.getByText('No money came in or went out in this period.').waitFor();
}

async function print(): Promise<void> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 500 });
  await page.goto(`${gateway.url}/console/`);
  const chart = page.locator('.chart');
  await chart.getByText('USDT on Ethereum').waitFor();
  expect(await chart.locator('.bar').count()).toBe(0);
  await page.pdf({ format: 'A4' });
  expect(await chart.locator('.bar').count()).toBe(1);
  expect(await chart.locator('.names span').count()).toBeGreaterThan(1);
  if (before) await page.setViewportSize(before);
}

async function changeSettings(): Promise<void> {
  await go('Settings');
  await page.getByLabel('Minutes to pay').fill('4');
  await page.getByLabel('Return URL').fill('shop.example');
  await press('Save settings');
  await page.getByText('From 5 to 1440, whole').waitFor();
  await page.getByLabel('Minutes to pay').fill('45');
  await press('Save settings');
  await page.getByText(/^Must be an absolute http or https URL/).waitFor();
  await page.getByLabel('Return URL').fill('https://shop.example/thanks');
  await page.getByLabel('Accent colour', { exact: false }).first().fill('#ffee00');
  await page.getByText('hard to read').waitFor();
  await inspect('settings');
  await page.getByLabel('Accent colour (optional)').fill('#7a1fa2');
  await page.getByLabel('Underpayment tolerance (%)').fill('1.5');
  await press('Save settings');
  await page.getByText('The settings are saved').waitFor();
  const { settings } = await ask<{ settings: object }>(
    '{ settings { expirationMinutes underpaymentTolerance accentColor defaultReturnUrl logoUrl } }',
    null,
  );
  expect(settings).toEqual({
    ...{ expirationMinutes: 45, underpaymentTolerance: 1.5, accentColor: '#7a1fa2', logoUrl: null },
    defaultReturnUrl: 'https://shop.example/thanks',
  });
}

async function keepAccount(): Promise<void> {
  const { merchant } = await ask<{ merchant: { email: string } }>('{ merchant { email } }', null);
  const login = `mutation { login(email: "${merchant.email}", password: "${look.password}") { accessToken } }`;
  await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: login }),
  });
  await go('Account');
  await rows('Sessions').nth(2).waitFor();
  await page.getByRole('button', { name: /^End the session/ }).click();
  await press('End session');
  await expectGone(rows('Sessions').nth(2));
  await page.getByLabel('Current password').fill('not mine');
  await page.getByLabel('New password').fill('four blue lamps');
  await press('Change the password');
  await page.getByText('password is wrong').waitFor();
  await page.getByLabel('Current password').fill(look.password);
  await page.getByLabel('New password').fill('four blue lamps');
  await press('Change the password');
  await page.getByText('The password is changed').waitFor();
  await go('Settings');
  await rows('Changes').getByText('Password changed').waitFor();
  await inspect('settings-account');
}
