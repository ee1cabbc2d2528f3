// The API explorers in a browser: they work, contact only the gateway, and run nothing that their policy forbids.
// Without Chromium these tests are left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { newMerchant, USDT_PAYMENT, type TestMerchant } from '../support/clients.ts';
import { dataOf } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { DESKTOP, executablePath, launch, look } from '../web/browser.fixture.ts';

/**
 * The editor loads five megabytes of script in the page and three more in its workers before it shows a line: seconds
 * on an idle machine, and most of a minute on a busy one.
 */
const TEST_MS = 180_000;

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
      browser = await launch();
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('/docs shows every operation, and a call with a pasted token is answered', lookAtDocs, TEST_MS);
    it('GraphiQL runs a query and a subscription, and keeps the token to itself', lookAtGraphiql, TEST_MS);
  });

async function lookAtDocs(): Promise<void> {
  const { page, faults, close } = await look(browser, `${gateway.url}/docs`, { viewport: DESKTOP });
  await page.getByText('Creates a payment order').waitFor();
  await page.locator('.opblock').nth(30).waitFor();
  await page.locator('button.authorize').click();
  await page.locator('.auth-container input').first().fill(shop.token);
  await page.locator('.auth-btn-wrapper button.authorize').first().click();
  await page.locator('.close-modal').click();
  const operation = page.locator('#operations-Payments-createPayment');
  await operation.locator('.opblock-summary-control').click();
  await operation.locator('button.execute').click();
  await operation.locator('.live-responses-table .response-col_status').getByText('201').waitFor();
  await operation.locator('.live-responses-table').getByText('"ord_').first().waitFor();
  expect(faults).toEqual([]);
  await close();
}

async function lookAtGraphiql(): Promise<void> {
  const { orderId } = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201);
  const { page, faults, close } = await look(browser, `${gateway.url}/graphql`, { viewport: DESKTOP });
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
  await close();
}

/** Replaces the text of one of its editors. */
async function write(page: Page, editor: string, text: string): Promise<void> {
  await page.locator(`${editor} .monaco-editor`).first().click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(text);
}
