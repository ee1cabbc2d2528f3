// Batches from a CSV file and rules of settlement in the console. Without Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import { startTestGateway, type TestGateway } from '../../../support/gateway/gateway.ts';
import { join } from '../../../support/people.ts';
import { until } from '../../../support/until.ts';
import { executablePath, launch } from '../../browser.fixture.ts';
import { register, signOut, type ConsoleLook } from '../browser.fixture.ts';
import { fillWallet } from './payouts.fixture.ts';

const BANK = '0x52908400098527886E0F7030069857D2E4169EE7';
const HEAD = 'currency,network,amount,address,merchantWithdrawalId';

let gateway: TestGateway;
let browser: Browser;
let look: ConsoleLook;

if (executablePath !== undefined)
  describe('what pays many, or by itself, in the console', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      browser = await launch();
      look = await register(browser, gateway);
      await fillWallet(look);
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('is a batch from a file, whose faults are shown by line, its own and those that the gateway finds', mendFile);
    it('is requested whole, and followed until its withdrawals are paid', payBatch);
    it('is a rule of settlement, which pays to an address of the book alone', addRule);
    it('is changed, and deleted', changeRule);
    it('is only read by those who may not change it', readOnly);
    it('did nothing that its policy forbids, asked no other host and logged no error', () => {
      expect(look.faults).toEqual([]);
    });
  });

const row = (text: string): Locator => look.page.getByRole('row').filter({ hasText: text });
const section = (name: string): Promise<void> =>
  look.page.getByRole('navigation', { name: 'Balances' }).getByRole('link', { name }).click();
const upload = (lines: readonly string[], name = 'wages.csv'): Promise<void> =>
  look.page
    .getByLabel('CSV file')
    .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(lines.join('\r\n')) });
const line = (amount: string, address: string, id = '') => `USDT,ETH,${amount},${address},${id}`;
const address = (n: number) => `0x${n.toString(16).padStart(40, '5')}`;

async function mendFile(): Promise<void> {
  const { page, go, inspect, button } = look;
  await go('Balances');
  await section('Batches');
  await page.getByText('No batches yet.').waitFor();
  await inspect('batches-empty');
  await page.getByRole('link', { name: 'Upload a file' }).click();
  await button('Choose a file').waitFor();
  await inspect('batch-upload');
  await upload(['currency,amount', 'USDT,1']);
  await page.getByText('The first line has to be').waitFor();
  await upload([HEAD, line('1', '=cmd()'), line('', address(1)), 'USDT,ETH']);
  await row('4').getByText('Has 2 cells, and the first line 5').waitFor();
  await row('2').getByText('Begins with =, +, - or @').waitFor();
  await row('amount').getByText('Is empty').waitFor();
  await inspect('batch-faults');
  // What only the gateway knows.
  await upload([HEAD, line('1', address(1)), '', line('2', 'nowhere'), line('0.001', address(2))]);
  await button('Continue').click();
  await confirmAll();
  await row('address').filter({ hasText: '4' }).waitFor();
  await row('amount').filter({ hasText: '5' }).waitFor();
  await inspect('batch-faults-gateway');
  const { payoutBatches } = await look.operate<{ payoutBatches: { nodes: unknown[] } }>(
    '{ payoutBatches { nodes { id } } }',
  );
  expect(payoutBatches.nodes).toEqual([]);
}

/** Enters the password in the open question, and answers it. */
async function confirmAll(): Promise<void> {
  const question = look.page.getByRole('alertdialog');
  await question.waitFor();
  await question.getByLabel('Your password').fill(look.password);
  await question.getByRole('button', { name: 'Request all of them' }).click();
  await question.waitFor({ state: 'detached' });
}

async function payBatch(): Promise<void> {
  const { page, button, inspect } = look;
  await upload([HEAD, line('1.5', address(1), 'w-1'), line('2', address(2), 'w-2'), line('3.25', address(3), 'w-3')]);
  await page.getByText('6.75, and the network fees').waitFor();
  await page.getByLabel('Name (optional)').fill('Wages in November');
  await inspect('batch-request');
  await button('Continue').click();
  await page.getByRole('alertdialog').waitFor();
  await inspect('batch-confirm');
  await confirmAll();
  await page.getByRole('heading', { name: 'Wages in November' }).waitFor();
  await page.getByText('3 of 3 paid').waitFor();
  await until(async () => (await page.getByRole('cell').getByText('Completed', { exact: true }).count()) === 3);
  await inspect('batch');
  await page.getByRole('link', { name: 'All batches' }).click();
  await row('Wages in November').getByText('Finished').waitFor();
  await inspect('batches');
  await page.goto(`${gateway.url}/console/wallet/batches/bat_0`);
  await page.getByText('Batch not found.').waitFor();
}

async function addRule(): Promise<void> {
  const { page, button, go, inspect, confirm, operate } = look;
  await go('Balances');
  await section('Settlement');
  await page.getByText('No automatic payouts yet.').waitFor();
  await inspect('settlement-empty');
  await button('Add a rule').click();
  await page.getByText('The address book has no usable address.').waitFor();
  await inspect('settlement-no-address');
  await page.keyboard.press('Escape');
  await confirm();
  const add = `mutation ($a: String!) { addPayoutAddress(network: "ETH", address: $a, label: "Our bank") { id } }`;
  await operate(add, { a: BANK });
  await page.reload();
  await button('Add a rule').click();
  const form = page.getByRole('dialog', { name: 'Add a rule' });
  await form.getByLabel('Coin').selectOption('USDT/ETH');
  await form.getByLabel('When', { exact: true }).selectOption('WEEKLY');
  await form.getByLabel('Day').selectOption('5');
  await form.getByLabel('Hour').selectOption('18');
  await form.getByLabel('Minimum balance').fill('1000.12345678');
  await form.getByRole('button', { name: 'Save the rule' }).click();
  await form.getByText('USDT has at most 6 decimals here').waitFor();
  await inspect('settlement-add');
  await form.getByLabel('Minimum balance').fill('100000');
  await form.getByLabel('Keep back').fill('200');
  await form.getByRole('button', { name: 'Save the rule' }).click();
  await row('Fridays at 18:00 UTC').getByText('Our bank').waitFor();
  await row('Fridays at 18:00 UTC').getByText('200 stay').waitFor();
  await inspect('settlement');
}

async function changeRule(): Promise<void> {
  const { page, button, inspect } = look;
  await button('Change the rule of USDT on Ethereum').click();
  const form = page.getByRole('dialog', { name: 'Change the rule' });
  await form.getByLabel('When', { exact: true }).selectOption('ON_THRESHOLD');
  await form.getByText('The rule is enabled').click();
  await form.getByRole('button', { name: 'Save the rule' }).click();
  await row('As soon as the minimum is reached').getByText('Disabled').waitFor();
  await button('Delete the rule of USDT on Ethereum').click();
  await inspect('settlement-delete');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete it' }).click();
  await page.getByText('No automatic payouts yet.').waitFor();
}

async function readOnly(): Promise<void> {
  const { merchant } = await look.operate<{ merchant: { id: string } }>('{ merchant { id } }');
  const { email } = await join(gateway, { merchantId: merchant.id, role: 'VIEWER' });
  const { page, password } = look;
  await signOut(look.page);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('No automatic payouts yet.').waitFor();
  expect(await look.button('Add a rule').count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Batches' }).count()).toBe(0);
  await page.goto(`${gateway.url}/console/wallet/batches`);
  await page.getByText('This page is not for your role.').waitFor();
}
