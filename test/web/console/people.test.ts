// People in the console: members and their roles, invitations, custom roles; what one may not do is not shown; several
// merchants of one person. Without Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { join } from '../../support/people.ts';
import { executablePath, launch } from '../browser.fixture.ts';
import { register, type ConsoleLook } from './browser.fixture.ts';

let gateway: TestGateway;
let browser: Browser;
let seen: ConsoleLook;
let merchantId: string;

if (executablePath !== undefined)
  describe('people in the console', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      browser = await launch();
      seen = await register(browser, gateway);
      const { merchant } = await seen.operate<{ merchant: { id: string } }>('{ merchant { id } }');
      merchantId = merchant.id;
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('are invited, and invitations withdrawn', invite, 60_000);
    it('get another role, one of the merchant’s own too, and the last owner stays', changeRoles, 60_000);
    it('are removed', removeMember, 60_000);
    it('see the pages and buttons of their role, and no others', seeOnlyOwn, 120_000);
    it('have a name, a language, and several merchants', useAccount, 60_000);
  });

const dialog = (name: string) => seen.page.getByRole('dialog', { name });
const row = (text: string) => seen.page.getByRole('row').filter({ hasText: text });

async function invite(): Promise<void> {
  const { page, button, go, showPassword, inspect } = seen;
  await go('People');
  await page.getByText('No pending invitations.').waitFor();
  await button('Invite a member').click();
  const form = dialog('Invite a member');
  await form.getByLabel('E-mail').fill('bo@kettle.example');
  await form.getByLabel('Role').selectOption('Accountant');
  await form.getByText('withdrawals, refunds and reports').waitFor();
  await inspect('invite');
  await form.getByRole('button', { name: 'Invite' }).click();
  await showPassword();
  await row('bo@kettle.example').getByText('accountant').waitFor();
  await inspect('people');
  await button('Withdraw the invitation of bo@kettle.example').click();
  await page.getByText('No pending invitations.').waitFor();
}

async function changeRoles(): Promise<void> {
  const { page, button } = seen;
  const { email } = await join(gateway, { merchantId, role: 'VIEWER' });
  await page.reload();
  await button('New role').click();
  const role = dialog('New role');
  await role.getByLabel('Name').fill('Night shift');
  await role.getByText('Cancel payments').click();
  await role.getByRole('button', { name: 'Save' }).click();
  await row('Night shift').getByText('See payments, Cancel payments').waitFor();
  await button(`Change the role of ${email}`).click();
  await dialog('Change the role').getByLabel('Role').selectOption('Night shift');
  await dialog('Change the role').getByRole('button', { name: 'Save' }).click();
  await row(email).getByText('Night shift').waitFor();
  await button('Delete the role Night shift').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('alert').waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
  await button(`Change the role of ${seen.email}`).click();
  await dialog('Change the role').getByLabel('Role').selectOption('Viewer');
  await dialog('Change the role').getByRole('button', { name: 'Save' }).click();
  await page.getByText('The last owner stays').waitFor();
  await dialog('Change the role').getByRole('button', { name: 'Cancel' }).click();
}

async function removeMember(): Promise<void> {
  const { page, button } = seen;
  const { email } = await join(gateway, { merchantId, role: 'SUPPORT' });
  await page.reload();
  await button(`Remove ${email}`).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await row(email).waitFor({ state: 'detached' });
}

/** Signs a member of a role in, in a browser of their own. */
async function enterAs(role: 'VIEWER' | 'SUPPORT' | 'DEVELOPER'): Promise<Page> {
  const { email } = await join(gateway, { merchantId, role });
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${gateway.url}/console`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(seen.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  return page;
}

/** Leads out of the console. */
const DOCS = 'Docs (opens in a new tab)';
const linksOf = (page: Page) => page.getByRole('navigation', { name: 'Console' }).getByRole('link').allTextContents();

async function seeOnlyOwn(): Promise<void> {
  const viewer = await enterAs('VIEWER');
  expect(await linksOf(viewer)).toEqual([
    ...['Home', 'Payments', 'Invoices', 'Payment links', 'Balances', 'Reports', 'Logs', DOCS],
  ]);
  await viewer.getByText('Nothing needs your attention.').waitFor();
  expect(await viewer.getByRole('link', { name: 'New payment' }).count()).toBe(0);
  await viewer.goto(`${gateway.url}/console/wallet`);
  await viewer.getByRole('heading', { level: 1, name: 'Balances' }).waitFor();
  expect(await viewer.getByRole('button', { name: 'Withdraw' }).count()).toBe(0);
  await viewer.goto(`${gateway.url}/console/people`);
  await viewer.getByText('This page is not for your role.').waitFor();
  const support = await enterAs('SUPPORT');
  await support.getByRole('link', { name: 'New payment' }).waitFor();
  await support.getByText('Nothing needs your attention.').waitFor();
  expect(await support.getByRole('heading', { name: 'Balances' }).count()).toBe(0);
  expect(await support.getByRole('alert').count()).toBe(0);
  const developer = await enterAs('DEVELOPER');
  expect(await linksOf(developer)).toEqual([
    ...['Home', 'Payments', 'Invoices', 'Payment links', 'Webhooks', 'API keys', 'Test receiver', DOCS],
  ]);
}

async function useAccount(): Promise<void> {
  const { page, button, go, inspect } = seen;
  await go('Account');
  await page.getByLabel('Your name').fill('Ann');
  await page.getByLabel('Language of your mails').selectOption('Deutsch');
  await button('Save').click();
  await page.getByText('Your profile is saved').waitFor();
  await inspect('account');
  await button('Add a merchant').click();
  await dialog('Add a merchant').getByLabel('Company name').fill('Second Kettle');
  await dialog('Add a merchant').getByRole('button', { name: 'Add it' }).click();
  await page.getByText('Second Kettle').first().waitFor();
  await page.getByRole('navigation', { name: 'Console' }).getByText('Second Kettle').waitFor();
  await go('Account');
  await button('Switch to Kettle & Co').click();
  await page.getByRole('navigation', { name: 'Console' }).getByText('Kettle & Co').waitFor();
  expect(await page.getByLabel('Your name').inputValue()).toBe('Ann');
}
