// An owner's morning: what needs attention, how the business goes, and a payout that waits for them. Without Chromium
// this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { executablePath, launch } from '../browser.fixture.ts';
import { addApprover, LIMITS, setPolicy } from '../console/pages/payouts.fixture.ts';
import { setOut, type Journey } from './journey.fixture.ts';
import { openShop, signIn, type Shop } from './shop.fixture.ts';

/** Clicks of today's best way. */
const CLICKS = {
  ...{ 'sign-in': 0, home: 1, 'seven-days': 1, 'ninety-days': 1 },
  ...{ payment: 1, approvals: 1, question: 1, approved: 2 },
};
const DAY_MS = 86_400_000;
const ago = (days: number): Date => new Date(Date.now() - days * DAY_MS);
const BANK = '0x52908400098527886E0F7030069857D2E4169EE7';

let gateway: TestGateway;
let browser: Browser;
let shop: Shop;
let journey: Journey;

if (executablePath !== undefined)
  describe('an owner in the morning', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      browser = await launch();
      shop = await openShop(gateway);
      await sell();
      await askForPayout();
      journey = await setOut(browser, {
        ...{ name: 'owner', clicks: CLICKS, url: `${gateway.url}/console`, stored: shop.stored },
        forgiven: /status of 401/,
      });
    }, 120_000);
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('signs in, and compares what came in with the time before', compare);
    it('opens the payment that needs attention', attend);
    it('approves the payout that waits', approve);
    it('needed no more clicks than before, and nothing went wrong', () => journey.end());
  });

/** Two months of orders, and one that needs attention. */
async function sell(): Promise<void> {
  const days = [60, 45, 40, 33, 20, 12, 9, 6, 4, 2, 1];
  for (const [nth, day] of days.entries())
    await shop.order({
      ...{ reference: `BK-${String(10_001 + nth)}`, product: nth % 2 === 0 ? 'Two tins of Assam' : 'Darjeeling' },
      ...{ amount: String(20 + 7 * nth), at: ago(day) },
    });
  await shop.order({ reference: 'BK-10044', product: 'Darjeeling', amount: '30', paid: null });
  const short = await shop.order({ reference: 'BK-10045', product: 'Matcha set', amount: '25', paid: '10' });
  await shop.operate('mutation ($id: ID!) { expirePayment(id: $id) { id } }', { id: short });
  const counts = '{ paymentCounts { waiting } }';
  await until(async () => {
    const { paymentCounts } = await shop.operate<{ paymentCounts: { waiting: number } }>(counts);
    return paymentCounts.waiting === 1;
  });
}

/** The manager asks for more than may leave without an approval. */
async function askForPayout(): Promise<void> {
  const manager = await addApprover(gateway, shop);
  await setPolicy(shop, { limits: [LIMITS] });
  const input = { currency: 'USDT', network: 'ETH', amount: '8', address: BANK };
  const { body } = await manager.ask('mutation ($i: WithdrawInput!) { withdraw(input: $i) { status } }', { i: input });
  expect(body).toEqual({ data: { withdraw: { status: 'AWAITING_APPROVAL' } } });
}

async function compare(): Promise<void> {
  const { page, press, step } = journey;
  await signIn(journey, shop.email, 'Home');
  await page.getByText('10.00 of 25.00 USDT came: ask for the rest, or refund it.').waitFor();
  await page.locator('.chart .bar').first().waitFor();
  await step('home');
  for (const [name, words] of [
    ['seven-days', '7 days'],
    ['ninety-days', '90 days'],
  ] as const) {
    await press(page.locator('label').filter({ has: page.getByRole('radio', { name: words, exact: true }) }));
    await page.getByRole('heading', { name: `Received in the last ${words}` }).waitFor();
    await until(async () => (await page.locator('.skeleton').count()) === 0);
    await step(name, { isNew: name === 'seven-days' });
  }
}

async function attend(): Promise<void> {
  const { page, press, step } = journey;
  await press(page.locator('.attention').getByRole('link', { name: 'BK-10045' }));
  await page.getByRole('heading', { level: 1, name: 'Payment' }).waitFor();
  await page.getByText('Failed, too little').first().waitFor();
  await until(async () => (await page.locator('.skeleton').count()) === 0);
  await step('payment');
}

async function approve(): Promise<void> {
  const { page, press, write, step } = journey;
  await press(page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: /^Approvals/ }));
  await page.getByRole('row').filter({ hasText: '8.00 USDT on Ethereum' }).waitFor();
  await step('approvals');
  await press(page.getByRole('button', { name: 'Approve the withdrawal of 8' }));
  const question = page.getByRole('alertdialog');
  await question.getByText(BANK).waitFor();
  await step('question');
  await press(question.getByRole('button', { name: 'Approve the withdrawal' }));
  const proof = page.getByRole('alertdialog', { name: 'Confirm that it is you' });
  await write(proof.getByLabel('Your password'), shop.password);
  await press(proof.getByRole('button', { name: 'Confirm' }));
  await page.getByText('Nothing to approve.').waitFor();
  await step('approved');
  const [payout] = await gateway.sql<{ status: string }>('select status from payout');
  expect(payout?.status).not.toBe('AWAITING_APPROVAL');
}
