// A lost password in the console: asked for on the sign-in page, mailed, and replaced by the mail's link, once. Without
// Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { secretTo } from '../../support/mailbox.ts';
import { executablePath, launch } from '../browser.fixture.ts';
import { register, signOut, type ConsoleLook } from './browser.fixture.ts';

const NEW = 'four blue lamps';

let gateway: TestGateway;
let browser: Browser;
let look: ConsoleLook;
let page: Page;
/** The secret of the first link. */
let secret: string;

if (executablePath !== undefined)
  describe('a lost password in the console', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      browser = await launch();
      look = await register(browser, gateway);
      page = look.page;
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('is asked for from the sign-in page, with one answer for every address', ask, 60_000);
    it('is replaced by the link, whose secret leaves the address bar', choose, 60_000);
    it('is not replaced by a used link, which leads to another one', useAgain, 60_000);
    it('nothing went wrong in the browser, and no other host was asked', () => expect(faults()).toEqual([]));
  });

/** Browsers report what is meant here: those who are signed out are answered 401, and an ended link 404. */
const faults = (): string[] => look.faults.filter((fault) => !/status of (401|404)/.test(fault));

async function askFor(email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.keyboard.press('Enter');
  await page.getByText('If there is an account with this address, a mail is on its way.').waitFor();
}

async function ask(): Promise<void> {
  await signOut(look.page);
  // The address still asks for the registration.
  await look.button('Sign in').click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await look.inspect('sign-in');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
  await look.inspect('reset');
  await askFor('nobody@example.com');
  await look.inspect('reset-asked');
  await page.goto(`${gateway.url}/console/reset`);
  await askFor(look.email);
  secret = await secretTo(gateway, look.email);
  await page.getByRole('link', { name: 'look into its mailbox' }).click();
  await page.getByRole('heading', { name: 'Mailbox' }).waitFor();
}

async function choose(): Promise<void> {
  await page.goto(`${gateway.url}/console/reset#${secret}`);
  await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
  expect(page.url()).toBe(`${gateway.url}/console/reset`);
  await page.getByLabel('New password').fill('short');
  await look.button('Set the password').click();
  await page.locator('.field .fault').waitFor();
  await look.inspect('reset-new');
  await page.getByLabel('New password').fill(NEW);
  await page.keyboard.press('Enter');
  await page.getByText('Your password is changed. Sign in with the new one.').waitFor();
  await look.inspect('reset-done');
  await page.getByLabel('E-mail').fill(look.email);
  await page.getByLabel('Password', { exact: true }).fill(NEW);
  await look.button('Sign in').click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
}

async function useAgain(): Promise<void> {
  await page.goto(`${gateway.url}/console/reset#${secret}`);
  await page.getByLabel('New password').fill(NEW);
  await page.keyboard.press('Enter');
  await page.getByText('This link was already used, or has expired.').waitFor();
  await look.inspect('reset-ended');
  await askFor(look.email);
  const newer = await secretTo(gateway, look.email);
  await page.evaluate(`location.hash = ${JSON.stringify(newer)}`);
  await page.getByLabel('New password').fill(look.password);
  await page.keyboard.press('Enter');
  // The session of this browser ended with all others.
  await page.getByText('Your password is changed. Sign in with the new one.').waitFor();
}
