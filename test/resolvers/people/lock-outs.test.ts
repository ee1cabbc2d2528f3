// Accounts that are attacked: strangers are asked for a mailed code, and nobody locks the owner out of their own
// browser (contract-people-payouts, section A; the third of its five lives).

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { attack } from '../../support/attacks.ts';
import { openBrowser, type TestBrowser } from '../../support/browsers.ts';
import { graphql, newEmail, rest, type Answer, type Json } from '../../support/clients.ts';
import { expectGraphQLError } from '../../support/expectations.ts';
import { letTimePass, setUpTotp, type App } from '../../support/factors.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { mailsTo, secretTo } from '../../support/mailbox.ts';
import { confirm, join, PASSWORD, signUp } from '../../support/people.ts';

const SIGN_IN = `mutation ($email: String!, $password: String!) {
  signIn(email: $email, password: $password) { token { expiresIn } challenge { id factors passkey expiresAt } }
}`;
const LOGIN = `mutation ($email: String!, $password: String!, $code: String) {
  login(email: $email, password: $password, code: $code) { accessToken }
}`;
const FINISH = 'mutation ($input: AnswerInput!) { finishSignIn(input: $input) { expiresIn } }';

let gateway: BorrowedGateway;
let places = 0;

beforeAll(async () => {
  gateway = await borrowGateway({ TRUST_PROXY: '127.0.0.1' });
});
afterAll(() => gateway.stop());

/** An address that nothing came from before. */
const elsewhere = (): string => {
  places += 1;
  return `2001:db8:${places.toString(16)}::1`;
};
const stranger = () => openBrowser(gateway, elsewhere());
const signIn = (browser: Pick<TestBrowser, 'graphql'>, email: string, password = PASSWORD) =>
  browser.graphql(SIGN_IN, { email, password });
const challengeOf = ({ body }: Answer): Json => body.data.signIn.challenge;
const finish = (browser: Pick<TestBrowser, 'graphql'>, challengeId: string, code: string) =>
  browser.graphql(FINISH, { input: { challengeId, code } });
const codesTo = async (email: string): Promise<string[]> =>
  (await mailsTo(gateway, email))
    .filter(({ template }) => template === 'SIGN_IN_CODE')
    .map(({ text }) => /enter (\d{6})\./.exec(text)?.[1] ?? '');
const other = (code: string) => (code.startsWith('1') ? '222222' : '111111');
const errorCodeOf = ({ body }: Answer): string => (body.errors?.[0].extensions.errorCode as string | undefined) ?? 'in';

describe('a stolen password', () => {
  let email: string;
  let app: App & { readonly id: string };
  let office: TestBrowser;
  let phone: TestBrowser;

  const comesIn = async (browser: TestBrowser) => {
    await letTimePass(gateway, app);
    const challenge = challengeOf(await signIn(browser, email));
    expect(challenge.factors).toEqual(['TOTP']);
    expect(errorCodeOf(await finish(browser, challenge.id as string, app.code()))).toBe('in');
  };

  it('opens nothing, and locks the accountant out of nothing', async () => {
    const { merchantId } = await signUp(gateway);
    email = (await join(gateway, { merchantId, role: 'ACCOUNTANT' })).email;
    office = openBrowser(gateway, '198.51.100.9');
    await signIn(office, email);
    await office.graphql('mutation ($p: String!) { confirmPassword(password: $p) }', { p: PASSWORD });
    app = await setUpTotp(office);
    await comesIn(office);

    const thief = '203.0.113.66';
    const asThief = openBrowser(gateway, thief);
    const login = await asThief.graphql(LOGIN, { email, password: PASSWORD });
    expectGraphQLError(login, 200, 'UNAUTHENTICATED', '1009');
    for (let nth = 2; nth <= 10; nth += 1) expect(challengeOf(await signIn(asThief, email)).factors).toEqual(['TOTP']);
    expectGraphQLError(await signIn(asThief, email), 429, 'RATE_LIMITED', '9001');
    const before = challengeOf(await signIn(stranger(), email));
    await comesIn(office);

    for (let nth = 0; nth < 200; nth += 10)
      await Promise.all(Array.from({ length: 10 }, () => signIn(stranger(), email, 'a guess')));
    await comesIn(office);
    // Their own browser is known wherever it is, even at the address of the thief.
    phone = openBrowser(gateway, thief);
    for (const [name, value] of office.cookies) phone.cookies.set(name, value);
    await comesIn(phone);
    expectGraphQLError(await signIn(openBrowser(gateway, thief), email), 429, 'RATE_LIMITED', '9001');
    // What was asked before has to be asked anew, with the mail.
    await letTimePass(gateway, app);
    expect(errorCodeOf(await finish(stranger(), before.id as string, app.code()))).toBe('2004');
    expect(challengeOf(await signIn(stranger(), email)).factors).toEqual(['MAIL_CODE']);
  }, 300_000);

  it('is not enough with the mailed code alone, and the accountant gets in on a new device with both', async () => {
    const laptop = stranger();
    const { id, passkey } = challengeOf(await signIn(laptop, email));
    const [code = ''] = await codesTo(email);
    expect([passkey, errorCodeOf(await finish(laptop, id as string, app.code()))]).toEqual([null, '1005']);
    const next = await finish(laptop, id as string, code);
    expect(expectGraphQLError(next, 200, 'UNAUTHENTICATED', '1009').message).toBe(
      'The code is right; now your own factor',
    );
    expect(errorCodeOf(await finish(laptop, id as string, code))).toBe('1005');
    await letTimePass(gateway, app);
    expect(errorCodeOf(await finish(laptop, id as string, app.code()))).toBe('in');
    const { sessions } = (await laptop.graphql('{ sessions { factors isCurrent } }')).body.data;
    expect((sessions as Json[]).find(({ isCurrent }) => isCurrent as boolean)?.factors).toEqual(['MAIL_CODE', 'TOTP']);
    await comesIn(laptop);
  });

  it('and a lost phone leave them their recovery codes, which hold them for a while', async () => {
    await office.graphql(FINISH.replace('finishSignIn', 'confirm').replace(' { expiresIn }', ''), {
      input: await (async () => {
        await letTimePass(gateway, app);
        const { startConfirmation } = (await office.graphql('mutation { startConfirmation { id } }')).body.data;
        return { challengeId: startConfirmation.id as string, code: app.code() };
      })(),
    });
    const [recovery = ''] = (await office.graphql('mutation { newRecoveryCodes }')).body.data
      .newRecoveryCodes as string[];
    const challenge = challengeOf(await signIn(office, email));
    expect(errorCodeOf(await finish(office, challenge.id as string, recovery))).toBe('in');
    expect((await office.graphql('{ me { heldUntil } }')).body.data.me.heldUntil).not.toBeNull();
  });
});

describe('an account that is attacked', () => {
  let owner: Awaited<ReturnType<typeof signUp>>;
  let email: string;
  beforeEach(async () => {
    owner = await signUp(gateway);
    ({ email } = owner);
    await attack(gateway, email);
  });

  it('lets a stranger in with the password and a mailed code, once, and knows the browser from then on', async () => {
    const browser = stranger();
    const { id, factors } = challengeOf(await signIn(browser, email));
    expect(factors).toEqual(['MAIL_CODE']);
    const [code = '', ...more] = await codesTo(email);
    expect([code, more]).toEqual([expect.stringMatching(/^\d{6}$/), []]);
    expect(errorCodeOf(await finish(browser, id as string, other(code)))).toBe('1005');
    const answers = await Promise.all([1, 2, 3].map(() => finish(browser, id as string, ` ${code} `)));
    expect(answers.map(errorCodeOf).filter((outcome) => outcome === 'in')).toHaveLength(1);
    expect(errorCodeOf(await finish(browser, id as string, code))).toBe('2004');
    expect((await signIn(browser, email)).body.data.signIn.token).toBeTruthy();
  });

  it('tells a stranger nothing: a wrong password, and an address that nobody has, look the same', async () => {
    const nobody = newEmail();
    await attack(gateway, nobody);
    const seen: string[][] = [];
    for (const [account, password] of [
      [email, PASSWORD],
      [email, 'wrong'],
      [nobody, 'wrong'],
    ] as const) {
      const browser = stranger();
      const outcomes: string[] = [];
      for (let round = 0; round < 2; round += 1) {
        const { id, ...rest } = challengeOf(await signIn(browser, account, password));
        outcomes.push(JSON.stringify({ ...rest, expiresAt: '' }));
        for (let nth = 0; nth < 6; nth += 1) outcomes.push(errorCodeOf(await finish(browser, id as string, '12345')));
      }
      seen.push([...outcomes, errorCodeOf(await signIn(browser, account, password))]);
      const login = await graphql(gateway)(LOGIN, { email: account, password }, { 'x-forwarded-for': elsewhere() });
      expectGraphQLError(login, 200, 'UNAUTHENTICATED', '1009');
    }
    expect([seen[1], seen[2]]).toEqual([seen[0], seen[0]]);
    expect(seen[0]?.slice(1, 7)).toEqual([...Array<string>(5).fill('1005'), '2004']);
    expect(seen[0]?.at(-1)).toBe('9001');
    expect(await codesTo(email)).toHaveLength(2);
    expect(await codesTo(nobody)).toEqual([]);
  });

  it('mails five codes in an hour, and what is asked beyond them is answered by nothing', async () => {
    const asked = await Promise.all(
      Array.from({ length: 8 }, async () => challengeOf(await signIn(stranger(), email)).id as string),
    );
    const codes = await codesTo(email);
    expect(codes).toHaveLength(5);
    const people = await gateway.sql<{ n: string }>('select count(person_id) as n from challenge where id = any($1)', [
      asked,
    ]);
    expect(people).toEqual([{ n: '5' }]);
  });

  it('takes five wrong codes and then no right one, and none after five minutes', async () => {
    const browser = stranger();
    const first = challengeOf(await signIn(browser, email)).id as string;
    const [code = ''] = await codesTo(email);
    for (let nth = 0; nth < 5; nth += 1) await finish(browser, first, other(code));
    expect(errorCodeOf(await finish(browser, first, code))).toBe('2004');
    const later = stranger();
    const second = challengeOf(await signIn(later, email)).id as string;
    const [newer = ''] = await codesTo(email);
    await gateway.sql(`update challenge set expires_at = now() - interval '1 second' where id = $1`, [second]);
    expect(errorCodeOf(await finish(later, second, newer))).toBe('2004');
  });

  it('is open to scripts where they have been, to sessions, to invitations, and by a mailed link', async () => {
    const login = (address: string) =>
      graphql(gateway)(LOGIN, { email, password: PASSWORD }, { 'x-forwarded-for': address });
    expect((await graphql(gateway)(LOGIN, { email, password: PASSWORD })).body.data.login.accessToken).toMatch(/^ey/);
    expectGraphQLError(await login(elsewhere()), 200, 'UNAUTHENTICATED', '1009');
    await confirm(owner);
    const host = await signUp(gateway, { isConfirmed: true });
    const invite = 'mutation ($email: String!) { inviteMember(input: { email: $email, role: VIEWER }) { id } }';
    await host.graphql(invite, { email });
    const accept = 'mutation ($t: String!, $p: String!) { acceptInvitation(token: $t, password: $p) { expiresIn } }';
    const link = { t: await secretTo(gateway, email), p: PASSWORD };
    expect(errorCodeOf(await stranger().graphql(accept, { ...link, p: 'wrong' }))).toBe('1005');
    expect(errorCodeOf(await stranger().graphql(accept, link))).toBe('in');
    const browser = stranger();
    await browser.graphql('mutation ($e: String!) { requestPasswordReset(email: $e) }', { e: email });
    const reset = 'mutation ($t: String!, $p: String!) { resetPassword(token: $t, password: $p) }';
    const next = 'another good password';
    await browser.graphql(reset, { t: await secretTo(gateway, email), p: next });
    expect((await signIn(browser, email, next)).body.data.signIn.token).toBeTruthy();
  });

  it('keeps nothing of the code, and of an address that nobody can have not even that', async () => {
    await signIn(stranger(), email);
    const [code = ''] = await codesTo(email);
    const [dump] = await gateway.sql<{ all: string }>(
      'select (select json_agg(m)::text from mail m) || (select json_agg(c)::text from challenge c) as all',
    );
    expect(dump?.all).not.toContain(code);
    for (const odd of ['x\0y', `${'x'.repeat(300)}@shop.example`]) {
      await attack(gateway, odd);
      const { id } = challengeOf(await signIn(stranger(), odd));
      expect(await gateway.sql('select email from challenge where id = $1', [id])).toEqual([{ email: '' }]);
    }
  });
});

describe('a known browser', () => {
  it('has ten tries of its own in 15 minutes, which count for nobody else', async () => {
    const email = newEmail();
    const company = { email, companyName: 'Shop', password: PASSWORD };
    const home = { 'x-forwarded-for': '198.51.100.20' };
    await rest(gateway)('POST', '/merchant/register', company, home);
    const browser = openBrowser(gateway, '198.51.100.20');
    await signIn(browser, email);
    for (let nth = 0; nth < 10; nth += 1) expect(errorCodeOf(await signIn(browser, email, 'wrong'))).toBe('1005');
    expectGraphQLError(await signIn(browser, email), 429, 'RATE_LIMITED', '9001');
    expect((await graphql(gateway)(LOGIN, { email, password: PASSWORD }, home)).body.data.login).toBeTruthy();
  });

  it('of one person is a stranger to the account of another', async () => {
    const [one, two] = [await signUp(gateway), await signUp(gateway)];
    const browser = stranger();
    await signIn(browser, one.email);
    await attack(gateway, two.email);
    expect(challengeOf(await signIn(browser, two.email)).factors).toEqual(['MAIL_CODE']);
  });
});
