// The link of an invitation in the console: for people who are new, and for those who have an account. Without Chromium
// this is left to CI, which has it.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { newEmail } from '../../support/clients.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { secretTo } from '../../support/mailbox.ts';
import { newOperator } from '../../support/operators.ts';
import { PASSWORD, signIn, signUp, type SignedIn } from '../../support/people.ts';
import { executablePath, launch } from '../browser.fixture.ts';

let gateway: TestGateway;
let browser: Browser;
let page: Page;
let owner: SignedIn & { readonly merchantId: string };

if (executablePath !== undefined)
  describe('an invitation in the console', () => {
    beforeAll(async () => {
      gateway = await startTestGateway();
      browser = await launch();
      owner = await signUp(gateway, { isConfirmed: true });
      page = await (await browser.newContext()).newPage();
    });
    afterAll(async () => {
      await browser.close();
      await gateway.stop();
    });
    it('is accepted by somebody new with a name and a password, once', acceptAsNew, 60_000);
    it('is nobody else’s: somebody signed in as another person signs out first', acceptWithAccount, 60_000);
    it('is accepted at once by the person who is signed in', acceptSignedIn, 60_000);
    it('of the operator registers a company for somebody new', registerInvited, 60_000);
    it('of the operator adds a company to an account, once they have signed in', addInvited, 60_000);
  });

const button = (name: string) => page.getByRole('button', { name, exact: true });
const heading = (name: string) => page.getByRole('heading', { name, exact: true });

/** Invites somebody as an administrator; returns the address of the link. */
async function linkFor(email: string): Promise<string> {
  const invite = 'mutation ($email: String!) { inviteMember(input: { email: $email, role: ADMIN }) { id } }';
  await owner.graphql(invite, { email });
  return `${gateway.url}/console/accept#${await secretTo(gateway, email)}`;
}

async function acceptAsNew(): Promise<void> {
  const email = newEmail();
  const link = await linkFor(email);
  await page.goto(link);
  await heading('Join Shop').waitFor();
  await page.getByText(`Shop invites ${email} as administrator.`).waitFor();
  expect(page.url()).toBe(`${gateway.url}/console/accept`);
  await page.getByLabel('Your name').fill('Bo');
  await page.getByLabel('Password', { exact: true }).fill('four blue lamps');
  await button('Accept').click();
  await heading('Home').waitFor();
  const { members } = (await owner.graphql('{ members { name email role } }')).body.data;
  expect(members[1]).toEqual({ name: 'Bo', email, role: 'ADMIN' });
  await page.goto('about:blank');
  await page.goto(link);
  await heading('This invitation has ended').waitFor();
}

async function acceptWithAccount(): Promise<void> {
  const other = await signUp(gateway);
  const link = await linkFor(other.email);
  await page.goto('about:blank');
  await page.goto(link);
  await page.getByText(`The invitation is for ${other.email}: sign out to accept it.`).waitFor();
  await button('Sign out').click();
  await page.getByLabel('Your password').fill('not their password');
  await button('Accept').click();
  await page.getByText('E-mail or password is wrong.').waitFor();
  await page.getByLabel('Your password').fill(PASSWORD);
  await button('Accept').click();
  await heading('Home').waitFor();
  const again = await signIn(gateway, other.email);
  expect((await again.graphql('{ merchant { id } }')).body.data.merchant.id).toBe(owner.merchantId);
}

async function acceptSignedIn(): Promise<void> {
  const second = await signUp(gateway, { isConfirmed: true });
  const { me } = (await (await signIn(gateway, second.email)).graphql('{ me { email } }')).body.data;
  const context = await browser.newContext();
  page = await context.newPage();
  await page.goto(`${gateway.url}/console`);
  await page.getByLabel('E-mail').fill(me.email as string);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await button('Sign in').click();
  await heading('Home').waitFor();
  await page.goto(await linkFor(me.email as string));
  await heading('Join Shop').waitFor();
  await button('Accept').click();
  await heading('Home').waitFor();
  const again = await signIn(gateway, second.email);
  expect((await again.graphql('{ merchant { id } }')).body.data.merchant.id).toBe(owner.merchantId);
}

/** Invites somebody to register, as the operator; returns the address of the link. */
async function linkToRegister(email: string): Promise<string> {
  const operator = await newOperator(gateway);
  await operator.graphql('mutation ($email: String!) { inviteMerchant(email: $email) { id } }', { email });
  return `${gateway.url}/console/accept#${await secretTo(gateway, email)}`;
}

async function registerInvited(): Promise<void> {
  const email = newEmail();
  const link = await linkToRegister(email);
  await page.context().clearCookies();
  await page.goto('about:blank');
  await page.goto(link);
  await heading('Create your account').waitFor();
  await page.getByText(`The operator of this gateway invites ${email}.`).waitFor();
  await page.getByLabel('Company name').fill('Kettle & Co');
  await page.getByLabel('Password', { exact: true }).fill('four blue lamps');
  await button('Create account').click();
  await heading('Home').waitFor();
  expect(await companiesOf(email)).toEqual(['Kettle & Co']);
  await page.goto('about:blank');
  await page.goto(link);
  await heading('This invitation has ended').waitFor();
}

async function addInvited(): Promise<void> {
  const { email } = await signUp(gateway);
  await page.context().clearCookies();
  await page.goto('about:blank');
  await page.goto(await linkToRegister(email));
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await button('Sign in').click();
  await page.getByLabel('Company name').fill('A second one');
  await button('Add the company').click();
  await heading('Home').waitFor();
  expect(await companiesOf(email)).toEqual(['Shop', 'A second one']);
}

const companiesOf = async (email: string): Promise<readonly string[]> =>
  (
    await gateway.sql<{ name: string }>(
      `select m.company_name as name from merchant m join membership s on s.merchant_id = m.id
       join person p on p.id = s.person_id where p.email = lower($1) order by m.created_at`,
      [email],
    )
  ).map(({ name }) => name);
