// Signing in to the console on a device that is not known, while the account is attacked: by a mailed code, then by a
// factor of one's own. Without Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { attack } from '../../../../support/attacks.ts';
import { letTimePass, openApp } from '../../../../support/factors.ts';
import { startTestGateway, type TestGateway } from '../../../../support/gateway/gateway.ts';
import { mailsTo } from '../../../../support/mailbox.ts';
import { axeFindings, DESKTOP, executablePath, launch } from '../../../browser.fixture.ts';
import { register, type ConsoleLook } from '../../browser.fixture.ts';

let gateway: TestGateway;
let browser: Browser;
let seen: ConsoleLook;

if (executablePath !== undefined)
  describe('an account that is attacked, in the console', () => {
    beforeAll(async () => {
      gateway = await startTestGateway({ TRUST_PROXY: '127.0.0.1' });
      browser = await launch();
      seen = await register(browser, gateway);
      await attack(gateway, seen.email);
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('asks a stranger for a mailed code', byMail, 60_000);
    it('asks for an authenticator app after it', byMailAndApp, 60_000);
    it('asks for no mail in the browser of its owner', atHome, 60_000);
  });

/** Opens the console elsewhere, and gives the password there. */
async function openElsewhere(address: string): Promise<Page> {
  const context = await browser.newContext({
    viewport: DESKTOP,
    reducedMotion: 'reduce',
    extraHTTPHeaders: { 'x-forwarded-for': address },
  });
  const page = await context.newPage();
  await enter(page);
  return page;
}

async function enter(page: Page): Promise<void> {
  await page.goto(`${gateway.url}/console`);
  await page.getByLabel('E-mail').fill(seen.email);
  await page.getByLabel('Password').fill(seen.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

const goOn = (page: Page) => page.getByRole('button', { name: 'Continue' }).click();

async function mailedCode(): Promise<string> {
  const mails = await mailsTo(gateway, seen.email);
  const newest = mails.find(({ template }) => template === 'SIGN_IN_CODE');
  return /enter (\d{6})\./.exec(newest?.text ?? '')?.[1] ?? '';
}

async function byMail(): Promise<void> {
  const page = await openElsewhere('198.51.100.1');
  const code = page.getByLabel('Code from your mail');
  await code.waitFor();
  await page.getByText('Many wrong passwords were tried for this account').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await code.fill('12345');
  await goOn(page);
  await page.getByText('That is wrong, or was used before.').waitFor();
  await code.fill(await mailedCode());
  await goOn(page);
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.context().close();
}

async function byMailAndApp(): Promise<void> {
  await seen.confirm();
  const { startTotp } = await seen.operate<{ startTotp: { id: string; secret: string } }>(
    'mutation { startTotp { id secret } }',
  );
  const app = openApp(startTotp.secret);
  const { finishTotp } = await seen.operate<{ finishTotp: { id: string } }>(
    'mutation ($id: ID!, $code: String!) { finishTotp(id: $id, code: $code, label: "Phone") { id } }',
    { id: startTotp.id, code: app.code() },
  );
  const page = await openElsewhere('198.51.100.2');
  await page.getByLabel('Code from your mail').fill(await mailedCodeAfter(page));
  await goOn(page);
  const own = page.getByLabel('Code from your authenticator app');
  await own.waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await letTimePass(gateway, finishTotp);
  await own.fill(app.code());
  await goOn(page);
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.context().close();
}

/** The code of the mail that a page asks for. */
async function mailedCodeAfter(page: Page): Promise<string> {
  await page.getByLabel('Code from your mail').waitFor();
  return mailedCode();
}

async function atHome(): Promise<void> {
  const { page, operate } = seen;
  await operate('mutation { logout }');
  await enter(page);
  await page.getByLabel('Code from your authenticator app').waitFor();
}
