// Signing in with a second factor: authenticator apps, recovery codes, and what attackers try (contract-people-payouts,
// section A).

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { graphql, type Json } from '../../support/clients.ts';
import { expectGraphQLError } from '../../support/expectations.ts';
import { letTimePass, openApp, setUpTotp, type App } from '../../support/factors.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { confirm, PASSWORD, signUp, type SignedIn } from '../../support/people.ts';

let gateway: BorrowedGateway;
let owner: SignedIn & { readonly merchantId: string };
let app: App & { readonly id: string };

beforeAll(async () => {
  gateway = await borrowGateway();
});
beforeEach(async () => {
  owner = await signUp(gateway, { isConfirmed: true });
  app = await setUpTotp(owner);
  await letTimePass(gateway, app);
});
afterAll(() => gateway.stop());

const LOGIN = `mutation ($email: String!, $password: String!, $code: String) {
  login(email: $email, password: $password, code: $code) { accessToken }
}`;
const SIGN_IN = `mutation ($email: String!, $password: String!) {
  signIn(email: $email, password: $password) { token { accessToken } challenge { id factors passkey expiresAt } }
}`;
const FINISH = 'mutation ($input: AnswerInput!) { finishSignIn(input: $input) { accessToken } }';
const CODES = 'mutation { newRecoveryCodes }';
const ME = '{ me { heldUntil recoveryCodesLeft factors { id kind label lastUsedAt } } }';

const login = (code?: string, password = PASSWORD) =>
  graphql(gateway)(LOGIN, { email: owner.email, password, ...(code !== undefined && { code }) });
const begin = async (): Promise<Json> =>
  (await graphql(gateway)(SIGN_IN, { email: owner.email, password: PASSWORD })).body.data.signIn;
const finish = (challengeId: string, more: Json) => graphql(gateway)(FINISH, { input: { challengeId, ...more } });
const newCodes = async (): Promise<string[]> => (await owner.graphql(CODES)).body.data.newRecoveryCodes;
const me = async () => (await owner.graphql(ME)).body.data.me;
/** A code that is wrong now and for minutes. */
const wrongCode = () =>
  ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) =>
    [-2, -1, 0, 1, 2].every((step) => app.code(step) !== code),
  ) ?? '';

describe('somebody with an authenticator app', () => {
  it('is shown with it, and signs in with a code of now, of the step before and of the next', async () => {
    expect(await me()).toMatchObject({ factors: [{ id: app.id, kind: 'TOTP', label: 'Phone' }], recoveryCodesLeft: 0 });
    for (const step of [-1, 0, 1]) expect((await login(app.code(step))).body.data.login.accessToken).toMatch(/^ey/);
    const [session] = (await owner.graphql('{ sessions { factors userAgent lastSeenAt } }')).body.data.sessions;
    expect(session).toMatchObject({ factors: ['TOTP'], lastSeenAt: expect.any(String) });
  });

  it('does not get in without a code, with a wrong one, or with one of three steps ago', async () => {
    for (const code of [undefined, wrongCode(), '', app.code(-3), app.code(3), `${app.code()}0`, '２８７０８２'])
      expectGraphQLError(await login(code), 200, 'UNAUTHENTICATED', '1009');
  });

  it('is told nothing of the factor while the password is wrong', async () => {
    expectGraphQLError(await login(app.code(), 'wrong'), 200, 'UNAUTHENTICATED', '1005');
    const signIn = await graphql(gateway)(SIGN_IN, { email: owner.email, password: 'wrong' });
    expectGraphQLError(signIn, 200, 'UNAUTHENTICATED', '1005');
    expect((await login(app.code())).body.data.login).toBeTruthy();
  });

  it('uses each code once: of ten at once with the same one, one gets in', async () => {
    const code = app.code();
    const challenges = await Promise.all(Array.from({ length: 5 }, begin));
    const answers = await Promise.all(challenges.map(({ challenge }) => finish(challenge.id, { code })));
    expect(answers.filter(({ body }) => body.data !== null)).toHaveLength(1);
    for (const { body } of answers.filter(({ body: { data } }) => data === null))
      expect(body.errors[0].extensions.errorCode).toBe('1005');
    expectGraphQLError(await login(code), 200, 'UNAUTHENTICATED', '1009');
  });
});

describe('a challenge', () => {
  it('says what can answer, and is answered once', async () => {
    await newCodes();
    const { token, challenge } = await begin();
    expect([token, challenge.factors, challenge.passkey]).toEqual([null, ['TOTP', 'RECOVERY_CODE'], null]);
    expect(Date.parse(challenge.expiresAt) - Date.now()).toBeLessThanOrEqual(300_000);
    expect((await finish(challenge.id, { code: app.code() })).body.data.finishSignIn.accessToken).toMatch(/^ey/);
    await letTimePass(gateway, app);
    expectGraphQLError(await finish(challenge.id, { code: app.code() }), 200, 'NOT_FOUND', '2004');
  });

  it('takes five wrong answers and then no right one, however many come at once', async () => {
    const { challenge } = await begin();
    const tries = await Promise.all(Array.from({ length: 9 }, () => finish(challenge.id, { code: wrongCode() })));
    const codes = tries.map(({ body }) => body.errors[0].extensions.errorCode as string).sort();
    expect(codes).toEqual([...Array<string>(5).fill('1005'), ...Array<string>(4).fill('2004')]);
    expectGraphQLError(await finish(challenge.id, { code: app.code() }), 200, 'NOT_FOUND', '2004');
  });

  it('expires after five minutes', async () => {
    const { challenge } = await begin();
    await gateway.sql(`update challenge set expires_at = now() - interval '1 second' where id = $1`, [challenge.id]);
    expectGraphQLError(await finish(challenge.id, { code: app.code() }), 200, 'NOT_FOUND', '2004');
  });

  it('ends with the password that it was opened by', async () => {
    const { challenge } = await begin();
    const change = 'mutation ($p: String!) { changePassword(current: $p, password: "another good password") }';
    expect((await owner.graphql(change, { p: PASSWORD })).body.data.changePassword).toBe(true);
    expectGraphQLError(await finish(challenge.id, { code: app.code() }), 200, 'NOT_FOUND', '2004');
  });

  it('is of one purpose: one for a confirmation signs nobody in, and one of a sign-in confirms nothing', async () => {
    const start = 'mutation { startConfirmation { id factors } }';
    const { startConfirmation } = (await owner.graphql(start)).body.data;
    expectGraphQLError(await finish(startConfirmation.id, { code: app.code() }), 200, 'NOT_FOUND', '2004');
    const { challenge } = await begin();
    const input = { challengeId: challenge.id, code: app.code() };
    const answer = await owner.graphql('mutation ($input: AnswerInput!) { confirm(input: $input) }', { input });
    expectGraphQLError(answer, 200, 'NOT_FOUND', '2004');
  });

  it('that does not exist is not found, whatever the id', async () => {
    for (const id of ['chg_0', '', 'x\0', `chg_${'0'.repeat(32)}`])
      expectGraphQLError(await finish(id, { code: app.code() }), 200, 'NOT_FOUND', '2004');
  });

  it('counts unfinished and wrong sign-ins like wrong passwords, and those that finish not at all', async () => {
    for (let round = 0; round < 12; round += 1) {
      const { challenge } = await begin();
      await finish(challenge.id, { code: app.code() });
      await letTimePass(gateway, app);
    }
    for (let round = 0; round < 10; round += 1) await begin();
    const limited = await graphql(gateway)(SIGN_IN, { email: owner.email, password: PASSWORD });
    expectGraphQLError(limited, 429, 'RATE_LIMITED', '9001');
  });
});

describe('a recovery code', () => {
  it('signs in once, in any case and without its hyphens, and holds its user for a while', async () => {
    const codes = await newCodes();
    expect([codes.length, new Set(codes).size]).toEqual([10, 10]);
    for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/);
    const [first = '', second = ''] = codes;
    const typed = first.toUpperCase().replaceAll('-', '');
    expect((await login(typed)).body.data.login.accessToken).toMatch(/^ey/);
    expectGraphQLError(await login(first), 200, 'UNAUTHENTICATED', '1009');
    expect((await login(second)).body.data.login.accessToken).toMatch(/^ey/);
    expect(await me()).toMatchObject({ recoveryCodesLeft: 8 });
    const [held] = await gateway.sql<{ held: boolean }>(
      'select held_until is not null as held from person where email = $1',
      [owner.email],
    );
    expect(held?.held).toBe(true);
  });

  it('is used by one of five who answer with it at once', async () => {
    const [code = ''] = await newCodes();
    const challenges = await Promise.all(Array.from({ length: 5 }, begin));
    const answers = await Promise.all(challenges.map(({ challenge }) => finish(challenge.id, { code })));
    expect(answers.filter(({ body }) => body.data !== null)).toHaveLength(1);
  });

  it('ends when new ones are made, and with the last factor', async () => {
    const [old = ''] = await newCodes();
    const [fresh = ''] = await newCodes();
    expectGraphQLError(await login(old), 200, 'UNAUTHENTICATED', '1009');
    expect((await login(fresh)).body.data.login).toBeTruthy();
    await owner.graphql('mutation ($id: ID!) { removeFactor(id: $id) }', { id: app.id });
    expect(await me()).toMatchObject({ factors: [], recoveryCodesLeft: 0 });
    expect((await login()).body.data.login.accessToken).toMatch(/^ey/);
  });

  it('is stored as nothing that opens anything', async () => {
    const codes = await newCodes();
    const [dump] = await gateway.sql<{ all: string }>(
      `select (select json_agg(r)::text from recovery_code r) || (select json_agg(f)::text from factor f) as all`,
    );
    for (const secret of [...codes, ...codes.map((code) => code.replaceAll('-', '')), app.secret])
      expect(dump?.all).not.toContain(secret);
  });
});

describe('an invitation', () => {
  it('is not accepted with the password alone by somebody with a second factor', async () => {
    const other = await signUp(gateway, { isConfirmed: true });
    const invite = 'mutation ($input: InviteInput!) { inviteMember(input: $input) { id } }';
    await other.graphql(invite, { input: { email: owner.email, role: 'VIEWER' } });
    const { secretTo } = await import('../../support/mailbox.ts');
    const token = await secretTo(gateway, owner.email.toLowerCase());
    const accept =
      'mutation ($token: String!, $password: String) { acceptInvitation(token: $token, password: $password) { accessToken } }';
    const alone = await graphql(gateway)(accept, { token, password: PASSWORD });
    expectGraphQLError(alone, 200, 'UNAUTHENTICATED', '1009');
    expect((await owner.graphql(accept, { token })).body.data.acceptInvitation.accessToken).toMatch(/^ey/);
  });
});

describe('an authenticator app that is being set up', () => {
  const START = 'mutation { startTotp { id secret uri } }';
  const END = `mutation ($id: ID!, $code: String!) { finishTotp(id: $id, code: $code, label: "New") { id } }`;

  it('counts once it has shown a right code, in the session that began it', async () => {
    const { id, secret, uri } = (await owner.graphql(START)).body.data.startTotp;
    expect(uri).toContain(`secret=${secret as string}`);
    const other = openApp(secret as string);
    const answer = await owner.graphql(END, { id, code: wrongCode() });
    expect(answer.body.errors[0].extensions).toMatchObject({ errorCode: '2001', details: [{ path: 'code' }] });
    const again = (await login(app.code())).body.data.login.accessToken as string;
    const elsewhere = { graphql: graphql(gateway, again) };
    expectGraphQLError(await elsewhere.graphql(END, { id, code: other.code() }), 200, 'FORBIDDEN', '1010');
    expect((await owner.graphql(END, { id, code: other.code() })).body.data.finishTotp.id).toMatch(/^fct_/);
    expectGraphQLError(await owner.graphql(END, { id, code: other.code(1) }), 200, 'NOT_FOUND', '2004');
  });

  it('is the tenth at most', async () => {
    for (let more = 0; more < 9; more += 1) await setUpTotp(owner);
    await expect(setUpTotp(owner)).rejects.toThrow('at most 10 factors');
    expect((await me()).factors).toHaveLength(10);
  });

  it('needs a confirmation, and no key sets one up', async () => {
    const fresh = await signUp(gateway);
    expectGraphQLError(await fresh.graphql(START), 200, 'FORBIDDEN', '1010');
    await confirm(fresh);
    expect((await fresh.graphql(START)).body.data.startTotp.id).toMatch(/^chg_/);
  });
});
