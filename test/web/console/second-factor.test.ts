// A second factor in the console: set up, asked for at the next sign-in and for a confirmation, and lost. The browser
// has an authenticator of its own. Without Chromium this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { findFreePort, startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { letTimePass, openApp, type App } from '../../support/factors.ts';
import { executablePath, launch } from '../browser.fixture.ts';
import { register, type ConsoleLook } from './browser.fixture.ts';

let gateway: TestGateway;
let browser: Browser;
let seen: ConsoleLook;

if (executablePath !== undefined)
  describe('a second factor in the console', () => {
    beforeAll(async () => {
      // Browsers make no passkeys for an address that is a number.
      const port = String(await findFreePort());
      gateway = await startTestGateway({ PORT: port, BASE_URL: `http://localhost:${port}` });
      browser = await launch();
      seen = await register(browser, gateway);
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('is an authenticator app, set up from its QR code, with recovery codes', setUpApp, 60_000);
    it('is asked for at the next sign-in', signInWithApp, 60_000);
    it('is asked for instead of the password, before keys change', confirmWithApp, 60_000);
    it('is a recovery code where the phone is lost', recover, 60_000);
    it('is a passkey, which signs in alone', usePasskey, 60_000);
  });

let app: App & { readonly id: string };
let codes: readonly string[];

async function setUpApp(): Promise<void> {
  const { page, button, go, showPassword, inspect } = seen;
  await go('Account');
  await page.getByText('Your password is the only protection of your account.').waitFor();
  await button('Add an authenticator app').click();
  await showPassword();
  const dialog = page.getByRole('dialog', { name: 'Add an authenticator app' });
  await dialog.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
  const secret = (await dialog.locator('code').textContent()) ?? '';
  await inspect('add-app');
  const code = dialog.getByLabel('Code that the app shows');
  await code.fill('000000');
  await dialog.getByRole('button', { name: 'Add it' }).click();
  await dialog.getByText('Is not what the app shows now').waitFor();
  await code.fill(openApp(secret).code());
  await dialog.getByRole('button', { name: 'Add it' }).click();
  const shown = page.getByRole('dialog', { name: 'Your recovery codes' });
  codes = ((await shown.locator('code').textContent()) ?? '').split('\n');
  expect(codes).toHaveLength(10);
  await inspect('recovery-codes');
  await shown.getByRole('button', { name: 'I have saved them' }).click();
  await page.getByText('Recovery codes left: 10').waitFor();
  await inspect('factors');
  const [{ id } = { id: '' }] = await gateway.sql<{ id: string }>(`select id from factor where kind = 'TOTP'`);
  app = { ...openApp(secret), id };
}

/** Signs out, and gives the password again. */
async function leaveAndComeBack(): Promise<void> {
  const { page, button, operate } = seen;
  await operate('mutation { logout }');
  await page.goto(`${gateway.url}/console`);
  await page.getByLabel('E-mail').fill(seen.email);
  await page.getByLabel('Password').fill(seen.password);
  await button('Sign in').click();
}

async function signInWithApp(): Promise<void> {
  const { page, button, inspect } = seen;
  await letTimePass(gateway, app);
  await leaveAndComeBack();
  const code = page.getByLabel('Code from your authenticator app');
  await code.fill('000000');
  await inspect('second-step');
  await button('Continue').click();
  await page.getByText('That is wrong, or was used before.').waitFor();
  await code.fill(app.code());
  await button('Continue').click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
}

async function confirmWithApp(): Promise<void> {
  const { page, button, go, inspect } = seen;
  await letTimePass(gateway, app);
  await go('API keys');
  await button('New key').click();
  await page.getByLabel('Name').fill('Shop');
  await button('Create the key').click();
  const question = page.getByRole('alertdialog', { name: 'Confirm that it is you' });
  const code = question.getByLabel('Code from your authenticator app');
  await code.waitFor();
  await inspect('confirm-by-app');
  await code.fill(app.code());
  await question.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('dialog', { name: 'Your new key' }).waitFor();
  await button('I have saved it').click();
}

async function recover(): Promise<void> {
  const { page, button, go } = seen;
  await leaveAndComeBack();
  await page.getByLabel('Code from your authenticator app').fill(codes[3]?.toUpperCase() ?? '');
  await button('Continue').click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await go('Account');
  await page.getByText('Recovery codes left: 9').waitFor();
  await button('Remove Authenticator app').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click();
  const question = page.getByRole('alertdialog', { name: 'Confirm that it is you' });
  await question.getByLabel('Code from your authenticator app').fill(codes[4] ?? '');
  await question.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Your password is the only protection of your account.').waitFor();
}

async function usePasskey(): Promise<void> {
  const { page, button, operate, inspect } = seen;
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  await button('Add a passkey').click();
  await page.getByRole('dialog', { name: 'Add a passkey' }).getByLabel('Name').fill('This laptop');
  await button('Add it').click();
  await page.getByRole('dialog', { name: 'Your recovery codes' }).waitFor();
  await button('I have saved them').click();
  await page.getByText('This laptop').waitFor();
  await operate('mutation { logout }');
  await page.goto(`${gateway.url}/console`);
  await button('Sign in with a passkey').waitFor();
  await inspect('sign-in-with-passkey');
  await button('Sign in with a passkey').click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  const { me } = await operate<{ me: { factors: { lastUsedAt: string | null }[] } }>(
    '{ me { factors { lastUsedAt } } }',
  );
  expect(me.factors).toEqual([{ lastUsedAt: expect.any(String) }]);
}
