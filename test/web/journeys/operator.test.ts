// An operator and a payout that is stuck, because the network asks for more than it may cost: they end it, and its
// merchant has the money again. Without Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { addPerson } from '../../support/operators.ts';
import { PASSWORD } from '../../support/people.ts';
import { until } from '../../support/until.ts';
import { executablePath, launch } from '../browser.fixture.ts';
import { setOut, type Journey } from './journey.fixture.ts';
import { openShop, signIn, type Shop } from './shop.fixture.ts';

/** Clicks of today's best way. */
const CLICKS = { 'sign-in': 0, networks: 1, payouts: 1, opened: 1, payout: 1, failed: 1, log: 1 };

let gateway: TestGateway;
let browser: Browser;
let journey: Journey;
let shop: Shop;

if (executablePath !== undefined)
  describe('an operator whose payout is stuck', () => {
    beforeAll(async () => {
      gateway = await startTestGateway({ ETH_PAYOUT_MAX_COST: '0.000000001' });
      browser = await launch();
      await getStuck();
      const { email } = await addPerson(gateway, { isOperator: true });
      journey = await setOut(browser, {
        ...{ name: 'operator', clicks: CLICKS, url: `${gateway.url}/operator`, forgiven: /status of 401/ },
      });
      await signIn(journey, email, 'Networks');
    }, 120_000);
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('sees what is stuck, and why', see);
    it('ends it, and its merchant has the money again', end);
    it('finds it in the log', log);
    it('needed no more clicks than before, and nothing went wrong', () => journey.end());
  });

/** A payout that the cost has held for two hours. */
async function getStuck(): Promise<void> {
  shop = await openShop(gateway);
  await shop.order({ reference: 'BK-10045', product: 'Two tins of Assam', amount: '100' });
  await shop.operate('mutation ($i: WithdrawInput!) { withdraw(input: $i) { id } }', {
    i: { currency: 'USDT', network: 'ETH', amount: '7', address: `0x${'5'.repeat(40)}` },
  });
  await gateway.sql("update payout set created_at = created_at - interval '2 hours'");
  await until(async () => (await gateway.sql("select 1 from payout where held_reason = 'TOO_EXPENSIVE'")).length === 1);
}

const row = (text: string): Locator => journey.page.getByRole('row').filter({ hasText: text });
const go = async (name: string): Promise<void> => {
  const { page, press } = journey;
  await press(page.getByRole('navigation', { name: 'Operator' }).getByRole('link', { name: new RegExp(`^${name}`) }));
  await page.getByRole('heading', { level: 1, name }).waitFor();
};

async function see(): Promise<void> {
  const { page, press, step } = journey;
  await row('Ethereum').getByText('Online').waitFor();
  await step('networks');
  // Also from the network: its number of payouts due leads to them.
  await press(row('Ethereum').getByRole('link', { name: '1 payout due' }));
  await page.getByRole('heading', { level: 1, name: 'Payouts' }).waitFor();
  await row('7.00 USDT on Ethereum').getByText('Sending it would cost more than the operator allows').waitFor();
  await step('payouts');
  await press(page.getByRole('button', { name: 'Withdrawal of 7.00 USDT, details' }));
  const opened = page.getByRole('dialog', { name: 'Withdrawal of 7.00 USDT' });
  await opened.getByText('TOO_EXPENSIVE').waitFor();
  await step('opened');
}

async function end(): Promise<void> {
  const { page, press, write, step } = journey;
  await press(page.getByRole('dialog').getByRole('button', { name: 'Fail payout', exact: true }));
  const question = page.getByRole('alertdialog', { name: 'Fail the payout of 7.00 USDT on Ethereum?' });
  await question.getByLabel('Your password').waitFor();
  await step('payout');
  await write(question.getByLabel('Reason'), 'The network is dear today; ask again tomorrow');
  await write(question.getByLabel('Your password'), PASSWORD);
  await press(question.getByRole('button', { name: 'Fail payout' }));
  await page.getByText('No payout is stuck.').waitFor();
  await step('failed');
  const { walletBalances } = await shop.operate<{ walletBalances: unknown }>(
    '{ walletBalances { available reserved } }',
  );
  expect(walletBalances).toEqual([{ available: '99', reserved: '0' }]);
}

async function log(): Promise<void> {
  await go('Log');
  await row('The network is dear today').getByText('Payout failed').waitFor();
  await journey.step('log');
}
