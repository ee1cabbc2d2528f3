// A customer's browser for the tests of the payment page: everything that goes wrong in it is written down.

import { mkdirSync, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { deflateSync, crc32 } from 'node:zlib';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** Where Chromium is; undefined where there is none. */
export const executablePath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => existsSync(path));

export interface Look {
  readonly page: Page;
  /** Errors of the console and of the page, breaches of the policy, dialogs, and requests to another origin. */
  readonly faults: string[];
  close(): Promise<void>;
}

/** What a policy forbids is an event of the page; it is written to the console, as an error. */
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) => {
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI);
});`;

export const PHONE = { width: 390, height: 844 } as const;
export const DESKTOP = { width: 1280, height: 900 } as const;

/** Opens a page in a context of its own. */
export async function look(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Look> {
  const context = await browser.newContext({ viewport: PHONE, locale: 'en-GB', ...options });
  const page = await context.newPage();
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

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe finds wrong with the page as it is now, one line each; also the rules that are only good practice. */
export async function axeFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate<Violation[]>('axe.run().then(({ violations }) => violations)');
  return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary ?? ''}`));
}

/** Writes a picture of the whole page into the ignored folder. */
export async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync('screenshots/pay', { recursive: true });
  await page.screenshot({ path: `screenshots/pay/${name}.png`, fullPage: true, animations: 'disabled' });
}

/** A PNG of one colour, padded to a size in bytes by a chunk that decoders pass over. */
export function png([red, green, blue]: readonly [number, number, number], bytes = 0): Buffer {
  const side = 96;
  const row = Buffer.concat([Buffer.from([0]), ...Array.from({ length: side }, () => Buffer.from([red, green, blue]))]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const parts = [
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: side }, () => row)))),
    chunk('tEXt', Buffer.from(`Comment\0${'x'.repeat(bytes)}`)),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat(parts);
}

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
