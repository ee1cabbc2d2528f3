// What the console costs those who open it: how much is loaded before anything can be read, and how far what is read
// moves while the rest comes. Without Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { executablePath, launch, PHONE, DESKTOP } from '../browser.fixture.ts';
import { register, type ConsoleLook } from './browser.fixture.ts';

/** Of all scripts, styles and pages, compressed as they are sent. */
const FIRST_VIEW_BYTES = 150_000;
/** The sum over a page, each as the share of the window that moved by how far it moved. web.dev/cls calls 0.1 good. */
const MOST_SHIFT = 0.05;
const TEST_MS = 300_000;

/** Sums up the shifts, with the classes of what moved; shifts that somebody's own input caused do not count. */
const OBSERVE = `window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries())
      if (!hadRecentInput) window.shifts.push({ value, moved: sources.map(({ node }) => node?.className ?? '') });
  }).observe({ type: 'layout-shift', buffered: true });`;

let gateway: TestGateway;
let browser: Browser;
let look: ConsoleLook;
let paths: readonly string[];

if (executablePath !== undefined)
  describe('the console', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      browser = await launch();
      look = await register(browser, gateway);
      await payForSomething();
      await look.page.addInitScript(OBSERVE);
      paths = await pathsOf(look.page);
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('loads at most 150 KB for its first view', weigh, TEST_MS);
    it.each([
      ['a desktop', DESKTOP],
      ['a phone', PHONE],
    ])('has no page on which things move as it loads, on %s', (_, viewport) => lookAtShifts(viewport), TEST_MS);
  });

/** So that lists, the chart and the balances have something in them. */
async function payForSomething(): Promise<void> {
  const create = `mutation { createPayment(input: { amount: "25", currency: "USDT", network: "ETH" }) { id } }`;
  const { createPayment } = await look.operate<{ createPayment: { id: string } }>(create);
  const pay = 'mutation ($id: ID!) { simulateDeposit(input: { paymentId: $id }) { id } }';
  await look.operate(pay, { id: createPayment.id });
}

/** Every page of the navigation, and those beside each. */
async function pathsOf(page: Page): Promise<string[]> {
  const found = new Set(await linksIn(page, 'Console'));
  for (const path of [...found]) {
    await page.goto(`${gateway.url}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    for (const section of ['Balances', 'Reports', 'Settings'])
      for (const beside of await linksIn(page, section)) found.add(beside);
  }
  return [...found];
}

const linksIn = (page: Page, name: string): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('nav[aria-label="${name}"] a')].map(({ pathname }) => pathname)`);

async function weigh(): Promise<void> {
  const { page } = look;
  const fresh = await browser.newContext({ storageState: await page.context().storageState(), viewport: DESKTOP });
  const first = await fresh.newPage();
  await first.goto(`${gateway.url}/console/`);
  await first.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await first.locator('.chart .bar').first().waitFor();
  const loaded = await first.evaluate<readonly [name: string, bytes: number][]>(
    `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
      .filter(({ name }) => !name.includes('/graphql')).map(({ name, encodedBodySize }) => [name, encodedBodySize])`,
  );
  await fresh.close();
  const bytes = loaded.reduce((sum, [, size]) => sum + size, 0);
  console.log(`first view of the console: ${String(bytes)} bytes in ${String(loaded.length)} files`);
  expect(loaded.length).toBeGreaterThan(5);
  expect(bytes).toBeLessThan(FIRST_VIEW_BYTES);
}

async function lookAtShifts(viewport: { readonly width: number; readonly height: number }): Promise<void> {
  const { page } = look;
  await page.setViewportSize(viewport);
  expect(paths.length).toBeGreaterThan(16);
  for (const path of paths) {
    await page.goto(`${gateway.url}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await until(async () => (await page.locator('.skeleton').count()) === 0);
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    const shifts = await page.evaluate<readonly { readonly value: number; readonly moved: string[] }[]>('shifts');
    const sum = shifts.reduce((all, { value }) => all + value, 0);
    expect([path, sum < MOST_SHIFT ? [] : shifts]).toEqual([path, []]);
  }
}
