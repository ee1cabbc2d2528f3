// Runs Lighthouse in the Chromium of CHROME_PATH: node measure.js <base> <path of a payment's page>. It registers a
// merchant who has payments, and prints the scores of each run as JSON: of the payment page and the console's home, on
// a phone (its slow network and processor are Lighthouse's own, simulated) and on a desktop.

import lighthouse, { desktopConfig } from 'lighthouse';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const RUNS = 5;
const CATEGORIES = ['performance', 'accessibility', 'best-practices'];
/** Lighthouse has recorded nothing, and says so: it has not measured, and asks to be run again. */
const NOT_RECORDED = 'NO_NAVSTART';
const MOST_RECORDINGS = 3;
const [base = '', payPath = ''] = process.argv.slice(2);

const folder = await mkdtemp(join(tmpdir(), 'turnpike-lighthouse-'));
const context = await chromium.launchPersistentContext(folder, {
  executablePath: process.env.CHROME_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--remote-debugging-port=0'],
});
try {
  await register(await context.newPage());
  const [port] = (await readFile(join(folder, 'DevToolsActivePort'), 'utf8')).split('\n');
  const scores = [];
  for (let run = 1; run <= RUNS; run += 1)
    for (const [page, path] of [
      ['payment page', payPath],
      ['console', '/console/'],
    ])
      for (const [device, config] of [
        ['phone', undefined],
        ['desktop', desktopConfig],
      ])
        scores.push({ page, device, run, ...(await scoresOf(path, Number(port), config)) });
  process.stdout.write(JSON.stringify(scores));
} finally {
  await context.close();
  await rm(folder, { recursive: true, force: true });
}

async function scoresOf(path, port, config, recording = 1) {
  const flags = { port, disableStorageReset: true, onlyCategories: CATEGORIES, logLevel: 'error' };
  const { lhr } = await lighthouse(base + path, flags, config);
  if (lhr.runtimeError?.code === NOT_RECORDED && recording < MOST_RECORDINGS)
    return scoresOf(path, port, config, recording + 1);
  if (lhr.runtimeError) throw new Error(`${path}: ${lhr.runtimeError.message}`);
  if (!lhr.finalDisplayedUrl.startsWith(base + path)) throw new Error(`${path} led to ${lhr.finalDisplayedUrl}`);
  return Object.fromEntries(Object.values(lhr.categories).map(({ id, score }) => [id, Math.round(100 * score)]));
}

/** Signs a new merchant in, and makes payments of theirs: a home with nothing on it would be light. */
async function register(page) {
  await page.goto(`${base}/console#register`);
  await page.getByLabel('Company name').fill('Kettle & Co');
  await page.getByLabel('E-mail').fill(`owner-${Date.now()}@example.com`);
  await page.getByLabel('Password').fill('three green lamps');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  for (let nth = 1; nth <= 8; nth += 1) {
    const order = { amount: String(5 * nth), currency: 'USDT', network: 'ETH', merchantOrderId: `KC-${nth}` };
    const { createPayment } = await operate(
      page,
      'mutation ($i: CreatePaymentInput!) { createPayment(input: $i) { id } }',
      {
        i: order,
      },
    );
    if (nth <= 5)
      await operate(page, 'mutation ($i: SimulateDepositInput!) { simulateDeposit(input: $i) { id } }', {
        i: { paymentId: createPayment.id },
      });
  }
  await page.goto('about:blank');
}

async function operate(page, query, variables) {
  const answer = await page.evaluate(
    ([text, values]) =>
      fetch('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'turnpike-session': 'cookie' },
        body: JSON.stringify({ query: text, variables: values }),
      }).then((one) => one.json()),
    [query, variables],
  );
  if (answer.errors) throw new Error(JSON.stringify(answer.errors));
  return answer.data;
}
