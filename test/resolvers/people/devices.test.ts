// Sign-ins from browsers and addresses that are not known are told by mail; and what attackers gain by the cookie that
// makes a browser known (contract-people-payouts, section A).

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openBrowser, type TestBrowser } from '../../support/browsers.ts';
import { graphql, newEmail } from '../../support/clients.ts';
import { setUpTotp } from '../../support/factors.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { mailsTo, secretTo } from '../../support/mailbox.ts';
import { join, PASSWORD, signUp, type SignedIn } from '../../support/people.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const SIGN_IN = `mutation ($email: String!, $password: String!) {
  signIn(email: $email, password: $password) { token { expiresIn } challenge { id } }
}`;
const LOGIN = 'mutation ($e: String!, $p: String!) { login(email: $e, password: $p) { accessToken } }';
const DEVICE = 'turnpike-device';

let gateway: BorrowedGateway;
let owner: SignedIn & { readonly merchantId: string };

beforeAll(async () => {
  gateway = await borrowGateway({ TRUST_PROXY: '127.0.0.1' });
});
beforeEach(async () => {
  owner = await signUp(gateway, { isConfirmed: true });
});
afterAll(() => gateway.stop());

const enter = (browser: TestBrowser, email = owner.email, password = PASSWORD) =>
  browser.graphql(SIGN_IN, { email, password }, { 'user-agent': FIREFOX });
const toldOf = async (email = owner.email) =>
  (await mailsTo(gateway, email)).filter(({ template }) => template === 'NEW_DEVICE');
const newBrowser = (address?: string) => openBrowser(gateway, address);

describe('a browser', () => {
  it('that is not known is told of once, with address, device, time and the sessions', async () => {
    const browser = newBrowser('198.51.100.77');
    const answer = await enter(browser);
    expect(browser.setIn(answer, DEVICE)).toMatch(
      /^turnpike-device=[\w-]{43}; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Strict$/,
    );
    const [mail, ...more] = await toldOf();
    expect(more).toEqual([]);
    expect(mail?.text).toMatch(
      /from 198\.51\.100\.77 with Firefox, Linux, at 20\d\d-\d\d-\d\d \d\d:\d\d UTC\.[^]*\/console\/account\n/,
    );
    const secret = browser.cookies.get(DEVICE);
    expect((await enter(browser)).body.data.signIn.token).toBeTruthy();
    expect(browser.cookies.get(DEVICE)).toBe(secret);
    expect(await toldOf()).toHaveLength(1);
  });

  it('in which somebody registered, or accepted an invitation as somebody new, is known at once', async () => {
    const [browser, email] = [newBrowser(), newEmail()];
    const input = { email, companyName: 'Shop', password: PASSWORD };
    await browser.graphql(
      'mutation ($input: RegisterMerchantInput!) { registerMerchant(input: $input) { merchantId } }',
      {
        input,
      },
    );
    await enter(browser, email);
    expect(await toldOf(email)).toEqual([]);
    const bo = newEmail().toLowerCase();
    const invite = 'mutation ($email: String!) { inviteMember(input: { email: $email, role: VIEWER }) { id } }';
    await owner.graphql(invite, { email: bo });
    const accept =
      'mutation ($t: String!, $p: String!) { acceptInvitation(token: $t, name: "Bo", password: $p) { expiresIn } }';
    const other = newBrowser();
    await other.graphql(accept, { t: await secretTo(gateway, bo), p: PASSWORD });
    await enter(other, bo);
    expect(await toldOf(bo)).toEqual([]);
  });

  it('is told of by a second factor, too, when that was right and not before', async () => {
    const app = await setUpTotp(owner);
    await gateway.sql('update factor set last_step = 0 where id = $1', [app.id]);
    const browser = newBrowser();
    const { challenge } = (await enter(browser)).body.data.signIn;
    expect([browser.cookies.has(DEVICE), await toldOf()]).toEqual([false, []]);
    const finish = 'mutation ($input: AnswerInput!) { finishSignIn(input: $input) { expiresIn } }';
    await browser.graphql(finish, { input: { challengeId: challenge.id, code: app.code() } });
    expect([browser.cookies.has(DEVICE), (await toldOf()).length]).toEqual([true, 1]);
  });

  it('of two people is known to both', async () => {
    const { email } = await join(gateway, { merchantId: owner.merchantId, role: 'VIEWER' });
    const browser = newBrowser();
    for (let round = 0; round < 2; round += 1) for (const who of [owner.email, email]) await enter(browser, who);
    expect([await toldOf(), await toldOf(email)].map((mails) => mails.length)).toEqual([1, 1]);
  });

  it('is not known by a secret of somebody else, which is nobody’s afterwards, nor by one that we never gave', async () => {
    const other = await signUp(gateway);
    const theirs = newBrowser();
    await enter(theirs, other.email);
    const planted = theirs.cookies.get(DEVICE) ?? '';
    const browser = newBrowser();
    browser.cookies.set(DEVICE, planted);
    await enter(browser);
    expect(await toldOf()).toHaveLength(1);
    theirs.cookies.set(DEVICE, planted);
    await enter(theirs);
    expect(await toldOf()).toHaveLength(2);
    for (const made of ['A'.repeat(43), 'A'.repeat(44), '', '../x']) {
      const third = newBrowser();
      third.cookies.set(DEVICE, made);
      await enter(third);
      expect(third.cookies.get(DEVICE)).not.toBe(made);
    }
    expect(await toldOf()).toHaveLength(6);
  });

  it('is known for a year, as one of fifty, and by nothing that the database tells', async () => {
    const browser = newBrowser();
    await enter(browser);
    const [dump] = await gateway.sql<{ all: string }>('select json_agg(d)::text as all from person_device d');
    expect(dump?.all).not.toContain(browser.cookies.get(DEVICE));
    const mine = 'person_id = (select id from person where email = $1)';
    const email = owner.email.toLowerCase();
    await gateway.sql(`update person_device set last_seen_at = now() - interval '366 days' where ${mine}`, [email]);
    await enter(browser);
    expect(await toldOf()).toHaveLength(2);
    await gateway.sql(
      `insert into person_device select decode(md5(n::text || $1), 'hex'), id, now(), now() + n * interval '1 second'
       from person, generate_series(1, 70) n where email = $1`,
      [email],
    );
    await enter(newBrowser());
    expect(await gateway.sql(`select from person_device where ${mine}`, [email])).toHaveLength(50);
  });
});

describe('a new password', () => {
  it('makes all browsers strangers but the one in which it was chosen', async () => {
    const [here, there] = [newBrowser(), newBrowser()];
    for (const browser of [here, there]) await enter(browser);
    const change = 'mutation ($p: String!, $n: String!) { changePassword(current: $p, password: $n) }';
    const next = 'another good password';
    expect((await here.graphql(change, { p: PASSWORD, n: next })).body.data.changePassword).toBe(true);
    await enter(here, owner.email, next);
    expect(await toldOf()).toHaveLength(2);
    await enter(there, owner.email, next);
    expect(await toldOf()).toHaveLength(3);
  });

  it('by a mailed link does so, too', async () => {
    const [here, there] = [newBrowser(), newBrowser()];
    for (const browser of [here, there]) await enter(browser);
    await here.graphql('mutation ($e: String!) { requestPasswordReset(email: $e) }', { e: owner.email });
    const reset = 'mutation ($t: String!, $p: String!) { resetPassword(token: $t, password: $p) }';
    const next = 'another good password';
    await here.graphql(reset, { t: await secretTo(gateway, owner.email), p: next });
    await enter(here, owner.email, next);
    expect(await toldOf()).toHaveLength(2);
    await enter(there, owner.email, next);
    expect(await toldOf()).toHaveLength(3);
  });
});

describe('a client without cookies', () => {
  it('is known by its address for 90 days', async () => {
    const { email } = await join(gateway, { merchantId: owner.merchantId, role: 'VIEWER' });
    const login = (address: string) =>
      graphql(gateway)(
        LOGIN,
        { e: email, p: PASSWORD },
        { 'x-forwarded-for': address, 'user-agent': 'see http://evil.example' },
      );
    for (const address of ['203.0.113.1', '203.0.113.1', '203.0.113.2', '2001:db8:9:1::1', '2001:db8:9:1::2'])
      expect((await login(address)).body.data.login.accessToken).toMatch(/^ey/);
    const mails = await toldOf(email);
    expect(mails.map(({ text }) => /from (\S+) with (\S+), at/.exec(text)?.slice(1))).toEqual([
      ['2001:db8:9:1::1', '—'],
      ['203.0.113.2', '—'],
      ['203.0.113.1', '—'],
    ]);
    await gateway.sql(`update sign_in_address set seen_at = seen_at - interval '91 days'`);
    await login('203.0.113.1');
    expect(await toldOf(email)).toHaveLength(4);
  });
});
