// A merchant's way through the console, against a whole gateway: from the first key to the webhook that arrives, and
// their work with payments. Without Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { query } from '../../../src/database/connection.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { DESKTOP, executablePath, launch, look as openLook, shoot } from '../browser.fixture.ts';
import { linkOf, register, type ConsoleLook } from './browser.fixture.ts';

let gateway: TestGateway;
let browser: Browser;
let look: ConsoleLook;

if (executablePath !== undefined)
  describe('the console in Chromium', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      browser = await launch();
      // A touch screen, on which dialogs appear a little later, because a keyboard may come up.
      look = await register(browser, gateway, { hasTouch: true });
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('a newcomer makes a key, a payment, pays it and sees its webhook arrive, by four buttons', firstRun, 60_000);
    it('the receiver shows the webhook with its signature checked, and that a forged one is refused', receiver, 60_000);
    it('the overview shows what was paid, and the balance', overview, 60_000);
    it(
      'a payment is made by hand, found by its reference and by its id, and canceled after one question',
      byHand,
      60_000,
    );
    it('rows change by themselves when somebody pays', liveRows, 60_000);
    it('a payment shows its webhooks, and one sent again appears by itself', webhooks, 60_000);
    it('what is filtered is saved as CSV', exported, 60_000);
    it('a refund asks for the password, names the address, and is told when it is done', refund, 60_000);
    it('a tester leaves a payment unconfirmed, and mines its blocks by hand', mined, 60_000);
    it('on a phone the navigation is behind a button', phone, 60_000);
    it('the bare address leads to an account, and a password that was too short is mended by one press', enter, 60_000);
    it('nothing went wrong in the browser, and no other host was asked', () => expect(look.faults).toEqual([]));
  });

const button = (name: string) => look.button(name);
const seen = (name: string) => look.inspect(name);

async function firstRun(): Promise<void> {
  const { page } = look;
  await button('Create a key').waitFor();
  await seen('overview-new');
  await button('Create a key').click();
  await page.getByRole('alertdialog', { name: 'Confirm that it is you' }).waitFor();
  await look.showPassword();
  await page.getByText('shown only once').waitFor();
  await button('Make a test payment').click();
  await button('Pay from the faucet').waitFor();
  await seen('overview-first-run');
  await button('Pay from the faucet').click();
  await page.getByText('its signature is valid').waitFor();
  await page.getByText('Success rate').waitFor();
  await seen('overview-done');
}

async function receiver(): Promise<void> {
  const { page } = look;
  const [merchant] = await gateway.sql<{ id: string }>('select id from merchant order by created_at desc limit 1');
  const forged = await fetch(`${gateway.url}/sandbox/receiver/${merchant?.id ?? ''}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-pgw-signature': `t=1,v1=${'0'.repeat(64)}` },
    body: '{"id":"evt_1","type":"payment.succeeded"}',
  });
  expect(forged.status).toBe(400);
  await page.getByRole('link', { name: 'Test receiver' }).click();
  await page.getByText('Valid signature').waitFor();
  await page.getByText('Refused', { exact: true }).waitFor();
  await page.getByText('Body').first().click();
  await seen('receiver');
}

async function overview(): Promise<void> {
  const { page } = look;
  await page.getByRole('link', { name: 'Home' }).click();
  await button('Done').click();
  const table = page.getByText('Received, as a table');
  await table.click();
  await page.getByRole('table', { name: 'Received' }).getByRole('cell', { name: '25', exact: true }).waitFor();
  await page.getByText('24.75 USDT').waitFor();
  await page.getByText('100.0 %').waitFor();
  await table.click();
  await page.getByText('12 m', { exact: true }).click();
  await page.getByText('Received in the last 12 months').waitFor();
  expect(page.url()).toContain('days=365');
  await page.getByText('30 d', { exact: true }).click();
  await seen('overview');
}

/** Makes one of 12.50 with a reference, and opens its page. */
async function make(reference: string): Promise<string> {
  const { page } = look;
  await page.getByRole('link', { name: linkOf('Payments') }).click();
  await page.getByRole('link', { name: 'New payment' }).first().click();
  await page.getByLabel('Currency').selectOption('USDT/ETH');
  await page.getByLabel('Amount').fill('12.50');
  await page.getByLabel('Your reference').fill(reference);
  await button('Create payment').click();
  await page.getByRole('heading', { name: 'What happened' }).waitFor();
  return page.url().split('/').at(-1) ?? '';
}

async function byHand(): Promise<void> {
  const { page } = look;
  await page.getByRole('link', { name: linkOf('Payments') }).click();
  await page.getByRole('link', { name: 'New payment' }).first().click();
  await page.getByLabel('Amount').fill('nothing');
  await button('Create payment').click();
  await page.locator('.field .fault').first().waitFor();
  await seen('new-payment-faults');
  const id = await make('BK-1');
  await seen('payment-pending');
  await button('Cancel payment').click();
  await page.getByRole('alertdialog').getByText('can no longer pay').waitFor();
  await seen('payment-cancel');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel payment' }).click();
  await page.getByText('Canceled by you').waitFor();
  await page.getByRole('link', { name: linkOf('Payments') }).click();
  for (const wanted of ['BK-1', id]) {
    await page.getByRole('searchbox').fill(wanted);
    await button('Find').click();
    await page.getByRole('row').nth(1).waitFor();
    await expectRows(['BK-1']);
  }
  await page.getByRole('searchbox').fill('BK-none');
  await button('Find').click();
  await page.getByText('No payments match').waitFor();
  await seen('payments-none');
}

/** Waits until the list has these references, newest first. */
async function expectRows(references: readonly string[]): Promise<void> {
  const names = look.page.locator('.table tbody .name-of');
  await until(async () => JSON.stringify(await names.allTextContents()) === JSON.stringify(references));
}

async function liveRows(): Promise<void> {
  const { page } = look;
  const id = await make('BK-2');
  await page.getByRole('link', { name: linkOf('Payments') }).click();
  const row = page.getByRole('row').filter({ hasText: 'BK-2' });
  await row.getByText('Waiting').waitFor();
  await seen('payments');
  await look.operate(`mutation { simulateDeposit(input: { paymentId: "${id}" }) { id } }`);
  await row.getByText('Paid', { exact: true }).waitFor();
}

async function webhooks(): Promise<void> {
  const { page } = look;
  await page.getByRole('link', { name: 'first-test-payment' }).click();
  const rows = page
    .getByRole('table', { name: 'Deliveries' })
    .getByRole('row')
    .filter({ hasText: 'payment.succeeded' });
  await rows.getByText('Delivered').waitFor();
  expect(await rows.count()).toBe(1);
  await rows.getByRole('button', { name: /^Resend evt/ }).click();
  await rows.nth(1).getByText('Delivered').waitFor();
  await rows.first().getByText('Delivered').waitFor();
  await rows
    .first()
    .getByRole('button', { name: /^1 attempt/ })
    .click();
  await page
    .getByRole('dialog')
    .getByText(/^2\d\d$/)
    .first()
    .waitFor();
  await button('Close').click();
  await seen('payment');
  await page.getByRole('link', { name: 'All payments' }).click();
}

async function exported(): Promise<void> {
  const { page } = look;
  await page.getByLabel('Status').selectOption({ label: 'Canceled' });
  await expectRows(['BK-1']);
  const [download] = await Promise.all([page.waitForEvent('download'), button('Export as CSV').click()]);
  const [head, ...rows] = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
  expect(head).toMatch(/^id,merchantOrderId,/);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatch(/^ord_\w+,BK-1,.*,CANCELED,,USDT,ETH,12\.5,0,/);
  // A search is by itself: what it finds is what is saved.
  const whole = page.url();
  await page.goto(`${gateway.url}/console/payments?search=bk-2`);
  await expectRows(['BK-2']);
  const [found] = await Promise.all([page.waitForEvent('download'), button('Export as CSV').click()]);
  const saved = (await readFile(await found.path(), 'utf8')).trimEnd().split('\r\n');
  expect(saved.slice(1).map((line) => line.split(',')[1])).toEqual(['BK-2']);
  await page.goto(whole);
  await expectRows(['BK-1']);
}

async function refund(): Promise<void> {
  const { page } = look;
  const address = '0x52908400098527886E0F7030069857D2E4169EE7';
  await page.getByLabel('Status').selectOption({ label: 'Any' });
  await page.getByRole('link', { name: 'BK-2', exact: true }).click();
  await page.getByLabel('Address on Ethereum').fill(address);
  await page.getByLabel('Amount in USDT').fill('2.5');
  await button('Refund…').click();
  const dialog = page.getByRole('alertdialog');
  await dialog.getByText(address).waitFor();
  await dialog.getByLabel('Your password').fill('not the password');
  await dialog.getByRole('button', { name: 'Refund' }).click();
  await dialog.getByText('not your password').waitFor();
  await seen('payment-refund');
  await dialog.getByLabel('Your password').fill(look.password);
  await gateway.deps.db.em.fork().transactional(async (em) => {
    // "On its way" is shown until it has arrived; here nothing can be sent meanwhile.
    await query(em, 'lock table transfer in exclusive mode');
    await dialog.getByRole('button', { name: 'Refund' }).click();
    await page.getByText(`is on its way to ${address}`).waitFor();
  });
  // The sandbox may mine its blocks first.
  const sent = "select 1 from payout where status in ('BROADCAST', 'COMPLETED')";
  await until(async () => (await gateway.sql(sent)).length > 0);
  await look.operate('mutation { mineBlocks(input: { network: "ETH", count: 12 }) { tip } }');
  await page.getByRole('status').getByText('Partly refunded').waitFor();
  const row = page.getByRole('table', { name: 'Refunds' }).getByRole('row').nth(1);
  await row.getByText('Completed').waitFor();
  expect(await row.innerText()).toMatch(/2\.50 USDT[^]*0x52908400…E4169EE7[^]*0x[0-9a-f]{8}…/);
  await seen('payment-refunded');
}

async function mined(): Promise<void> {
  const { page } = look;
  await make('BK-3');
  await button('Pay, not confirmed yet').click();
  const state = page.getByRole('region', { name: 'Summary' }).getByRole('status');
  await state.getByText('1 of 2 confirmations').waitFor();
  await seen('payment-confirming');
  await button('Mine a block').click();
  await state.getByText('Paid', { exact: true }).waitFor();
  await button('Mine a block').waitFor({ state: 'detached' });
}

async function phone(): Promise<void> {
  const { page } = look;
  await page.setViewportSize({ width: 390, height: 844 });
  const inMenu = page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Reports' });
  await inMenu.waitFor({ state: 'hidden' });
  await button('More').click();
  await shoot(page, 'menu-phone', 'console');
  await inMenu.click();
  await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();
  await inMenu.waitFor({ state: 'hidden' });
  await until(async () => (await page.evaluate('document.documentElement.scrollWidth')) === 390);
}

async function enter(): Promise<void> {
  const { page, faults, close } = await openLook(browser, gateway.url, { viewport: DESKTOP });
  await page.getByRole('link', { name: 'Console' }).click();
  await page.waitForURL('**/console');
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByLabel('Company name').fill('Kettle & Co');
  await page.getByLabel('E-mail').fill('newcomer@example.com');
  await page.getByLabel('Password').fill('short');
  const create = page.getByRole('button', { name: 'Create account' });
  await create.click();
  await page.locator('.field .fault').waitFor();
  await page.getByLabel('Password').fill('three green lamps');
  await page.locator('.field .fault').waitFor({ state: 'detached' });
  // As long as a tap takes: the target must not move away meanwhile.
  await create.click({ delay: 150 });
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  // At first one is signed out.
  expect(faults.filter((fault) => !fault.includes('status of 401'))).toEqual([]);
  await close();
}
