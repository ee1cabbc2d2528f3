// The console with registration closed: it offers none, and invited merchants sign in.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { hashPassword } from '../../../src/access/passwords.ts';
import { addMerchant } from '../../../src/domain/people/register.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { axeFindings, DESKTOP, executablePath, launch, look, shoot } from '../browser.fixture.ts';

const EMAIL = 'owner@kettle.example';
const PASSWORD = 'three green lamps';

let gateway: TestGateway;
let browser: Browser;

if (executablePath !== undefined)
  describe('the console where registration is closed', () => {
    beforeAll(async () => {
      gateway = await startTestGateway({ REGISTRATION: 'closed' });
      const passwordHash = await hashPassword(PASSWORD);
      await addMerchant(gateway.deps, { email: EMAIL, companyName: 'Kettle & Co', passwordHash });
      browser = await launch();
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });

    it('offers to sign in alone, from a link to the registration too', async () => {
      const { page } = await look(browser, `${gateway.url}/console#register`, { viewport: DESKTOP });
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await page.getByText('Ask the operator of this gateway for an account.').waitFor();
      expect(await page.getByLabel('Company name').count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Create an account' }).count()).toBe(0);
      expect(await axeFindings(page)).toEqual([]);
      await shoot(page, 'sign-in-closed', 'console');
      await page.getByLabel('E-mail').fill(EMAIL);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('heading', { name: 'Home' }).waitFor();
    });
  });
