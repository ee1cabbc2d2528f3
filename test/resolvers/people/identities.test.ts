// Identities at a provider: linked in a session that was confirmed or by an invitation, shown, unlinked, and what
// stands in for a password where there is none (contract-people-payouts, section A).

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openBrowser, type TestBrowser } from '../../support/browsers.ts';
import { graphql, newEmail, type Answer } from '../../support/clients.ts';
import { expectGraphQLError } from '../../support/expectations.ts';
import { setUpTotp } from '../../support/factors.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { mailsTo, secretTo } from '../../support/mailbox.ts';
import { clientOf, startProvider, type TestProvider } from '../../support/oidc/provider.ts';
import { answer, goAndComeBack, goesOnTo, headingOf, leave, open, type Way } from '../../support/oidc/ways.ts';
import { PASSWORD, signUp, type SignedIn } from '../../support/people.ts';
import { newId } from '../../../src/values/id.ts';

const SIGN_IN = `mutation ($email: String!, $password: String!) {
  signIn(email: $email, password: $password) { token { expiresIn } }
}`;
const CONFIRM = 'mutation ($input: AnswerInput!) { confirm(input: $input) }';
const START = 'mutation { startConfirmation { id factors startPath } }';
const LINK = 'mutation { startOidc { id startPath } }';
const ME = '{ me { email name hasPassword identities { id issuer label lastUsedAt } } }';
const REMOVE = 'mutation ($id: ID!) { removeIdentity(id: $id) }';
const INVITE = 'mutation ($input: InviteInput!) { inviteMember(input: $input) { id } }';
const START_INVITATION = 'mutation ($token: String!) { startOidcInvitation(token: $token) { startPath } }';

let provider: TestProvider;
let gateway: BorrowedGateway;
let owner: SignedIn;
let browser: TestBrowser;
let way: Way;
let subject: string;

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
  browser = openBrowser(gateway);
  await browser.graphql(SIGN_IN, { email: owner.email, password: PASSWORD });
  way = { gateway, provider, browser };
  subject = newId('usr');
});

const byPassword = (one: TestBrowser) => one.graphql(CONFIRM, { input: { password: PASSWORD } });
const identitiesOf = async (one: Pick<TestBrowser, 'graphql'>) => (await one.graphql(ME)).body.data.me.identities;
const startPathOf = ({ body }: Answer): string =>
  (Object.values(body.data)[0] as { readonly startPath: string }).startPath;
const signOut = (one: TestBrowser) => one.cookies.delete('turnpike');
async function link(): Promise<Answer> {
  await byPassword(browser);
  return await goAndComeBack(way, { subject }, startPathOf(await browser.graphql(LINK)));
}
const templatesTo = async (email: string) => (await mailsTo(gateway, email)).map(({ template }) => template);

describe('linking an identity', () => {
  it('takes a session that was confirmed, and is shown, logged and mailed', async () => {
    expectGraphQLError(await browser.graphql(LINK), 200, 'FORBIDDEN', '1010');
    const page = await link();
    expect([page.status, goesOnTo(page)]).toEqual([200, '/console/account']);
    expect(await identitiesOf(browser)).toEqual([
      { id: expect.stringMatching(/^idn_/), issuer: provider.issuer, label: expect.any(String), lastUsedAt: null },
    ]);
    expect((await templatesTo(owner.email))[0]).toBe('IDENTITY_CHANGED');
    const { auditLog } = (await owner.graphql('{ auditLog(first: 1) { nodes { action details } } }')).body.data;
    expect(auditLog.nodes[0]).toMatchObject({ action: 'IDENTITY_LINKED', details: { issuer: provider.issuer } });
    signOut(browser);
    expect(goesOnTo(await goAndComeBack(way, { subject }))).toBe('/console');
    expect((await identitiesOf(browser))[0].lastUsedAt).not.toBeNull();
  });

  it('is not for another browser, another session, or a second time', async () => {
    await byPassword(browser);
    const path = startPathOf(await browser.graphql(LINK));
    const victim = openBrowser(gateway);
    const lured = await open({ gateway, browser: victim }, path);
    expect([lured.status, headingOf(lured)]).toEqual([404, 'This sign-in has ended']);
    const other = await signUp(gateway);
    await victim.graphql(SIGN_IN, { email: other.email, password: PASSWORD });
    expect((await open({ gateway, browser: victim }, path)).status).toBe(404);
    expect((await open(way, path, { fromElsewhere: true })).status).toBe(404);
    expect((await open(way, path)).status).toBe(303);
    expect((await open(way, path)).status).toBe(404);
  });

  it('comes to nothing in a session that has ended meanwhile', async () => {
    await byPassword(browser);
    const back = await answer(way, await leave(way, startPathOf(await browser.graphql(LINK))), { subject });
    await owner.graphql('mutation { endOtherSessions }');
    expect((await open(way, back, { fromElsewhere: true })).status).toBe(401);
    expect(await identitiesOf(owner)).toEqual([]);
  });

  it('is refused for an identity that is somebody else’s', async () => {
    await link();
    const other = await signUp(gateway);
    const theirs = openBrowser(gateway);
    await theirs.graphql(SIGN_IN, { email: other.email, password: PASSWORD });
    await byPassword(theirs);
    const path = startPathOf(await theirs.graphql(LINK));
    expect((await goAndComeBack({ ...way, browser: theirs }, { subject }, path)).status).toBe(409);
    expect(await identitiesOf(theirs)).toEqual([]);
  });
});

describe('unlinking an identity', () => {
  it('takes a confirmation, and ends the way in', async () => {
    await link();
    const [{ id }] = await identitiesOf(browser);
    await gateway.sql(`update owner_session set confirmed_at = null`);
    expectGraphQLError(await browser.graphql(REMOVE, { id }), 200, 'FORBIDDEN', '1010');
    await byPassword(browser);
    expect((await browser.graphql(REMOVE, { id })).body.data).toEqual({ removeIdentity: true });
    expectGraphQLError(await browser.graphql(REMOVE, { id }), 200, 'NOT_FOUND', '2004');
    signOut(browser);
    expect((await goAndComeBack(way, { subject })).status).toBe(403);
  });

  it('leaves the last way in', async () => {
    await link();
    await gateway.sql('update person set password_hash = null where email = $1', [owner.email]);
    const [{ id }] = await identitiesOf(browser);
    expectGraphQLError(await browser.graphql(REMOVE, { id }), 200, 'CONFLICT', '2011');
    expect(await identitiesOf(browser)).toHaveLength(1);
  });

  it('happens to all when a password is reset by mail', async () => {
    await link();
    const anybody = graphql(gateway);
    await anybody('mutation ($email: String!) { requestPasswordReset(email: $email) }', { email: owner.email });
    const token = await secretTo(gateway, owner.email);
    const reset = 'mutation ($t: String!, $p: String!) { resetPassword(token: $t, password: $p) }';
    expect((await anybody(reset, { t: token, p: 'three green lamps' })).body.data.resetPassword).toBe(true);
    expect((await goAndComeBack(way, { subject })).status).toBe(403);
  });
});

describe('an e-mail address that is taken back', () => {
  it('unlinks what an intruder may have linked', async () => {
    await link();
    await byPassword(browser);
    await browser.graphql('mutation ($email: String!) { changeEmail(email: $email) }', { email: newEmail() });
    const token = await secretTo(gateway, owner.email);
    const revert = 'mutation ($token: String!) { revertEmail(token: $token) }';
    expect((await graphql(gateway)(revert, { token })).body.data.revertEmail).toBe(true);
    expect((await goAndComeBack(way, { subject })).status).toBe(403);
  });
});

describe('confirming by the provider', () => {
  /** Leaves the owner with an identity alone. */
  async function withoutPassword(): Promise<void> {
    await link();
    await gateway.sql('update person set password_hash = null where email = $1', [owner.email]);
    await gateway.sql('update owner_session set confirmed_at = null');
  }
  const asked = async () => (await browser.graphql(START)).body.data.startConfirmation;

  it('has them sign in there anew, and then takes the challenge alone', async () => {
    await withoutPassword();
    const { id, factors, startPath } = await asked();
    expect([factors, startPath]).toEqual([[], `/auth/oidc/start?challenge=${String(id)}`]);
    expectGraphQLError(await browser.graphql(CONFIRM, { input: { challengeId: id } }), 200, 'UNAUTHENTICATED', '1005');
    const there = await leave(way, startPath);
    expect(there.searchParams.get('max_age')).toBe('0');
    const page = await open(way, await answer(way, there, { subject }), { fromElsewhere: true });
    expect([page.status, headingOf(page)]).toEqual([200, 'Confirmed']);
    expectGraphQLError(await browser.graphql(LINK), 200, 'FORBIDDEN', '1010');
    const { body } = await browser.graphql(CONFIRM, { input: { challengeId: id } });
    expect(Date.parse(body.data.confirm)).toBeGreaterThan(Date.now() + 4 * 60_000);
    expect((await browser.graphql(LINK)).body.errors).toBeUndefined();
    expectGraphQLError(await browser.graphql(CONFIRM, { input: { challengeId: id } }), 200, 'NOT_FOUND', '2004');
  });

  it('refuses somebody who signed in there earlier', async () => {
    await withoutPassword();
    const { id, startPath } = await asked();
    const there = await leave(way, startPath);
    // A provider that does not ask anew.
    there.searchParams.delete('max_age');
    const back = await answer(way, there, { subject, signedInSecondsAgo: 3_600 });
    const page = await open(way, back, { fromElsewhere: true });
    expect([page.status, headingOf(page)]).toEqual([401, 'You were not signed in']);
    expectGraphQLError(await browser.graphql(CONFIRM, { input: { challengeId: id } }), 200, 'UNAUTHENTICATED', '1005');
  });

  it('refuses another identity', async () => {
    await withoutPassword();
    const { id, startPath } = await asked();
    expect((await goAndComeBack(way, { subject: newId('usr') }, startPath)).status).toBe(403);
    expectGraphQLError(await browser.graphql(CONFIRM, { input: { challengeId: id } }), 200, 'UNAUTHENTICATED', '1005');
  });

  it('is not for those with a password or a factor', async () => {
    await link();
    const { id, startPath } = await asked();
    expect(startPath).toBeNull();
    expect((await open(way, `/auth/oidc/start?challenge=${String(id)}`)).status).toBe(404);
    await byPassword(browser);
    await setUpTotp(browser);
    await gateway.sql('update person set password_hash = null where email = $1', [owner.email]);
    expect(await asked()).toMatchObject({ factors: ['TOTP'], startPath: null });
  });

  it('is in vain if they have set up a factor meanwhile', async () => {
    await withoutPassword();
    const { id, startPath } = await asked();
    await goAndComeBack(way, { subject }, startPath);
    await gateway.sql(`update owner_session set confirmed_at = now() where not by_cookie`);
    await setUpTotp(owner);
    expectGraphQLError(await browser.graphql(CONFIRM, { input: { challengeId: id } }), 200, 'UNAUTHENTICATED', '1005');
  });
});

describe('accepting an invitation', () => {
  let guest: TestBrowser;
  const invited = async (email: string): Promise<string> => {
    await owner.graphql(INVITE, { input: { email, role: 'VIEWER' } });
    return await secretTo(gateway, email);
  };
  const start = (token: string) => guest.graphql(START_INVITATION, { token });
  beforeEach(() => {
    guest = openBrowser(gateway);
  });

  it('makes somebody new, whose identity signs them in from then on', async () => {
    const email = newEmail();
    const path = startPathOf(await start(await invited(email)));
    const page = await goAndComeBack({ ...way, browser: guest }, { subject }, path);
    expect([page.status, goesOnTo(page)]).toEqual([200, '/console']);
    const { me } = (await guest.graphql(ME)).body.data;
    expect(me).toMatchObject({ email, hasPassword: false, identities: [{ issuer: provider.issuer }] });
    signOut(guest);
    expect(goesOnTo(await goAndComeBack({ ...way, browser: guest }, { subject }))).toBe('/console');
    expect((await guest.graphql(ME)).body.data.me.email).toBe(email);
  });

  it('is accepted by somebody who has the identity, if it is for their address', async () => {
    await link();
    const mine = startPathOf(await start(await invited(newEmail())));
    expect((await goAndComeBack({ ...way, browser: guest }, { subject }, mine)).status).toBe(409);
    const host = await signUp(gateway, { isConfirmed: true });
    await host.graphql(INVITE, { input: { email: owner.email, role: 'VIEWER' } });
    const path = startPathOf(await start(await secretTo(gateway, owner.email)));
    expect(goesOnTo(await goAndComeBack({ ...way, browser: guest }, { subject }, path))).toBe('/console');
    const { body } = await guest.graphql('{ me { email memberships { role } } }');
    expect(body.data.me).toEqual({ email: owner.email, memberships: [{ role: 'OWNER' }, { role: 'VIEWER' }] });
  });

  it('links nothing to an account that has the address already', async () => {
    const other = await signUp(gateway);
    const path = startPathOf(await start(await invited(other.email)));
    const page = await goAndComeBack({ ...way, browser: guest }, { subject }, path);
    expect([page.status, headingOf(page)]).toEqual([409, 'You have an account here already']);
    expect(await identitiesOf(other)).toEqual([]);
  });

  it('is for the browser that asked, for a secret that is right, and for pages of ours', async () => {
    const token = await invited(newEmail());
    const path = startPathOf(await start(token));
    const lured = openBrowser(gateway);
    expect((await open({ gateway, browser: lured }, path)).status).toBe(404);
    expect((await open({ gateway, browser: guest }, path)).status).toBe(404);
    expectGraphQLError(await start(`${token}x`), 200, 'NOT_FOUND', '2004');
    expectGraphQLError(await graphql(gateway)(START_INVITATION, { token }), 200, 'BAD_USER_INPUT', '2001');
  });
});
