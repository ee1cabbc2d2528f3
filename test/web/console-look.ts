// The console in Chromium: signed in as a new merchant, with everything that goes wrong written down.

import { createRequire } from 'node:module';
import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const PASSWORD = 'three green lamps';

/** Where the browser is; undefined where there is none, and the tests of the console are left to CI. */
export const executablePath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => existsSync(path));

if (executablePath === undefined) console.warn('There is no Chromium: the console is not tested here');

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });

export interface ConsoleLook {
  readonly page: Page;
  readonly password: string;
  /** Errors of the console and of the page, breaches of the policy, and requests to another host. */
  readonly faults: string[];
  /** What axe finds on the page as it stands, one line each. */
  check(): Promise<string[]>;
  /** Pictures of the page as it stands, on a phone and on a desk, in the ignored folder. */
  picture(name: string): Promise<void>;
}

const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) => {
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI);
});`;

const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

interface LookOptions {
  readonly url: string;
  readonly colorScheme?: 'light' | 'dark';
}

/** Registers a company in the browser and ends up on the overview. */
export async function register(browser: Browser, { url, colorScheme = 'light' }: LookOptions): Promise<ConsoleLook> {
  const context = await browser.newContext({ viewport: DESK, colorScheme, reducedMotion: 'reduce' });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => {
    // Signed out is what one is at first.
    if (message.type() === 'error' && !message.text().includes('status of 401')) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (!['data:', 'blob:'].includes(protocol) && origin !== new URL(url).origin) faults.push(`asked ${request.url()}`);
  });
  await page.addInitScript({ content: REPORT_VIOLATIONS });
  await page.goto(`${url}/console#register`);
  await page.getByLabel('Company name').fill('Kettle & Co');
  await page.getByLabel('E-mail').fill(`owner-${Math.random().toString(36).slice(2)}@example.com`);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  return {
    ...{ page, faults, password: PASSWORD },
    check: () => audit(page),
    picture: (name) => picture(page, name),
  };
}

async function audit(page: Page): Promise<string[]> {
  // By the developer tools' way in: a script element would be refused by the page's policy.
  if (!(await page.evaluate('typeof axe === "object"'))) {
    const { readFile } = await import('node:fs/promises');
    await page.evaluate(await readFile(AXE, 'utf8'));
  }
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  // Left out: the words that React Aria has read out and takes away again by itself, and that nobody sees.
  return await page.evaluate<
    string[]
  >(`axe.run({ exclude: ['[data-live-announcer]'] }, { runOnly: ${JSON.stringify(tags)} }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 200)).join(' | ')))`);
}

async function picture(page: Page, name: string): Promise<void> {
  mkdirSync('screenshots', { recursive: true });
  for (const [place, size] of [
    ['desk', DESK],
    ['phone', PHONE],
  ] as const) {
    await page.setViewportSize(size);
    await page.screenshot({ path: join('screenshots', `console-${name}-${place}.png`), fullPage: true });
  }
  await page.setViewportSize(DESK);
}
