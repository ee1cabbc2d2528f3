// A real browser for tests of pages, which records everything that goes wrong in it.

import { mkdirSync, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The path of Chromium; if undefined, these tests are left to CI, which has it. */
export const executablePath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => existsSync(path));

if (executablePath === undefined) console.log('No Chromium here: what people see is not looked at in a browser.');

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });

export interface Look {
  readonly page: Page;
  /** Errors of the console and of the page, violations of the policy, dialogs, and requests to another origin. */
  readonly faults: string[];
  close(): Promise<void>;
}

/** A violation of the policy is an event of the page; it is written to the console as an error. */
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) => {
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI);
});`;

export const PHONE = { width: 390, height: 844 } as const;
export const DESKTOP = { width: 1280, height: 900 } as const;

/**
 * How long something may take to appear. A busy machine takes ten times as long as an idle one, so the test's own limit
 * applies.
 */
const APPEARS_WITHIN_MS = 90_000;

/** Opens a page in a new context. */
export async function look(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Look> {
  const context = await browser.newContext({ viewport: PHONE, locale: 'en-GB', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(APPEARS_WITHIN_MS);
  const faults: string[] = [];
  const { origin } = new URL(url);
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const asked = new URL(request.url());
    if (!['data:', 'blob:'].includes(asked.protocol) && asked.origin !== origin) faults.push(`asked ${request.url()}`);
  });
  if (options.javaScriptEnabled !== false) await page.addInitScript({ content: REPORT_VIOLATIONS });
  await page.goto(url);
  return { page, faults, close: () => context.close() };
}

/** Holds back the page's calls of an operation, such as `query Me`, until the result is called. */
export async function holdBack(page: Page, operation: string): Promise<() => Promise<void>> {
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route('**/graphql', async (route) => {
    if (route.request().postData()?.includes(operation) === true) await held;
    await route.continue();
  });
  return async () => {
    letGo();
    await page.unrouteAll({ behavior: 'wait' });
  };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const EVERYTHING = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/**
 * The faults that axe finds in the page as it is now, one line each; by its best-practice rules too, or by some rules
 * only.
 */
export async function axeFindings(page: Page, only?: readonly string[]): Promise<string[]> {
  // Through the developer tools: the page's policy would refuse a script element.
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axe);
  const runOnly = only ? { type: 'rule', values: only } : { type: 'tag', values: EVERYTHING };
  // Without the text that React Aria announces to screen readers and removes again by itself; it is not visible.
  const found = await page.evaluate<Violation[]>(
    `axe.run({ exclude: ['[data-live-announcer]'] }, { runOnly: ${JSON.stringify(runOnly)} })
      .then(({ violations }) => violations)`,
  );
  return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary ?? ''}`));
}

/** Saves a screenshot of the whole page in the ignored folder, for people to look at: not in CI, where nobody does. */
export async function shoot(page: Page, name: string, folder = 'pay'): Promise<void> {
  if (process.env['CI'] === 'true') return;
  const path = join('screenshots', folder, `${name}.png`);
  mkdirSync(dirname(path), { recursive: true });
  await page.screenshot({ path, fullPage: true, animations: 'disabled' });
}
