// A developer whose webhook fails: they find the endpoint, read what was sent and answered, mend the address, send it
// again, and find the call that began it. Without Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import { closeReceivers } from '../../dispatch/receivers.fixture.ts';
import { receiveWebhooks } from '../../dispatch/webhook-receiver.fixture.ts';
import { exchange, rest } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { executablePath, launch } from '../browser.fixture.ts';
import { setOut, type Journey } from './journey.fixture.ts';
import { openShop, signIn, type Shop } from './shop.fixture.ts';

/** Clicks of today's best way. */
const CLICKS = {
  ...{ 'sign-in': 0, home: 1, webhooks: 1, delivery: 1, curl: 1, edit: 2, changed: 2, resent: 1 },
  ...{ logs: 1, found: 1, call: 1 },
};

let gateway: TestGateway;
let browser: Browser;
let shop: Shop;
let journey: Journey;
let server: Awaited<ReturnType<typeof receiveWebhooks>>;
let email: string;

if (executablePath !== undefined)
  describe('a developer whose webhook fails', () => {
    beforeAll(async () => {
      gateway = await startTestGateway({ WEBHOOK_RETRY_DELAYS: '1,1,1' });
      browser = await launch();
      shop = await openShop(gateway);
      // Those whose role is that of a developer do not see the logs.
      email = await shop.hire('ADMIN');
      await fail();
      journey = await setOut(browser, {
        ...{ name: 'developer', clicks: CLICKS, url: `${gateway.url}/console`, stored: shop.stored },
        options: { permissions: ['clipboard-read', 'clipboard-write'] },
        forgiven: /status of 401/,
      });
    }, 120_000);
    afterAll(async () => {
      await browser.close();
      await closeReceivers();
      await gateway.stop();
    });
    it('finds the endpoint that fails', find);
    it('reads what was sent and answered, and takes it along as a command', read);
    it('mends the address, and sends it again', mend);
    it('finds the call of their program in the logs', log);
    it('needed no more clicks than before, and nothing went wrong', () => journey.end());
  });

/** A server that takes webhooks on another path than the endpoint says, and an order of its program that is paid. */
async function fail(): Promise<void> {
  server = await receiveWebhooks((response, _, { path }) => {
    response.writeHead(path === '/webhooks' ? 200 : 404).end(path === '/webhooks' ? 'taken' : `nothing at ${path}`);
  });
  await shop.operate('mutation ($i: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $i) { id } }', {
    i: { url: server.url, description: 'Orders' },
  });
  const { createApiKey } = await shop.operate<{ createApiKey: { keyId: string; secret: string } }>(
    'mutation ($i: CreateApiKeyInput!) { createApiKey(input: $i) { keyId secret } }',
    { i: { name: 'Shop', permissions: ['CREATE_PAYMENTS', 'READ_PAYMENTS'] } },
  );
  const call = rest(gateway, await exchange(gateway, createApiKey));
  const order = { amount: '7', currency: 'USDT', network: 'ETH', merchantOrderId: 'BK-10045' };
  const { orderId } = dataOf(await call('POST', '/payments', order), 201) as { orderId: string };
  await call('POST', '/payments', { ...order, network: 'TRON' });
  await shop.operate(`mutation { simulateDeposit(input: { paymentId: "${orderId}" }) { id } }`);
  await until(async () => (await gateway.sql("select 1 from webhook_delivery where status = 'FAILED'")).length === 1);
  const counted = 'select 1 from webhook_endpoint_hour having sum(failed) = 4';
  await until(async () => (await gateway.sql(counted)).length > 0);
}

const rows = (table: string): Locator => journey.page.getByRole('table', { name: table }).locator('tbody tr');
const go = (name: RegExp): Promise<void> =>
  journey.press(journey.page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name }));

async function find(): Promise<void> {
  const { page, step } = journey;
  await signIn(journey, email, 'Home');
  await until(async () => (await page.locator('.skeleton').count()) === 0);
  await step('home');
  await go(/^Webhooks/);
  await page.getByRole('list', { name: 'Endpoints' }).getByText('Failing', { exact: true }).waitFor();
  await page.getByText('Answered 404').waitFor();
  await rows('Deliveries').first().waitFor();
  await step('webhooks');
}

async function read(): Promise<void> {
  const { page, press, step } = journey;
  await press(rows('Deliveries').getByRole('button', { name: /^4 attempts/ }));
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Response body').getByText('nothing at /hook').waitFor();
  await drawer.getByLabel('Request body').getByText('payment.succeeded').waitFor();
  await step('delivery');
  await press(drawer.getByRole('button', { name: 'Copy as curl' }));
  await page.getByText('Copied the command').waitFor();
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toMatch(/^curl [^]*\/hook/);
  await step('curl', { isNew: false });
}

async function mend(): Promise<void> {
  const { page, press, write, step } = journey;
  await press(page.getByRole('dialog').getByRole('button', { name: 'Close' }));
  await press(page.getByRole('button', { name: `Edit ${server.url}` }));
  const form = page.getByRole('dialog', { name: 'Edit the endpoint' });
  await write(form.getByLabel('Address (URL)'), `${server.origin}/webhooks`);
  await step('edit');
  await press(form.getByRole('button', { name: 'Save' }));
  const proof = page.getByRole('alertdialog');
  await write(proof.getByLabel('Your password'), shop.password);
  await press(proof.getByRole('button').last());
  await page.getByRole('button', { name: `Edit ${server.origin}/webhooks` }).waitFor();
  await step('changed', { isNew: false });
  await press(rows('Deliveries').getByRole('button', { name: /^Resend/ }));
  await until(() => server.received.some(({ path }) => path === '/webhooks'));
  await rows('Deliveries').filter({ hasText: 'Delivered' }).waitFor();
  await step('resent');
}

async function log(): Promise<void> {
  const { page, press, write, step } = journey;
  await go(/^Logs/);
  await rows('Calls').first().waitFor();
  await step('logs');
  await write(page.getByLabel('Path'), '/api/v1/payments');
  await until(async () => (await rows('Calls').count()) === 2);
  await step('found', { isNew: false });
  await press(rows('Calls').filter({ hasText: '201' }).getByRole('button'));
  await page.getByRole('dialog').getByText('Request id').waitFor();
  await step('call');
}
