// The explorers as a browser sees them: they work, ask nobody but the gateway, and run nothing their policy forbids. Where
// there is no Chromium this is left to CI, which has one.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { newMerchant, USDT_PAYMENT, type TestMerchant } from '../support/clients.ts';
import { dataOf } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const executablePath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => existsSync(path));

it('CI has a browser', () => {
  expect(executablePath !== undefined || process.env['CI'] !== 'true').toBe(true);
});

let gateway: TestGateway;
let shop: TestMerchant;
let browser: Browser;

if (executablePath !== undefined)
  describe('in Chromium', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      shop = await newMerchant(gateway);
      browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    }, 60_000);
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('/docs shows every operation, and a call with a pasted token is answered', lookAtDocs, 60_000);
    it('GraphiQL runs a query and a subscription, and keeps the token to itself', lookAtGraphiql, 60_000);
  });

async function lookAtDocs(): Promise<void> {
  const { page, faults } = await open('/docs');
  await page.getByText('Creates a payment order').waitFor();
  expect(await page.locator('.opblock').count()).toBeGreaterThan(30);
  await page.locator('button.authorize').click();
  await page.locator('.auth-container input').first().fill(shop.token);
  await page.locator('.auth-btn-wrapper button.authorize').first().click();
  await page.locator('.close-modal').click();
  const operation = page.locator('#operations-Payments-createPayment');
  await operation.locator('.opblock-summary-control').click();
  await operation.locator('button.execute').click();
  await operation.locator('.live-responses-table .response-col_status').getByText('201').waitFor();
  expect(await operation.locator('.live-responses-table').innerText()).toContain('"orderId": "ord_');
  expect(faults).toEqual([]);
  await page.context().close();
}

async function lookAtGraphiql(): Promise<void> {
  const { orderId } = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201);
  const { page, faults } = await open('/graphql');
  const run = page.locator('button.graphiql-execute-button');
  const response = page.locator('.graphiql-response');
  await page.locator('.graphiql-query-editor .view-line').getByText('currencies').waitFor();
  await run.click();
  await response.getByText('"BTC"').first().waitFor();

  await page.getByText('Headers', { exact: true }).click();
  await write(page, '.graphiql-editor-tool .graphiql-editor:not(.hidden)', `{"authorization":"Bearer ${shop.token}"}`);
  const document = `subscription { paymentUpdated(id: "${orderId}") { status } }`;
  await write(page, '.graphiql-query-editor', document);
  await page.locator('.graphiql-query-editor .view-line').getByText('paymentUpdated').waitFor();
  await run.click();
  await response.getByText('"PENDING"').waitFor();
  dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/deposit`));
  await response.getByText('"SUCCEEDED"').waitFor();

  expect(new URL(page.url()).search).toBe('');
  expect(await page.evaluate('JSON.stringify({ ...localStorage })')).not.toContain(shop.token);
  expect(faults).toEqual([]);
  await page.context().close();
}

/** Writes into one of its editors, in place of what is there. */
async function write(page: Page, editor: string, text: string): Promise<void> {
  await page.locator(`${editor} .monaco-editor`).first().click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}

interface Look {
  readonly page: Page;
  /** Errors of the console and of the page, and requests to another host. */
  readonly faults: readonly string[];
}

/** What a policy forbids is an event of the page; it is written to the console, as an error. */
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) => {
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI);
});`;

/** Opens a page in a browser of its own, with everything that goes wrong written down. */
async function open(path: string): Promise<Look> {
  const page = await (await browser.newContext()).newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (!['data:', 'blob:'].includes(protocol) && origin !== gateway.url) faults.push(`asked ${request.url()}`);
  });
  await page.addInitScript({ content: REPORT_VIOLATIONS });
  await page.goto(gateway.url + path);
  return { page, faults };
}
