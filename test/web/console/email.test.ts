// The links of mails about an e-mail address in the console: one confirms it, one takes its change back; each works
// once. Without Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { secretTo } from '../../support/mailbox.ts';
import { executablePath, launch } from '../browser.fixture.ts';
import { register, type ConsoleLook } from './browser.fixture.ts';

const NEW = 'thief@example.com';

let gateway: TestGateway;
let browser: Browser;
let look: ConsoleLook;

if (executablePath !== undefined)
  describe('an e-mail address in the console', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      browser = await launch();
      look = await register(browser, gateway);
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('is changed in the account, once one has confirmed that it is oneself', change, 60_000);
    it('is confirmed by its link, after a press, once', verify, 60_000);
    it('comes back by the link to the old one, which signs everybody out', revert, 60_000);
    it('nothing went wrong in the browser, and no other host was asked', () => expect(faults()).toEqual([]));
  });

/** Browsers report what is meant here: those who are signed out are answered 401, and an ended link 404. */
const faults = (): string[] => look.faults.filter((fault) => !/status of (401|404)/.test(fault));

const heading = (name: string) => look.page.getByRole('heading', { name, exact: true });
const isVerified = async () =>
  (await look.operate<{ me: { emailVerifiedAt: string | null } }>('{ me { emailVerifiedAt } }')).me.emailVerifiedAt !==
  null;

async function change(): Promise<void> {
  const { page, button, go, showPassword, inspect } = look;
  await go('Account');
  await page.getByText(`You sign in as ${look.email}`).waitFor();
  await page.getByLabel('New address').fill('nowhere');
  await button('Change the address').click();
  await page.getByLabel('New address').fill(NEW);
  await button('Change the address').click();
  await showPassword();
  await page.getByText(`You sign in as ${NEW}, which is not confirmed yet.`).waitFor();
  await inspect('account-email');
  await button('Resend the link').click();
}

async function verify(): Promise<void> {
  const { page, button, inspect } = look;
  const link = `${gateway.url}/console/verify#${await secretTo(gateway, NEW)}`;
  await page.goto(link);
  await heading('Confirm your e-mail address').waitFor();
  expect(page.url()).toBe(`${gateway.url}/console/verify`);
  await inspect('verify');
  expect(await isVerified()).toBe(false);
  await button('Confirm the address').click();
  await heading('Your e-mail address is confirmed').waitFor();
  await inspect('verified');
  expect(await isVerified()).toBe(true);
  await page.goto('about:blank');
  await page.goto(link);
  await button('Confirm the address').focus();
  await page.keyboard.press('Enter');
  await heading('This link no longer works').waitFor();
  await inspect('verify-ended');
}

async function revert(): Promise<void> {
  const { page, button, inspect, email } = look;
  await page.goto(`${gateway.url}/console/revert`);
  await heading('This link no longer works').waitFor();
  await page.evaluate(`location.hash = ${JSON.stringify(await secretTo(gateway, email))}`);
  await heading('Undo the change?').waitFor();
  await inspect('revert');
  await button('Restore my address').click();
  await page.getByText('Your old address is back.').waitFor();
  await inspect('reverted');
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(look.password);
  await button('Sign in').click();
  await heading('Home').waitFor();
}
