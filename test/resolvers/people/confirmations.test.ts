// Confirming that it is still oneself: by a factor, or by the password where there is none (contract-people-payouts,
// section A).

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { graphql, type Json } from '../../support/clients.ts';
import { expectGraphQLError } from '../../support/expectations.ts';
import { letTimePass, setUpTotp } from '../../support/factors.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { confirm, PASSWORD, signUp, type SignedIn } from '../../support/people.ts';

let gateway: BorrowedGateway;

beforeAll(async () => {
  gateway = await borrowGateway();
});
afterAll(() => gateway.stop());

const START = 'mutation { startConfirmation { id factors passkey expiresAt } }';
const CONFIRM = 'mutation ($input: AnswerInput!) { confirm(input: $input) }';
const BY_PASSWORD = 'mutation ($password: String!) { confirmPassword(password: $password) }';
const GUARDED = 'mutation { createRole(name: "Any", permissions: [READ_PAYMENTS]) { id } }';

const start = async ({ graphql: ask }: SignedIn): Promise<Json> => (await ask(START)).body.data.startConfirmation;
const answer = ({ graphql: ask }: SignedIn, input: Json) => ask(CONFIRM, { input });

/** Somebody with an authenticator app whose session is not confirmed. */
async function guarded() {
  const owner = await signUp(gateway, { isConfirmed: true });
  const app = await setUpTotp(owner);
  await letTimePass(gateway, app);
  const login = `mutation { login(email: "${owner.email}", password: "${PASSWORD}", code: "${app.code()}") { accessToken } }`;
  const token = (await graphql(gateway)(login)).body.data.login.accessToken as string;
  await letTimePass(gateway, app);
  return { app, owner, person: { email: owner.email, token, graphql: graphql(gateway, token) } };
}

describe('somebody without a second factor', () => {
  it('confirms with the password, with or without a challenge, for five minutes', async () => {
    const owner = await signUp(gateway);
    expect((await start(owner)).factors).toEqual([]);
    expectGraphQLError(await answer(owner, { password: 'wrong' }), 200, 'UNAUTHENTICATED', '1005');
    expectGraphQLError(await owner.graphql(GUARDED), 200, 'FORBIDDEN', '1010');
    const until = (await answer(owner, { password: PASSWORD })).body.data.confirm as string;
    const left = Date.parse(until) - Date.now();
    expect([left > 290_000, left <= 301_000]).toEqual([true, true]);
    expect((await owner.graphql(GUARDED)).body.data.createRole.id).toMatch(/^rol_/);
  });
});

describe('somebody with a second factor', () => {
  it('confirms with it, and not with the password', async () => {
    const { person, app } = await guarded();
    expectGraphQLError(await person.graphql(BY_PASSWORD, { password: PASSWORD }), 200, 'UNAUTHENTICATED', '1009');
    expectGraphQLError(await answer(person, { password: PASSWORD }), 200, 'UNAUTHENTICATED', '1009');
    expectGraphQLError(await person.graphql(GUARDED), 200, 'FORBIDDEN', '1010');
    const { id: challengeId, factors } = await start(person);
    expect(factors).toEqual(['TOTP']);
    await answer(person, { challengeId, code: app.code() });
    expect((await person.graphql(GUARDED)).body.data.createRole.id).toMatch(/^rol_/);
  });

  it('answers the challenge of their own session, once', async () => {
    const { person, owner, app } = await guarded();
    const { id: challengeId } = await start(owner);
    expectGraphQLError(await answer(person, { challengeId, code: app.code() }), 200, 'NOT_FOUND', '2004');
    expect((await answer(owner, { challengeId, code: app.code() })).body.data.confirm).toBeTruthy();
    await letTimePass(gateway, app);
    expectGraphQLError(await answer(owner, { challengeId, code: app.code() }), 200, 'NOT_FOUND', '2004');
  });

  it('is asked for the challenge, and for an answer', async () => {
    const { person, app } = await guarded();
    const missing = await answer(person, { code: app.code() });
    expect(missing.body.errors[0].extensions.details[0].path).toBe('input.challengeId');
    const { id: challengeId } = await start(person);
    expectGraphQLError(await answer(person, { challengeId }), 200, 'UNAUTHENTICATED', '1005');
  });

  it('may use a recovery code, who has lost the phone; that holds them', async () => {
    const { person, owner } = await guarded();
    const [code] = (await owner.graphql('mutation { newRecoveryCodes }')).body.data.newRecoveryCodes as string[];
    const { id: challengeId, factors } = await start(person);
    expect(factors).toEqual(['TOTP', 'RECOVERY_CODE']);
    expect((await answer(person, { challengeId, code })).body.data.confirm).toBeTruthy();
    expect((await person.graphql('{ me { heldUntil } }')).body.data.me.heldUntil).toBeTruthy();
  });
});

it('signing in confirms nothing, whatever it was done with', async () => {
  const { person } = await guarded();
  expectGraphQLError(await person.graphql(GUARDED), 200, 'FORBIDDEN', '1010');
  const fresh = await signUp(gateway);
  await confirm(fresh);
  expect((await fresh.graphql(GUARDED)).body.data.createRole.id).toMatch(/^rol_/);
});
