// Signing in by a provider of identities, with a real one on loopback: what it vouches for opens a session, and nothing
// else does (contract-people-payouts, section A).

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { attack } from '../../support/attacks.ts';
import { openBrowser, type TestBrowser } from '../../support/browsers.ts';
import { graphql } from '../../support/clients.ts';
import { setUpTotp, letTimePass } from '../../support/factors.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { mailsTo } from '../../support/mailbox.ts';
import { signUp, type SignedIn } from '../../support/people.ts';
import { clientOf, startProvider, type TestProvider } from '../../support/oidc/provider.ts';
import {
  answer,
  goAndComeBack,
  goesOnTo,
  headingOf,
  leave,
  open,
  questionOf,
  type Way,
} from '../../support/oidc/ways.ts';
import { newId } from '../../../src/values/id.ts';

const FINISH = 'mutation ($input: AnswerInput!) { finishSignIn(input: $input) { expiresIn } }';

let provider: TestProvider;
let gateway: BorrowedGateway;
let owner: SignedIn;
let subject: string;
let browser: TestBrowser;
let way: Way;

beforeAll(async () => {
  provider = await startProvider();
  gateway = await borrowGateway({ ...clientOf(provider), TRUST_PROXY: '127.0.0.1' });
  provider.serve(gateway);
});
afterAll(async () => {
  await gateway.stop();
  await provider.stop();
});
beforeEach(async () => {
  owner = await signUp(gateway, { isConfirmed: true });
  subject = `ann-${newId('usr')}`;
  await link(subject);
  browser = openBrowser(gateway);
  way = { gateway, provider, browser };
});

/** Makes an identity the owner's. */
const link = (sub: string) =>
  gateway.sql(
    `insert into oidc_identity (id, person_id, issuer, subject, label, created_at)
     select $1, id, $2, $3, 'ann', now() from person where email = $4`,
    [newId('idn'), provider.issuer, sub, owner.email],
  );
const whoIs = async (one: TestBrowser): Promise<string | null> =>
  ((await one.graphql('{ me { email } }')).body.data?.me.email as string | undefined) ?? null;

describe('signing in by a provider', () => {
  it('is offered to strangers by its name', async () => {
    const { body } = await graphql(gateway)('{ signInOptions { registration oidcName } }');
    expect(body.data.signInOptions).toEqual({ registration: 'OPEN', oidcName: 'Kettle ID' });
  });

  it('asks with PKCE, a state and a nonce, and opens a session for who comes back', async () => {
    const there = await leave(way);
    const asked = Object.fromEntries(there.searchParams);
    expect(asked).toMatchObject({
      ...{ client_id: 'turnpike', response_type: 'code', code_challenge_method: 'S256', scope: 'openid email' },
      redirect_uri: `${gateway.url}/auth/oidc/callback`,
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked[name]).toMatch(/^[\w.-]{40,}$/);
    const page = await open(way, await answer(way, there, { subject }), { fromElsewhere: true });
    expect([page.status, goesOnTo(page)]).toEqual([200, '/console']);
    expect(page.headers['cache-control']).toBe('no-store');
    const cookies = page.headers['set-cookie'] ?? [];
    expect(cookies.find((text) => text.startsWith('turnpike='))).toMatch(/HttpOnly; SameSite=Strict/);
    expect(await whoIs(browser)).toBe(owner.email);
    const { auditLog } = (await owner.graphql('{ auditLog(first: 1) { nodes { action } } }')).body.data;
    expect(auditLog.nodes).toEqual([{ action: 'OWNER_SIGNED_IN' }]);
  });

  it('tells of a device that is not known, and of none that is', async () => {
    const told = async () =>
      (await mailsTo(gateway, owner.email)).filter(({ template }) => template === 'NEW_DEVICE').length;
    const before = await told();
    await goAndComeBack(way, { subject });
    expect(await told()).toBe(before + 1);
    await goAndComeBack(way, { subject });
    expect(await told()).toBe(before + 1);
  });

  it('asks for a factor of their own afterwards', async () => {
    const app = await setUpTotp(owner);
    await letTimePass(gateway, app);
    const page = await goAndComeBack(way, { subject });
    expect(browser.cookies.has('turnpike')).toBe(false);
    const { id, factors } = questionOf(page);
    expect(factors).toEqual(['TOTP']);
    const { body } = await browser.graphql(FINISH, { input: { challengeId: id, code: app.code() } });
    expect(body.data.finishSignIn.expiresIn).toBeGreaterThan(0);
    expect(await whoIs(browser)).toBe(owner.email);
  });

  it('asks for a mailed code as well on an unknown device, while the account is attacked', async () => {
    await attack(gateway, owner.email);
    const { id, factors } = questionOf(await goAndComeBack(way, { subject }));
    expect([factors, browser.cookies.has('turnpike')]).toEqual([['MAIL_CODE'], false]);
    const [mail] = await mailsTo(gateway, owner.email);
    const code = /enter (\d{6})\./.exec(mail?.text ?? '')?.[1] ?? '';
    expect(
      (await browser.graphql(FINISH, { input: { challengeId: id, code } })).body.data.finishSignIn.expiresIn,
    ).toBeGreaterThan(0);
    expect(await whoIs(browser)).toBe(owner.email);
  });

  it('makes no account, and goes by no e-mail address', async () => {
    // The provider tells of the address `<subject>@id.example`.
    const stranger = newId('usr');
    await gateway.sql('update person set email = $1 where email = $2', [`${stranger}@id.example`, owner.email]);
    const page = await goAndComeBack(way, { subject: stranger });
    expect([page.status, headingOf(page)]).toEqual([403, 'Nobody here has this account']);
    expect(page.text).toContain('Your account at Kettle ID is not linked to anybody here.');
    expect(browser.cookies.has('turnpike')).toBe(false);
  });

  it('says so if somebody turns back at the provider', async () => {
    const page = await goAndComeBack(way, null);
    expect([page.status, headingOf(page)]).toEqual([401, 'You were not signed in']);
  });
});

describe('an answer of the provider', () => {
  const ended = [404, 'This sign-in has ended'];

  it('is good once: a replay opens nothing', async () => {
    const back = await answer(way, await leave(way), { subject });
    expect((await open(way, back, { fromElsewhere: true })).status).toBe(200);
    browser.cookies.delete('turnpike');
    const again = await open(way, back, { fromElsewhere: true });
    expect([again.status, headingOf(again)]).toEqual(ended);
    expect(browser.cookies.has('turnpike')).toBe(false);
  });

  it('is good once when it comes twice at a time', async () => {
    const back = await answer(way, await leave(way), { subject });
    const pages = await Promise.all([1, 2].map(() => open(way, back, { fromElsewhere: true })));
    expect(pages.map(({ status }) => status).sort()).toEqual([200, 404]);
  });

  it('is good in the browser that asked, and in no other', async () => {
    const back = await answer(way, await leave(way), { subject });
    const other = openBrowser(gateway);
    for (const one of [other, (await leave({ ...way, browser: other }), other)]) {
      const page = await open({ gateway, browser: one }, back, { fromElsewhere: true });
      expect([page.status, headingOf(page)]).toEqual(ended);
      expect(one.cookies.has('turnpike')).toBe(false);
    }
    expect((await open(way, back, { fromElsewhere: true })).status).toBe(200);
  });

  it('is refused ten minutes later, with a wrong state, and without one', async () => {
    const back = await answer(way, await leave(way), { subject });
    const changed = [back.replace(/state=../, 'state=zz'), back.replace(/state=[^&]*/, ''), '/auth/oidc/callback'];
    for (const path of changed) expect((await open(way, path, { fromElsewhere: true })).status).toBe(404);
    await gateway.sql(`update challenge set expires_at = now() where purpose = 'OIDC'`);
    const late = await open(way, back, { fromElsewhere: true });
    expect([late.status, headingOf(late)]).toEqual(ended);
  });

  it('is refused with another nonce than was asked', async () => {
    const there = await leave(way);
    there.searchParams.set('nonce', 'of somebody else');
    const page = await open(way, await answer(way, there, { subject }), { fromElsewhere: true });
    expect([page.status, headingOf(page)]).toEqual([401, 'You were not signed in']);
    expect(browser.cookies.has('turnpike')).toBe(false);
  });

  it('is refused with the code of another browser: its question had another verifier', async () => {
    const stolen =
      new URL(await answer(way, await leave(way), { subject }), gateway.url).searchParams.get('code') ?? '';
    const own = openBrowser(gateway);
    const back = await answer(way, await leave({ ...way, browser: own }), { subject });
    const path = back.replace(/code=[^&]*/, `code=${stolen}`);
    const page = await open({ gateway, browser: own }, path, { fromElsewhere: true });
    expect([page.status, headingOf(page)]).toEqual([401, 'You were not signed in']);
  });

  it('is refused if it names another issuer', async () => {
    const back = await answer(way, await leave(way), { subject });
    const path = back.replace(/iss=[^&]*/, `iss=${encodeURIComponent('https://other.example')}`);
    const page = await open(way, path, { fromElsewhere: true });
    expect([page.status, headingOf(page)]).toEqual([401, 'You were not signed in']);
    expect(browser.cookies.has('turnpike')).toBe(false);
  });
});

it('starts of strangers are bounded like other sign-ins', async () => {
  const address = '203.0.113.7';
  const limited = await borrowGateway({
    ...clientOf(provider),
    ...{ TRUST_PROXY: '127.0.0.1', RATE_LIMIT_AUTH_PER_MINUTE: '3' },
  });
  try {
    const starts = { gateway: limited, browser: openBrowser(limited) };
    const statuses: number[] = [];
    for (let nth = 0; nth < 4; nth += 1) statuses.push((await open(starts, '/auth/oidc/start', { address })).status);
    expect(statuses).toEqual([303, 303, 303, 429]);
  } finally {
    await limited.stop();
  }
});
