// Payouts under a policy in the console: what waits and why it ended, what a limit or the book refuses and what to do
// about it. Without Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import type { GraphQL } from '../../../support/clients.ts';
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts';
import { until } from '../../../support/until.ts';
import { executablePath, launch } from '../../browser.fixture.ts';
import { register, type ConsoleLook } from '../browser.fixture.ts';
import { addApprover, fillWallet, LIMITS, setPolicy } from './payouts.fixture.ts';

const [BANK, ELSEWHERE] = ['0x52908400098527886E0F7030069857D2E4169EE7', `0x${'3'.repeat(40)}`];

let gateway: TestGateway;
let browser: Browser;
let look: ConsoleLook;
let admin: { readonly email: string; readonly ask: GraphQL };
let paymentId: string;

if (executablePath !== undefined)
  describe('payouts under a policy, in the console', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      browser = await launch();
      look = await register(browser, gateway);
      admin = await addApprover(gateway, look);
      paymentId = await fillWallet(look);
      await setPolicy(look, { limits: [LIMITS] });
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('wait with their time, and are canceled by the one who requested them', cancelOwn);
    it('to what is no address are refused before anything is confirmed', mistype);
    it('show by themselves who rejected them, and why', seeRejection);
    it('are refused over a limit in words that lead to the policy', exceed);
    it('go to an address of the book, and under bookOnly nowhere else', useBook);
    it('need a second factor where the policy asks for one', needFactor);
    it('are refunds that wait as well', waitWithRefund);
    it('did nothing that its policy forbids, asked no other host and logged no error', () => {
      expect(look.faults).toEqual([]);
    });
  });

const row = (text: string): Locator => look.page.getByRole('row').filter({ hasText: text });
const question = (): Locator => look.page.getByRole('alertdialog');

interface Asked {
  readonly amount: string;
  /** The entry of the book, by its label; otherwise an address is typed. */
  readonly label?: string;
}

/** Fills the withdraw dialog in up to the question. */
async function fill({ amount, label }: Asked): Promise<void> {
  const { page, button } = look;
  await button('Withdraw').click();
  await page.getByLabel('Amount in USDT').fill(amount);
  if (label === undefined) await page.getByLabel('Address on Ethereum').fill(ELSEWHERE);
  else await page.getByLabel('To', { exact: true }).selectOption({ label: `${label}: 0x529084…169EE7` });
  await button('Continue').click();
  await question().getByLabel('Your password').fill(look.password);
}

const answer = (): Promise<void> => question().getByRole('button').last().click();

/** Withdraws, and waits until the dialog is gone. */
async function withdraw(asked: Asked): Promise<void> {
  await fill(asked);
  await answer();
  await question().waitFor({ state: 'detached' });
}

/** Reads the words of a refusal with the page that it leads to, and leaves the dialog. */
async function expectRefused(words: string, link: string): Promise<void> {
  await question().getByText(words).waitFor();
  expect(await question().getByRole('alert').getByRole('link').getAttribute('href')).toBe(`/console${link}`);
  await look.button('Go back').click();
  await look.page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
}

async function cancelOwn(): Promise<void> {
  const { page, go, button, inspect } = look;
  await go('Balances');
  await button('Withdraw').click();
  await page.getByText('at most 10 per payout, 15 left of 15 in 24 hours, approval above 5 in 24 hours').waitFor();
  await button('Cancel').click();
  await withdraw({ amount: '6' });
  await page.getByText('The withdrawal needs an approval').waitFor();
  await row('Awaiting approval').getByText('by you').waitFor();
  await row('Awaiting approval').getByText('until').waitFor();
  await inspect('withdrawal-waiting');
  await button('Cancel it, the withdrawal').click();
  await inspect('withdrawal-cancel');
  await question().getByRole('button', { name: 'Cancel the withdrawal' }).click();
  await row('Rejected').getByText('by you: canceled by the requester').waitFor();
}

async function mistype(): Promise<void> {
  const { page, button, inspect } = look;
  await button('Withdraw').click();
  await page.getByLabel('Amount in USDT').fill('6');
  await page.getByLabel('Address on Ethereum').fill('rubbish');
  await button('Continue').click();
  await page.getByRole('alert').getByText('This is not an address on that network').waitFor();
  expect(await question().count()).toBe(0);
  await inspect('withdraw-to-rubbish');
  await page.getByLabel('Address on Ethereum').fill(ELSEWHERE);
  await button('Continue').click();
  await question().getByText(ELSEWHERE).waitFor();
  await button('Go back').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
}

async function seeRejection(): Promise<void> {
  const { page, inspect } = look;
  await withdraw({ amount: '7' });
  await row('7.00 USDT').getByText('Awaiting approval').waitFor();
  const { body } = await admin.ask('{ payoutsAwaitingApproval { ... on Withdrawal { id } } }');
  const [{ id } = { id: '' }] = body.data.payoutsAwaitingApproval as { id: string }[];
  await admin.ask('mutation ($id: ID!) { rejectPayout(id: $id, reason: "Not our supplier") }', { id });
  // Told live: nothing was pressed, and nothing was reloaded.
  await row('7.00 USDT').getByText('Rejected').waitFor();
  await row('7.00 USDT').getByText(`by ${admin.email}: Not our supplier`).waitFor();
  // The balance follows a moment later: nothing is on its way out any more.
  await until(async () => (await page.getByText('7.00 USDT').count()) === 1);
  await inspect('withdrawal-rejected');
}

async function exceed(): Promise<void> {
  await fill({ amount: '11' });
  await answer();
  await question().getByRole('alert').waitFor();
  await look.inspect('withdraw-over-limit');
  await expectRefused('The policy allows at most 10 USDT per payout.', '/wallet/policy');
}

async function useBook(): Promise<void> {
  const { page, go, button, inspect, operate } = look;
  await setPolicy(look, { bookOnly: true });
  await go('Home');
  await go('Balances');
  await button('Withdraw').click();
  await page.getByText('which has no usable address on Ethereum').waitFor();
  await inspect('withdraw-no-book');
  await button('Cancel').click();
  await look.confirm();
  const added = await operate<{ addPayoutAddress: { id: string } }>(
    `mutation { addPayoutAddress(network: "ETH", address: "${BANK}", label: "Bank") { id } }`,
  );
  await go('Home');
  await go('Balances');
  await button('Withdraw').click();
  await page.getByLabel('To', { exact: true }).waitFor();
  expect(await page.getByLabel('To', { exact: true }).locator('option').count()).toBe(2);
  await inspect('withdraw-book');
  await button('Cancel').click();
  await withdraw({ amount: '1', label: 'Bank' });
  await row('1.00 USDT').getByText('Completed').waitFor({ timeout: 60_000 });
  // Removed by somebody else between the choice and the answer.
  await fill({ amount: '2', label: 'Bank' });
  await admin.ask('mutation ($id: ID!) { removePayoutAddress(id: $id) { id } }', { id: added.addPayoutAddress.id });
  await answer();
  await expectRefused('This address was removed', '/wallet/addresses');
  await setPolicy(look, { bookOnly: false });
}

/** Set by hand: those who have no factor cannot ask for one of all. */
const requireFactor = (isRequired: boolean): Promise<unknown> =>
  gateway.sql(
    `update payout_policy set rules = jsonb_set(rules::jsonb, '{requireSecondFactor}', $1::jsonb),
       pending = jsonb_set(pending::jsonb, '{requireSecondFactor}', $1::jsonb)`,
    [String(isRequired)],
  );

async function needFactor(): Promise<void> {
  await requireFactor(true);
  await look.go('Home');
  await look.go('Balances');
  await fill({ amount: '2' });
  await answer();
  await expectRefused('The payout policy requires a second factor', '/account');
  await requireFactor(false);
}

async function waitWithRefund(): Promise<void> {
  const { page, button, inspect } = look;
  await setPolicy(look, { refundsNeedApproval: true });
  await page.goto(`${gateway.url}/console/payments/${paymentId}`);
  await page.getByLabel('Address on Ethereum').fill(ELSEWHERE);
  await page.getByLabel('Amount in USDT').fill('3');
  await button('Refund…').click();
  await question().getByLabel('Your password').fill(look.password);
  await answer();
  await page.getByText('goes, once somebody else approved it, to').waitFor();
  await row('Awaiting approval').getByText('by you').waitFor();
  await inspect('refund-waiting');
  await button('Cancel it, the refund').click();
  await answer();
  await row('Rejected').getByText('by you: canceled by the requester').waitFor();
}
