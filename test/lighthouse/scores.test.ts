// Lighthouse's scores of the payment page and of the console's home, with the median of five runs each. By itself: what
// else runs would be measured, too. Its packages are apart: npm ci --prefix test/lighthouse.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/sources.ts';
import { newMerchant, USDT_PAYMENT } from '../support/clients.ts';
import { dataOf } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { executablePath } from '../web/browser.fixture.ts';

const LEAST = 95;
const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const;
const WITHIN_MS = 900_000;

type Scores = Readonly<Record<(typeof CATEGORIES)[number], number>> & {
  readonly page: string;
  readonly device: string;
};

let gateway: TestGateway;
let scores: readonly Scores[];

beforeAll(async () => {
  gateway = await startTestGateway();
  const merchant = await newMerchant(gateway);
  const { orderId } = dataOf(await merchant.rest('POST', '/payments', USDT_PAYMENT), 201);
  const folder = join(ROOT, 'test/lighthouse');
  const { stdout } = await promisify(execFile)(process.execPath, ['measure.js', gateway.url, `/pay/${orderId}`], {
    cwd: folder,
    env: { ...process.env, CHROME_PATH: executablePath },
    maxBuffer: 1e7,
  });
  scores = JSON.parse(stdout) as readonly Scores[];
}, WITHIN_MS);
afterAll(() => gateway.stop());

describe.each([
  ['payment page', 'phone'],
  ['payment page', 'desktop'],
  ['console', 'phone'],
  ['console', 'desktop'],
])('the %s on a %s', (page, device) => {
  it.each(CATEGORIES)('has a score for %s of at least 95', (category) => {
    const of = scores.filter((one) => one.page === page && one.device === device).map((one) => one[category]);
    expect(of).toHaveLength(5);
    const median = of.toSorted((one, other) => one - other)[2] ?? 0;
    console.log(`${page}, ${device}, ${category}: ${String(median)} (${of.join(', ')})`);
    expect(median).toBeGreaterThanOrEqual(LEAST);
  });
});
