// Webhooks and logs in the console, in Chromium against the real gateway: how endpoints do, what was sent and answered,
// and finding deliveries and calls. Without Chromium this is left to CI, which has it.

import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts';
import { until } from '../../../support/until.ts';
import { closeReceivers } from '../../../dispatch/receivers.fixture.ts';
import { receiveWebhooks, status } from '../../../dispatch/webhook-receiver.fixture.ts';
import { executablePath, launch } from '../../browser.fixture.ts';
import { register, type ConsoleLook } from '../browser.fixture.ts';

let gateway: TestGateway;
let browser: Browser;
let look: ConsoleLook;
let page: Page;
let good: Awaited<ReturnType<typeof receiveWebhooks>>;
let bad: Awaited<ReturnType<typeof receiveWebhooks>>;

if (executablePath !== undefined)
  describe('webhooks and logs', () => {
    beforeAll(async () => {
      gateway = await startTestGateway({ WEBHOOK_RETRY_DELAYS: '1,1,1' });
      browser = await launch();
      look = await register(browser, gateway, { permissions: ['clipboard-read', 'clipboard-write'] });
      page = look.page;
      good = await receiveWebhooks();
      bad = await receiveWebhooks(status(503));
      await look.confirm();
      await addEndpoint(good.url, 'Orders');
      await addEndpoint(bad.url, 'Bookkeeping');
      await pay();
    }, 120_000);
    afterAll(async () => {
      await browser.close();
      await closeReceivers();
      await gateway.stop();
    });

    it('an endpoint has a card with its state and figures, and its own page with tabs', endpoints, 120_000);
    it('the events of an endpoint are chosen in groups', groups, 120_000);
    it('a delivery shows what was sent, as a command that sends the same again', request, 120_000);
    it('deliveries are found by endpoint, type, status and time, which the URL keeps', deliveries, 120_000);
    it('new ones are counted where more than a page is listed', news, 120_000);
    it('calls are found by path, method, status and error, with their details', logs, 120_000);
  });

async function addEndpoint(url: string, description: string): Promise<void> {
  await look.operate('mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { id } }', {
    input: { url, description },
  });
}

/** An order that is paid: each endpoint gets its event. */
async function pay(): Promise<void> {
  const { createPayment } = await look.operate<{ createPayment: { id: string } }>(
    'mutation ($input: CreatePaymentInput!) { createPayment(input: $input) { id } }',
    { input: { amount: '7', currency: 'USDT', network: 'ETH', metadata: { gift: "it's" } } },
  );
  await look.operate(`mutation { simulateDeposit(input: { paymentId: "${createPayment.id}" }) { id } }`);
}

const card = (name: string): Locator => page.getByRole('list', { name: 'Endpoints' }).getByRole('listitem').filter({ hasText: name }); // prettier-ignore
const rows = (table: string): Locator => page.getByRole('table', { name: table }).locator('tbody tr');
const counted = (count: number) => until(async () => (await rows('Deliveries').count()) === count);
const asked = async (text: string) => until(() => page.url().includes(text));

async function endpoints(): Promise<void> {
  // Three tries each a second, which are counted a second later.
  await until(async () => (await gateway.sql("select 1 from webhook_delivery where status = 'FAILED'")).length === 1);
  await until(async () => (await gateway.sql('select sum(failed) as n from webhook_endpoint_hour having sum(failed) = 4')).length > 0); // prettier-ignore
  await page.goto(`${gateway.url}/console/webhooks`);
  await card('Orders').getByText('100 %').waitFor();
  await card('Orders').getByRole('img', { name: 'Attempts in 24 hours: 1 succeeded, 0 failed' }).waitFor();
  await card('Bookkeeping').getByText('Failing', { exact: true }).waitFor();
  await card('Bookkeeping').getByText('0 %', { exact: true }).waitFor();
  await card('Bookkeeping').getByText('Answered 503').waitFor();
  await look.inspect('webhooks-cards');

  await card('Bookkeeping').getByRole('link', { name: 'Bookkeeping' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhook endpoint' }).waitFor();
  await page.getByRole('img', { name: 'Attempts in 24 hours: 0 succeeded, 4 failed' }).waitFor();
  await page.getByLabel('Time').selectOption('Last 7 days');
  await page.getByRole('img', { name: 'Attempts in 168 hours: 0 succeeded, 4 failed' }).waitFor();
  await look.inspect('webhooks-endpoint');
  await page.getByRole('tab', { name: 'Overview' }).focus();
  await page.keyboard.press('ArrowRight');
  await asked('tab=deliveries');
  await counted(1);
  await look.inspect('webhooks-endpoint-deliveries');
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByText('Payment succeeded').waitFor();
  await look.inspect('webhooks-endpoint-settings');
  await page.reload();
  await page.getByRole('tab', { name: 'Settings', selected: true }).waitFor();
}

async function groups(): Promise<void> {
  await page.goto(`${gateway.url}/console/webhooks`);
  await look.button('Add an endpoint').click();
  const form = page.getByRole('dialog');
  const whole = (title: string) => form.getByRole('group', { name: title }).getByRole('checkbox').first();
  expect(await form.getByRole('checkbox', { name: /^All of / }).count()).toBe(4);
  await form.getByText('Payments 4 of 4').waitFor();
  await whole('Refunds').focus();
  await page.keyboard.press('Space');
  await form.getByText('Refunds 5 of 5').waitFor();
  await form.getByRole('checkbox', { name: 'Refund failed' }).focus();
  await page.keyboard.press('Space');
  await form.getByText('Refunds 4 of 5').waitFor();
  expect(await whole('Refunds').evaluate((box) => (box as unknown as { indeterminate: boolean }).indeterminate)).toBe(
    true,
  );
  await whole('Payments').focus();
  await page.keyboard.press('Space');
  await whole('Invoices').focus();
  await page.keyboard.press('Space');
  await look.inspect('webhooks-new-endpoint');
  await form.getByLabel('Address').fill('https://shop.example/refunds');
  await form.getByRole('button', { name: 'Add the endpoint' }).click();
  await form.getByRole('button', { name: 'I have saved it' }).click();
  await form.waitFor({ state: 'detached' });
  const [made] = await gateway.sql<{ id: string; events: string[] }>(
    "select id, events from webhook_endpoint where url like '%/refunds'",
  );
  expect(made?.events.toSorted()).toEqual(
    ['broadcast', 'completed', 'rejected', 'requested'].map((what) => `refund.${what}`),
  );
  await look.operate('mutation ($id: ID!) { deleteWebhookEndpoint(id: $id) { id } }', { id: made?.id });
}

async function request(): Promise<void> {
  await page.goto(`${gateway.url}/console/webhooks`);
  await page.getByRole('button', { name: new RegExp(`^4 attempts of .* to ${bad.url}$`) }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('button', { name: 'Attempt 1: 503' }).click();
  await drawer.getByText('Attempt 1 of 4').waitFor();
  const last = bad.received.at(-1);
  await until(async () => (await drawer.getByLabel('Request body').innerText()) === last?.body.toString());
  const headers = await drawer.getByLabel('Request headers').innerText();
  expect(headers).toContain(`X-PGW-Signature: ${String(last?.headers['x-pgw-signature'])}`);
  await look.inspect('webhooks-delivery');

  await drawer.getByRole('button', { name: 'Copy as curl' }).click();
  await page.getByText('Copied the command').waitFor();
  const command = await page.evaluate<string>('navigator.clipboard.readText()');
  // As a shell reads it, without a program of that name.
  const { stdout } = spawnSync('sh', ['-c', `curl() { printf '%s\\n' "$@"; }\n${command}`], { encoding: 'utf8' });
  const words = stdout.split('\n');
  expect(words[0]).toBe(bad.url);
  expect(stdout).toContain(`--data-raw\n${last?.body.toString() ?? ''}\n`);
  expect(last?.body.toString()).toContain("it's");

  const before = good.received.length;
  await drawer.getByRole('button', { name: 'Resend' }).click();
  await until(() => good.received.length === before + 1);
  await drawer.getByRole('button', { name: 'Close' }).click();
  await drawer.waitFor({ state: 'detached' });
  // Long before the page would look by itself.
  await card('Orders').getByRole('img', { name: '2 succeeded, 0 failed' }).waitFor({ timeout: 15_000 });
  await counted(4);
}

async function deliveries(): Promise<void> {
  await page.getByLabel('Endpoint', { exact: true }).selectOption('Orders');
  await asked('endpoint=whk_');
  await counted(2);
  await page.getByLabel('Status').selectOption('Failed');
  await page.getByText('No deliveries match.').waitFor();
  await page.getByLabel('Status').selectOption('Delivered');
  await page.getByLabel('Event', { exact: true }).selectOption('Payment succeeded');
  await page.getByLabel('Time').selectOption('Last hour');
  await asked('hours=1');
  await page.reload();
  await counted(2);
  expect(await page.getByLabel('Time').inputValue()).toBe('1');
  await page.getByLabel('Event', { exact: true }).selectOption('Invoice settled');
  await page.getByText('No deliveries match.').waitFor();
}

async function news(): Promise<void> {
  const [event] = await gateway.sql<{ id: string; merchant: string }>(
    'select id, merchant_id as merchant from event where body is not null limit 1',
  );
  await gateway.sql(
    `insert into webhook_delivery (id, event_id, merchant_id, is_primary, lane, url, status, created_at, resend)
     select 'dlv_0' || lpad(n::text, 31, '0'), $1, $2, false, 'x', 'https://shop.example', 'SUCCESS', now(), n
     from generate_series(100, 350) n`,
    [event?.id, event?.merchant],
  );
  await page.goto(`${gateway.url}/console/webhooks`);
  await counted(20);
  for (let shown = 40; shown <= 200; shown += 20) {
    await page.getByRole('button', { name: 'Load more' }).click();
    await counted(shown);
  }
  await page.getByText('The newest 200 are listed.').waitFor();
  expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0);
  await pay();
  await page.getByRole('button', { name: '2 new, show' }).click();
  await counted(20);
  await rows('Deliveries').filter({ hasText: good.url }).first().waitFor();
}

async function logs(): Promise<void> {
  const [merchant] = await gateway.sql<{ id: string }>('select id from merchant limit 1');
  const order = `ord_${'0'.repeat(32)}`;
  await gateway.sql(
    `insert into api_log (merchant_id, request_id, at, key_id, method, path, operation, status, error_code, duration_ms, ip)
     select $1, 'req-' || n, now() - n * interval '1 second', case n when 3 then null else 'pk_test_shop' end,
       case n when 12000 then 'DELETE' else 'GET' end,
       case n when 2 then '/api/v1/payments/' || $2::text else '/api/v1/currencies' end, null, case n when 2 then 404 else 200 end,
       case n when 2 then '2004' end, 1, '203.0.113.7'
     from generate_series(1, 12000) n`,
    [merchant?.id, order],
  );
  await page.goto(`${gateway.url}/console/api-logs`);
  await rows('Calls').nth(49).waitFor();
  expect(await rows('Calls').filter({ hasText: 'A session' }).count()).toBe(0);
  await page.getByText('Calls of signed-in people as well').click();
  await rows('Calls').filter({ hasText: 'A session' }).first().waitFor();
  await look.inspect('logs-filters');

  await page.getByLabel('Error code').fill('2004');
  await asked('error=2004');
  await until(async () => (await rows('Calls').count()) === 1);
  await rows('Calls').getByRole('button').click();
  const drawer = page.getByRole('dialog');
  await drawer.getByText('req-2', { exact: true }).waitFor();
  expect(await drawer.getByRole('link', { name: 'Open the payment' }).getAttribute('href')).toContain(order);
  await look.inspect('logs-call');
  await drawer.getByRole('button', { name: 'Close' }).click();
  await page.getByLabel('Path').fill('/api/v1/currencies');
  await page.getByText('No calls match.').waitFor();

  // Further back than one page looks.
  await page.goto(`${gateway.url}/console/api-logs?method=DELETE`);
  await rows('Calls').getByText('DELETE /api/v1/currencies').waitFor();
  expect(look.faults).toEqual([]);
}
