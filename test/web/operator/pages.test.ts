// The operator's pages in Chromium: who gets in, and what is seen and done there. Without Chromium this is left to CI,
// which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { graphql } from '../../support/clients.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { secretTo } from '../../support/mailbox.ts';
import { addPerson } from '../../support/operators.ts';
import { confirm, PASSWORD, signUp, type SignedIn } from '../../support/people.ts';
import { DESKTOP, executablePath, holdBack, launch, look, type Look } from '../browser.fixture.ts';
import { inspect as inspectPage, signOut } from '../console/browser.fixture.ts';

const COLD = '0x52908400098527886E0F7030069857D2E4169EE7';

let gateway: TestGateway;
let browser: Browser;
let seen: Look;
let page: Page;
let merchant: SignedIn & { readonly merchantId: string };

const inspect = (name: string): Promise<void> => inspectPage(page, `operator-${name}`);

if (executablePath !== undefined)
  describe('the pages of operators', () => {
    beforeAll(async () => {
      gateway = await startTestGateway({ OPERATOR_APPROVAL_ABOVE: 'all', ETH_COLD_ADDRESS: COLD });
      browser = await launch();
      merchant = await signUp(gateway, { isConfirmed: true });
      seen = await look(browser, `${gateway.url}/operator`, { viewport: DESKTOP, reducedMotion: 'reduce' });
      page = seen.page;
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('open to operators alone', enter);
    it('show the networks', seeNetworks);
    it('invite a merchant', invite);
    it('suspend a merchant, and restore them', suspend);
    it('freeze payouts, and lift the freeze', freeze);
    it('take an asset out of service', switchOff);
    it('ask for fees, which another operator approves', approve);
    it('tell what was done, and by whom', readLog);
    it('did nothing that their policy forbids, asked no other host and logged no error', () => {
      // Those who are signed out are answered 401, and others than operators 403.
      expect(seen.faults.filter((fault) => !/status of (401|403)/.test(fault))).toEqual([]);
    });
  });

const row = (text: string): Locator => page.getByRole('row').filter({ hasText: text });
const button = (name: string | RegExp): Locator => page.getByRole('button', { name, exact: true });
const go = async (name: string): Promise<void> => {
  await page.getByRole('navigation', { name: 'Operator' }).getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
};

async function signIn(email: string): Promise<void> {
  await page.getByRole('heading', { name: 'Sign in as an operator' }).waitFor();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await button('Sign in').click();
}

/** Answers the open question, with the reason and the password that it asks for. */
async function answer(action: string, reason?: string): Promise<void> {
  const question = page.getByRole('alertdialog');
  if (reason !== undefined) await question.getByLabel('Reason').fill(reason);
  await question.getByLabel('Your password').fill(PASSWORD);
  await question.getByRole('button', { name: action, exact: true }).click();
  await question.waitFor({ state: 'detached' }).catch(async (error: unknown) => {
    throw new Error(`It stays: ${await question.innerText()}`, { cause: error });
  });
}

async function enter(): Promise<void> {
  await signIn(merchant.email);
  await page.getByText('Missing permission: OPERATOR').waitFor();
  await inspect('sign-in');
  const { email } = await addPerson(gateway, { isOperator: true });
  await signIn(email);
  await page.getByRole('heading', { level: 1, name: 'Networks' }).waitFor();
  await page.getByRole('navigation', { name: 'Operator' }).getByText(email).waitFor();
}

async function seeNetworks(): Promise<void> {
  await row('Ethereum').getByText('Online').waitFor();
  await inspect('networks');
}

async function invite(): Promise<void> {
  await go('Merchants');
  await button('Invite a merchant').click();
  await page.getByRole('alertdialog').getByLabel('E-mail').fill('new@kettle.example');
  await inspect('invite');
  await answer('Invite');
  expect(await secretTo(gateway, 'new@kettle.example')).toMatch(/^ivn_/);
}

async function suspend(): Promise<void> {
  await go('Merchants');
  await row(merchant.email).getByText('Active').waitFor();
  await inspect('merchants');
  await row(merchant.email)
    .getByRole('button', { name: /^Suspend/ })
    .click();
  await inspect('suspend');
  await answer('Suspend', 'They do not answer');
  await row(merchant.email).getByText('They do not answer').waitFor();
  const { body } = await graphql(
    gateway,
    merchant.token,
  )('mutation { createPayment(input: { amount: "5", currency: "USDT", network: "ETH" }) { id } }');
  expect(body.errors?.[0]?.extensions).toMatchObject({ errorCode: '1012' });
  await row(merchant.email)
    .getByRole('button', { name: /^Restore/ })
    .click();
  await answer('Restore');
  await row(merchant.email).getByText('Active').waitFor();
}

async function freeze(): Promise<void> {
  await go('Payouts');
  await page.getByText('No payout is stuck.').waitFor();
  await page.getByText('Nothing is frozen.').waitFor();
  await button('Freeze payouts').click();
  const form = page.getByRole('dialog', { name: 'Freeze payouts' });
  await form.getByLabel('Network').selectOption('ETH');
  await form.getByLabel('Reason').fill('A node lies');
  await inspect('freeze');
  await form.getByRole('button', { name: 'Freeze', exact: true }).click();
  await row('A node lies').getByText('on Ethereum').waitFor();
  await inspect('payouts');
  await button('Lift the freeze: A node lies').click();
  await answer('Lift');
  await page.getByText('Nothing is frozen.').waitFor();
}

async function switchOff(): Promise<void> {
  await go('Assets');
  const release = await holdBack(page, 'mutation StartConfirmation');
  await button('Stop accepting: USDT on Ethereum').click();
  const question = page.getByRole('alertdialog');
  await question.getByLabel('Reason').pressSequentially('The token ');
  // The field of the password comes while somebody writes: the rest must not go into it.
  await release();
  await question.getByLabel('Your password').waitFor();
  await page.keyboard.type('is paused');
  expect(await question.getByLabel('Reason').inputValue()).toBe('The token is paused');
  await answer('Stop accepting');
  await row('USDT on Ethereum').getByText('Not accepted').waitFor();
  await inspect('assets');
  await button('Accept again: USDT on Ethereum').click();
  await answer('Accept again', 'It is not any more');
  await row('USDT on Ethereum').getByText('Accepted', { exact: true }).waitFor();
}

async function approve(): Promise<void> {
  await confirm(merchant);
  const order = 'mutation { createPayment(input: { amount: "500", currency: "USDT", network: "ETH" }) { id } }';
  const { createPayment } = (await merchant.graphql(order)).body.data;
  const pay = 'mutation ($id: ID!) { simulateDeposit(input: { paymentId: $id }) { id } }';
  await merchant.graphql(pay, { id: createPayment.id });
  await go('Funds');
  await row('USDT on Ethereum')
    .getByRole('button', { name: /^Withdraw fees/ })
    .waitFor();
  await inspect('funds');
  await go('Actions');
  await page.getByText('No actions yet.').waitFor();
  await inspect('actions-empty');
  await go('Funds');
  await row('USDT on Ethereum')
    .getByRole('button', { name: /^Withdraw fees/ })
    .click();
  const form = page.getByRole('dialog', { name: 'Withdraw fees' });
  await form.getByLabel('Amount in USDT').fill('1');
  await inspect('withdraw-fees');
  await form.getByRole('button', { name: 'Withdraw', exact: true }).click();
  await page.getByText('Waiting for another operator').waitFor();
  await go('Actions');
  await row('Withdraw fees').getByText('You requested this').waitFor();
  await signOut(page);
  await signIn((await addPerson(gateway, { isOperator: true })).email);
  await row('Withdraw fees').getByText('Pending', { exact: true }).waitFor();
  await inspect('actions');
  await button('Approve: Withdraw fees').click();
  await answer('Approve');
  await row('Withdraw fees').getByText('Done', { exact: true }).waitFor();
}

async function readLog(): Promise<void> {
  await go('Log');
  await row('Merchant suspended').getByText('@').waitFor();
  await row('Payouts frozen').first().waitFor();
  await inspect('log');
}
