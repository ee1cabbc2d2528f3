// Approvals in the console: what waits, counted in the navigation, approved or rejected by somebody else than the
// requester. Without Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import type { GraphQL } from '../../../support/clients.ts';
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts';
import { until } from '../../../support/until.ts';
import { executablePath, launch } from '../../browser.fixture.ts';
import { register, type ConsoleLook } from '../browser.fixture.ts';
import { addApprover, fillWallet, LIMITS, setPolicy } from './payouts.fixture.ts';

const BANK = '0x52908400098527886E0F7030069857D2E4169EE7';

let gateway: TestGateway;
let browser: Browser;
let look: ConsoleLook;
let admin: { readonly email: string; readonly ask: GraphQL };
let paymentId: string;

if (executablePath !== undefined)
  describe('approvals in the console', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      browser = await launch();
      look = await register(browser, gateway);
      admin = await addApprover(gateway, look);
      paymentId = await fillWallet(look);
      await setPolicy(look, { refundsNeedApproval: true, limits: [LIMITS] });
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('are counted as they come in, and say what would leave, where to and by whom', seeWaiting);
    it('are given after a question and a confirmation, and the payout leaves', approve);
    it('are refused with a reason, by keyboard alone', reject);
    it('are not for one’s own payouts, which say so and can be canceled', leaveOwn);
    it('that somebody else decided first are reported', loseRace);
    it('of a batch are one decision, which shows all that would leave', approveBatch);
    it('did nothing that its policy forbids, asked no other host and logged no error', () => {
      expect(look.faults).toEqual([]);
    });
  });

const row = (text: string): Locator => look.page.getByRole('row').filter({ hasText: text });
const question = (name: string): Locator => look.page.getByRole('alertdialog', { name });
const count = (): Locator => look.page.getByRole('navigation', { name: 'Console' }).getByText(/^\d+ waiting$/);

async function withdraw(amount: string, destination: object): Promise<string> {
  const input = { currency: 'USDT', network: 'ETH', amount, ...destination };
  const { body } = await admin.ask('mutation ($input: WithdrawInput!) { withdraw(input: $input) { id } }', { input });
  return body.data.withdraw.id as string;
}

async function seeWaiting(): Promise<void> {
  const { page, inspect } = look;
  await page.goto(`${gateway.url}/console/approvals`);
  await page.getByText('Nothing to approve.').waitFor();
  await inspect('approvals-empty');
  const added = await admin.ask(
    `mutation { addPayoutAddress(network: "ETH", address: "${BANK}", label: "Our bank") { id } }`,
  );
  await withdraw('6', { addressId: added.body.data.addPayoutAddress.id });
  const refund = 'mutation ($input: RefundPaymentInput!) { refundPayment(input: $input) { id } }';
  await admin.ask(refund, { input: { paymentId, address: BANK, amount: '2' } });
  // Told live: nothing was pressed, and nothing was reloaded.
  await row('6.00 USDT on Ethereum').getByText(`by ${admin.email}`).waitFor();
  await row('2.00 USDT on Ethereum').getByRole('link', { name: 'a payment' }).waitFor();
  await until(async () => (await count().innerText()).startsWith('2'));
  await row('6.00 USDT').getByText('71 h').waitFor();
  await row('6.00 USDT').getByText('Our bank').waitFor();
  await inspect('approvals');
}

async function approve(): Promise<void> {
  const { button, inspect } = look;
  await gateway.sql('update owner_session set confirmed_at = null');
  await button('Approve the withdrawal of 6').click();
  const asked = question('Approve this withdrawal?');
  await asked.getByText(BANK).waitFor();
  await asked.getByText('Our bank').waitFor();
  await inspect('approve');
  await asked.getByRole('button', { name: 'Approve the withdrawal' }).click();
  const proof = question('Confirm that it is you');
  await proof.getByLabel('Your password').fill(look.password);
  await proof.getByRole('button', { name: 'Confirm' }).click();
  await row('6.00 USDT').waitFor({ state: 'detached' });
  const [payout] = await gateway.sql<{ status: string }>(`select status from payout where kind = 'WITHDRAWAL'`);
  expect(payout?.status).not.toBe('AWAITING_APPROVAL');
}

async function reject(): Promise<void> {
  const { page, button, inspect } = look;
  await button('Reject the refund of 2').focus();
  await page.keyboard.press('Enter');
  const asked = question('Reject this refund?');
  await asked.getByLabel('Reason').waitFor();
  await inspect('reject');
  await asked.getByLabel('Reason').focus();
  await page.keyboard.type('The customer took it back');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing to approve.').waitFor();
  await count().waitFor({ state: 'detached' });
  const [refund] = await gateway.sql(`select status, failure from payout where kind = 'REFUND'`);
  expect(refund).toEqual({ status: 'REJECTED', failure: 'The customer took it back' });
}

async function leaveOwn(): Promise<void> {
  const { page, button, inspect, confirm, operate } = look;
  await confirm();
  await operate(
    `mutation { withdraw(input: { currency: "USDT", network: "ETH", amount: "7", address: "${BANK}" }) { id } }`,
  );
  await row('7.00 USDT').getByText('You requested this, so someone else must approve it.').waitFor();
  expect(
    await row('7.00 USDT')
      .getByRole('button', { name: /^Approve/ })
      .count(),
  ).toBe(0);
  await inspect('approvals-own');
  await button('Cancel it, the withdrawal').click();
  await question('Cancel the withdrawal?').getByRole('button', { name: 'Cancel the withdrawal' }).click();
  await page.getByText('Nothing to approve.').waitFor();
}

async function loseRace(): Promise<void> {
  const { page, button } = look;
  const id = await withdraw('8', { address: BANK });
  await button('Approve the withdrawal of 8').click();
  await admin.ask('mutation ($id: ID!) { rejectPayout(id: $id, reason: "mine") }', { id });
  const asked = question('Approve this withdrawal?');
  await asked.getByRole('button', { name: 'Approve the withdrawal' }).click();
  await asked.getByText('The payout is REJECTED').waitFor();
  await asked.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Nothing to approve.').waitFor();
}

async function approveBatch(): Promise<void> {
  const { page, button, inspect, confirm } = look;
  const addresses = ['5', '6'].map((digit) => `0x${digit.repeat(40)}`);
  const rows = addresses.map((address, nth) => ({ currency: 'USDT', network: 'ETH', amount: `${nth + 3}`, address }));
  const { password } = look;
  await admin.ask('mutation ($password: String!) { confirmPassword(password: $password) }', { password });
  const make = 'mutation ($rows: [PayoutRowInput!]!) { createPayoutBatch(input: { rows: $rows }) { status } }';
  const { body } = await admin.ask(make, { rows });
  expect(body).toEqual({ data: { createPayoutBatch: { status: 'AWAITING_APPROVAL' } } });
  const batch = row('Batch of 2 withdrawals').filter({ hasText: '7.00 USDT' });
  await batch.getByText('2 addresses').waitFor({ timeout: 20_000 });
  await page.getByText('1 waiting').waitFor();
  await inspect('approvals-batch');
  await confirm();
  await button('Approve the batch of 2 withdrawals').click();
  const asked = question('Approve this batch of 2 withdrawals?');
  for (const address of addresses) await asked.getByText(address).waitFor();
  await inspect('approve-batch');
  await asked.getByRole('button', { name: 'Approve the batch of 2 withdrawals' }).click();
  await page.getByText('Nothing to approve.').waitFor();
  const left = await gateway.sql(`select id from payout where batch_id is not null and status = 'AWAITING_APPROVAL'`);
  expect(left).toEqual([]);
}
