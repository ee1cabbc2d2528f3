// A provider of identities in the console: linked, signed in by, asked to confirm, and what an invitation is accepted
// with. The provider is a real one on loopback. Without Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { newEmail } from '../../support/clients.ts';
import { letTimePass, openApp } from '../../support/factors.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { secretTo } from '../../support/mailbox.ts';
import { clientOf, startProvider, type TestProvider } from '../../support/oidc/provider.ts';
import { executablePath, launch, look } from '../browser.fixture.ts';
import { inspect, register, type ConsoleLook } from './browser.fixture.ts';

let provider: TestProvider;
let gateway: TestGateway;
let browser: Browser;
let seen: ConsoleLook;

if (executablePath !== undefined)
  describe('a provider in the console', () => {
    beforeAll(async () => {
      provider = await startProvider();
      gateway = await startTestGateway(clientOf(provider));
      provider.serve(gateway);
      provider.visitor = { subject: 'ann' };
      browser = await launch();
      seen = await register(browser, gateway);
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
      await provider.stop();
    });
    it('is linked under Account, once that was confirmed', link, 60_000);
    it('signs in by the button of the sign-in page', signIn, 60_000);
    it('is followed by the question for a factor', answerFactor, 60_000);
    it('confirms in a window of its own, for those who have nothing else', confirm, 60_000);
    it('is what an invitation is accepted with', accept, 60_000);
    it('nothing went wrong in the browser, and no other host was asked', () => expect(faults()).toEqual([]));
  });

/** Browsers report what is meant here: those who are signed out are answered 401, and the provider is another host. */
const faults = (): string[] =>
  seen.faults.filter((fault) => !/status of 401/.test(fault) && !fault.startsWith(`asked ${provider.issuer}`));

async function signOut(): Promise<void> {
  await seen.operate('mutation { logout }');
  await seen.page.goto(`${gateway.url}/console`);
  await seen.page.getByRole('heading', { name: 'Sign in' }).waitFor();
}

async function link(): Promise<void> {
  const { page, button, go, showPassword } = seen;
  await go('Account');
  await page.getByText('No account at Kettle ID is linked.').waitFor();
  await seen.inspect('provider-none');
  await button('Link an account at Kettle ID').click();
  await showPassword();
  await page.getByRole('table', { name: 'Linked accounts' }).waitFor();
  expect(page.url()).toBe(`${gateway.url}/console/account`);
  await page.getByText(provider.issuer).waitFor();
  await seen.inspect('provider-linked');
}

async function signIn(): Promise<void> {
  const { page } = seen;
  await signOut();
  await page.getByRole('link', { name: 'Sign in with Kettle ID' }).waitFor();
  await seen.inspect('provider-sign-in');
  await page.getByRole('link', { name: 'Sign in with Kettle ID' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  expect(page.url()).toBe(`${gateway.url}/console`);
}

async function answerFactor(): Promise<void> {
  const { page, operate, button } = seen;
  await seen.confirm();
  const { startTotp: setup } = await operate<{ startTotp: { id: string; secret: string } }>(
    'mutation { startTotp { id secret } }',
  );
  const app = openApp(setup.secret);
  const { finishTotp: factor } = await operate<{ finishTotp: { id: string } }>(
    'mutation ($id: ID!, $code: String!) { finishTotp(id: $id, code: $code, label: "Phone") { id } }',
    { id: setup.id, code: app.code() },
  );
  await letTimePass(gateway, factor);
  await signOut();
  await page.getByRole('link', { name: 'Sign in with Kettle ID' }).click();
  await page.getByLabel('Code from your authenticator app').fill(app.code());
  expect(page.url()).toBe(`${gateway.url}/console`);
  await seen.inspect('provider-factor');
  await button('Continue').click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await gateway.sql('delete from factor where id = $1', [factor.id]);
}

async function confirm(): Promise<void> {
  const { page, button, go } = seen;
  await gateway.sql('update person set password_hash = null where email = $1', [seen.email]);
  await gateway.sql('update owner_session set confirmed_at = null');
  await page.reload();
  await go('Account');
  await page.getByText('You have no password.').waitFor();
  await page.getByRole('button', { name: /^Unlink/ }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Unlink', exact: true }).click();
  const question = page.getByRole('alertdialog', { name: 'Confirm that it is you' });
  const proof = question.getByRole('button', { name: 'Sign in with Kettle ID' });
  await proof.waitFor();
  await seen.inspect('provider-confirm');
  await question.getByRole('button', { name: 'Confirm', exact: true }).click();
  await question.getByText('Sign in there first.').waitFor();
  const opened = page.context().waitForEvent('page');
  await proof.click();
  const popup = await opened;
  await question.getByText('You have signed in at Kettle ID anew.').waitFor();
  await popup.waitForEvent('close', { timeout: 5_000 }).catch(() => popup.close());
  await question.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText('It is your last way to sign in').waitFor();
  await button('Cancel').click();
  await page.getByRole('table', { name: 'Linked accounts' }).waitFor();
}

async function accept(): Promise<void> {
  const email = newEmail();
  await seen.operate('mutation ($email: String!) { inviteMember(input: { email: $email, role: VIEWER }) { id } }', {
    email,
  });
  const guest = await look(browser, `${gateway.url}/console/accept#${await secretTo(gateway, email)}`);
  const { page } = guest;
  provider.visitor = { subject: 'bo' };
  await page.getByRole('button', { name: 'Accept with Kettle ID' }).waitFor();
  await inspect(page, 'provider-accept');
  await page.getByRole('button', { name: 'Accept with Kettle ID' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.goto(`${gateway.url}/console/account`);
  await page.getByText(email).first().waitFor();
  await guest.close();
}
