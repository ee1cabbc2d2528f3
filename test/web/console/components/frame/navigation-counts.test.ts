// The counts beside the links of the navigation, in Chromium: told in the names of the links, in one question, and in
// none while nobody looks. Without Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startTestGateway, type TestGateway } from '../../../../support/gateway/gateway.ts';
import { until } from '../../../../support/until.ts';
import { DESKTOP, executablePath, launch, PHONE } from '../../../browser.fixture.ts';
import { register, type ConsoleLook } from '../../browser.fixture.ts';

let gateway: TestGateway;
let browser: Browser;
let look: ConsoleLook;
let page: Page;
/** How often the page has asked for the counts, and for the list that only the page of approvals needs. */
const asked = { counts: 0, payouts: 0 };

const CREATE = 'mutation { createPayment(input: { amount: "7", currency: "USDT", network: "ETH" }) { id } }';
const ADD = 'mutation { createWebhookEndpoint(input: { url: "https://shop.example/hook" }) { id } }';

if (executablePath !== undefined)
  describe('the counts of the navigation', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      browser = await launch();
      look = await register(browser, gateway);
      page = look.page;
      page.on('request', (request) => {
        const text = request.postData() ?? '';
        if (text.includes('query NavigationCounts')) asked.counts += 1;
        if (text.includes('query PayoutsAwaitingApproval')) asked.payouts += 1;
      });
      await page.clock.install();
    });
    afterAll(async () => {
      expect(look.faults).toEqual([]);
      await browser.close();
      await gateway.stop();
    });

    it('are a part of the links’ names, come as payments do, and are not there at 0', named, 120_000);
    it('say which endpoints fail, and are asked for once where they are drawn twice', failing, 120_000);
    it('are asked for every half minute, and not while the tab is out of sight', rarely, 120_000);
  });

const link = (name: string, among = 'Console') =>
  page.getByRole('navigation', { name: among }).getByRole('link', { name, exact: true });

async function named(): Promise<void> {
  await page.goto(`${gateway.url}/console/reports`);
  await link('Payments').waitFor();
  await until(() => asked.counts > 0);
  await page.clock.runFor(2_000);
  await look.operate(CREATE);
  await until(async () => {
    await page.clock.runFor(500);
    return (await link('Payments 1 open').count()) === 1;
  });
  await link('Webhooks').waitFor();
  await link('Approvals').waitFor();
}

async function failing(): Promise<void> {
  await look.confirm();
  await look.operate(ADD);
  await gateway.sql('update webhook_endpoint set failing_since = now()');
  await page.setViewportSize(PHONE);
  asked.counts = 0;
  await page.reload();
  await link('Payments 1 open', 'Shortcuts').waitFor();
  await page.getByRole('button', { name: 'More' }).click();
  await link('Webhooks 1 failing').waitFor();
  expect(asked).toEqual({ counts: 1, payouts: 0 });
  await page.keyboard.press('Escape');
  await page.setViewportSize(DESKTOP);
  await look.inspect('navigation-counts');

  await look.go('Home');
  const first = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem').first();
  await first.getByText('Failing', { exact: true }).waitFor();
  await page.getByRole('definition').getByRole('link', { name: '1 endpoint failing' }).waitFor();
  await look.inspect('home-failing-endpoint');
  await first.getByRole('link', { name: 'https://shop.example/hook' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhook endpoint' }).waitFor();
}

const setVisible = (state: string) =>
  page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'))`);

async function rarely(): Promise<void> {
  asked.counts = 0;
  await page.clock.runFor(31_000);
  await until(() => asked.counts === 1);
  await setVisible('hidden');
  await page.clock.runFor(300_000);
  expect(asked.counts).toBe(1);
  await look.operate(CREATE);
  await page.clock.runFor(60_000);
  expect(asked.counts).toBe(1);
  await setVisible('visible');
  await link('Payments 2 open').waitFor();
  expect(asked.counts).toBe(2);
}
