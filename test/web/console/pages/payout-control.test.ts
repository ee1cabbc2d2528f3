// The book of addresses and the policy of payouts in the console, with a hold before what is new or looser counts.
// Without Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts';
import { join } from '../../../support/people.ts';
import { executablePath, holdBack, launch } from '../../browser.fixture.ts';
import { register, type ConsoleLook } from '../browser.fixture.ts';
import { setPolicy } from './payouts.fixture.ts';

const BANK = '0x52908400098527886E0F7030069857D2E4169EE7';

let gateway: TestGateway;
let browser: Browser;
let look: ConsoleLook;

if (executablePath !== undefined)
  describe('what controls payouts, in the console', () => {
    beforeAll(async () => {
      gateway = await startTestGateway({ PAYOUT_HOLD_HOURS: '24' });
      browser = await launch();
      look = await register(browser, gateway);
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('is a book of addresses, each usable after the hold, and removed at once', keepBook);
    it('is a policy, whose tighter rules hold at once', tighten);
    it('waits where it is looser, says until when, and can be dropped', loosen);
    it('is shown anew where somebody else changed it meanwhile', meetStale);
    it('needs two who may approve before anything waits for them', needApprovers);
    it('is only read by those who may not change it', readOnly);
    it('did nothing that its policy forbids, asked no other host and logged no error', () => {
      expect(look.faults).toEqual([]);
    });
  });

const row = (text: string): Locator => look.page.getByRole('row').filter({ hasText: text });
const dialog = (name: string): Locator => look.page.getByRole('dialog', { name });
const section = (name: string): Promise<void> =>
  look.page.getByRole('navigation', { name: 'Balances' }).getByRole('link', { name }).click();

async function keepBook(): Promise<void> {
  const { page, button, go, showPassword, inspect } = look;
  await go('Balances');
  await section('Addresses');
  await page.getByText('No addresses yet.').waitFor();
  await inspect('addresses-empty');
  await button('Add an address').click();
  const form = dialog('Add an address');
  await form.getByLabel('Name').fill('Our bank');
  await form.getByLabel('Address').fill('0x123');
  await form.getByRole('button', { name: 'Add it' }).click();
  await form.getByRole('alert').waitFor();
  await inspect('addresses-add');
  await form.getByLabel('Address').fill(BANK);
  await form.getByRole('button', { name: 'Add it' }).click();
  await showPassword();
  await row('Our bank').getByText('Pending').waitFor();
  await row('Our bank').getByText('until').waitFor();
  await inspect('addresses');
  // As if the hold were over.
  await gateway.sql('update payout_address set usable_at = created_at');
  await page.reload();
  await row('Our bank').getByText('Active').waitFor();
  await button('Remove Our bank').click();
  await inspect('addresses-remove');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove it' }).click();
  await page.getByText('No addresses yet.').waitFor();
}

async function tighten(): Promise<void> {
  const { page, button, confirm, inspect } = look;
  await confirm();
  await section('Policy');
  await page.getByText('No limits yet.').waitFor();
  await inspect('policy-none');
  await button('Change the rules').click();
  await dialog('Change the rules').getByText('Withdrawals only to the address book').click();
  await inspect('policy-rules');
  const release = await holdBack(page, 'query PayoutPolicy');
  await button('Save the rules').click();
  await page.getByText('Saved. It is in effect now').waitFor();
  await button('Add limits').click();
  const form = dialog('Add limits');
  await form.getByLabel('At most in 24 hours').fill('1');
  // The page learns of the new version only now. The form stays as it is.
  await release();
  await page.getByText('On', { exact: true }).first().waitFor({ state: 'attached' });
  expect(await form.getByLabel('At most in 24 hours').inputValue()).toBe('1');
  await form.getByLabel('Coin').selectOption('USDT/ETH');
  await form.getByLabel('At most per payout').fill('10.0000001');
  await form.getByLabel('At most in 24 hours').fill('15');
  await button('Save the limits').click();
  await form.locator('.field .fault').waitFor();
  await inspect('policy-limits');
  await form.getByLabel('At most per payout').fill('10');
  await button('Save the limits').click();
  await row('USDT on Ethereum').getByText('15 left now').waitFor();
  await inspect('policy');
}

async function loosen(): Promise<void> {
  const { page, button, inspect } = look;
  await button('Change the limits of USDT on Ethereum').click();
  await dialog('Change the limits').getByLabel('At most in 24 hours').fill('30');
  await button('Save the limits').click();
  await page.getByText('Saved. Looser rules take effect later').waitFor();
  await page
    .getByText('USDT on Ethereum: 10 per payout, 30 in 24 hours (now: 10 per payout, 15 in 24 hours)')
    .waitFor();
  await inspect('policy-waiting');
  await button('Change the rules').click();
  await dialog('Change the rules').getByText('A change is already pending.').waitFor();
  await dialog('Change the rules').getByRole('button', { name: 'Cancel' }).click();
  await button('Cancel the change').click();
  await page.getByText('The change is canceled').waitFor();
  await page.getByRole('heading', { name: 'Pending change' }).waitFor({ state: 'detached' });
}

async function meetStale(): Promise<void> {
  const { page, button, inspect } = look;
  await button('Change the rules').click();
  await dialog('Change the rules').getByText('Every refund needs an approval').click();
  await setPolicy(look, { listedOnly: true });
  await button('Save the rules').click();
  await page.getByText('Someone else changed the policy').waitFor();
  await page.getByText('Coins without limits below cannot be paid out').waitFor();
  await inspect('policy-stale');
}

async function needApprovers(): Promise<void> {
  const { page, button } = look;
  await button('Change the rules').click();
  const form = dialog('Change the rules');
  await form.getByText('Every refund needs an approval').click();
  await button('Save the rules').click();
  await form.getByText('Two members have to be able to approve payouts first').waitFor();
  await form.getByRole('link', { name: 'See who may approve' }).click();
  await page.getByRole('heading', { level: 1, name: 'People' }).waitFor();
}

async function readOnly(): Promise<void> {
  const { merchant } = await look.operate<{ merchant: { id: string } }>('{ merchant { id } }');
  const { email } = await join(gateway, { merchantId: merchant.id, role: 'VIEWER' });
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${gateway.url}/console/wallet/policy`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(look.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('15 left now').waitFor();
  for (const name of ['Change the rules', 'Add limits', 'Change the limits of USDT on Ethereum'])
    expect(await page.getByRole('button', { name }).count()).toBe(0);
  await page.goto(`${gateway.url}/console/wallet/addresses`);
  await page.getByText('No addresses yet.').waitFor();
  expect(await page.getByRole('button', { name: 'Add an address' }).count()).toBe(0);
  await page.goto(`${gateway.url}/console/approvals`);
  await page.getByText('This page is not for your role.').waitFor();
}
