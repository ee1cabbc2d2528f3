// Passkeys: set up, signed in with, confirmed with, and what a copy or another site can do (contract-people-payouts,
// section A). The passkey is one in software; test/web/console has a browser's.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createPasskey, type Answering, type SoftwarePasskey } from '../../support/authenticator.ts';
import { graphql, type Json } from '../../support/clients.ts';
import { expectGraphQLError } from '../../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { PASSWORD, signUp, type SignedIn } from '../../support/people.ts';

let gateway: BorrowedGateway;
let owner: SignedIn;
let passkey: SoftwarePasskey;

beforeAll(async () => {
  gateway = await borrowGateway();
});
beforeEach(async () => {
  owner = await signUp(gateway, { isConfirmed: true });
  passkey = createPasskey({ origin: gateway.url });
});
afterAll(() => gateway.stop());

const START = 'mutation { startPasskey { id factors passkey } }';
const FINISH = `mutation ($input: AnswerInput!) {
  finishPasskey(input: $input, label: "Laptop") { id kind label lastUsedAt }
}`;
const ALONE = 'mutation { startPasskeySignIn { id factors passkey } }';
const SIGN_IN = `mutation ($email: String!, $password: String!) {
  signIn(email: $email, password: $password) { token { accessToken } challenge { id factors passkey } }
}`;
const FINISH_SIGN_IN = 'mutation ($input: AnswerInput!) { finishSignIn(input: $input) { accessToken } }';

const ask = (document: string, variables?: Json) => graphql(gateway)(document, variables);

async function setUp(by: SignedIn = owner, how: Answering = {}) {
  const { id, passkey: options } = (await by.graphql(START)).body.data.startPasskey;
  return by.graphql(FINISH, { input: { challengeId: id, passkey: passkey.create(options, how) } });
}

/** Signs in with the passkey alone. */
async function enter(how: Answering = {}, by: SoftwarePasskey = passkey) {
  const { id, passkey: options } = (await ask(ALONE)).body.data.startPasskeySignIn;
  return ask(FINISH_SIGN_IN, { input: { challengeId: id, passkey: by.sign(options, how) } });
}

const wrong = async (answer: ReturnType<typeof enter>) =>
  expectGraphQLError(await answer, 200, 'UNAUTHENTICATED', '1005');

describe('a passkey', () => {
  it('is set up, and then signs in alone', async () => {
    const { finishPasskey } = (await setUp()).body.data;
    expect(finishPasskey).toMatchObject({ kind: 'PASSKEY', label: 'Laptop', lastUsedAt: null });
    const token = (await enter()).body.data.finishSignIn.accessToken as string;
    const { me, sessions } = (
      await graphql(gateway, token)('{ me { email factors { lastUsedAt } } sessions { factors } }')
    ).body.data;
    expect(me).toMatchObject({ email: owner.email, factors: [{ lastUsedAt: expect.any(String) }] });
    expect(sessions[0].factors).toEqual(['PASSKEY']);
  });

  it('is asked for after the password, and only one of that person', async () => {
    await setUp();
    const { challenge } = (await ask(SIGN_IN, { email: owner.email, password: PASSWORD })).body.data.signIn;
    expect(challenge.factors).toEqual(['PASSKEY']);
    expect(challenge.passkey.allowCredentials).toMatchObject([{ id: passkey.id }]);
    const other = createPasskey({ origin: gateway.url });
    const mine = passkey;
    passkey = other;
    await setUp(await signUp(gateway, { isConfirmed: true }));
    const finish = (by: SoftwarePasskey) =>
      ask(FINISH_SIGN_IN, { input: { challengeId: challenge.id, passkey: by.sign(challenge.passkey) } });
    await wrong(finish(other));
    expect((await finish(mine)).body.data.finishSignIn.accessToken).toMatch(/^ey/);
  });

  it('confirms a session', async () => {
    await setUp();
    const { id, passkey: options } = (await owner.graphql('mutation { startConfirmation { id factors passkey } }')).body
      .data.startConfirmation;
    const input = { challengeId: id, passkey: passkey.sign(options) };
    const answer = await owner.graphql('mutation ($input: AnswerInput!) { confirm(input: $input) }', { input });
    expect(answer.body.data.confirm).toBeTruthy();
  });

  it('is refused from another site, for another site, and without the PIN or finger of its owner', async () => {
    await setUp();
    await wrong(enter({ origin: 'https://turnpike.example' }));
    await wrong(enter({ rpId: 'turnpike.example' }));
    await wrong(enter({ isVerified: false }));
    expect((await enter()).body.data.finishSignIn.accessToken).toMatch(/^ey/);
  });

  it('is refused when its counter goes back or stands still, as that of a copy does', async () => {
    await setUp();
    expect((await enter({ counter: 40 })).body.data.finishSignIn).toBeTruthy();
    await wrong(enter({ counter: 39 }));
    await wrong(enter({ counter: 40 }));
    await wrong(enter({ counter: 0 }));
    expect((await enter({ counter: 41 })).body.data.finishSignIn).toBeTruthy();
  });

  it('may show 0 for ever, as those that many devices share do', async () => {
    await setUp(owner, { counter: 0 });
    for (let time = 0; time < 2; time += 1)
      expect((await enter({ counter: 0 })).body.data.finishSignIn.accessToken).toMatch(/^ey/);
  });

  it('signs one challenge once', async () => {
    await setUp();
    const { id, passkey: options } = (await ask(ALONE)).body.data.startPasskeySignIn;
    const input = { challengeId: id, passkey: passkey.sign(options) };
    expect((await ask(FINISH_SIGN_IN, { input })).body.data.finishSignIn.accessToken).toMatch(/^ey/);
    expectGraphQLError(await ask(FINISH_SIGN_IN, { input }), 200, 'NOT_FOUND', '2004');
    const another = (await ask(ALONE)).body.data.startPasskeySignIn.id as string;
    await wrong(ask(FINISH_SIGN_IN, { input: { ...input, challengeId: another } }));
  });

  it('that nobody set up signs nobody in, and rubbish is a wrong answer', async () => {
    await wrong(enter({}, createPasskey({ origin: gateway.url })));
    for (const rubbish of [{}, { id: 1 }, { id: 'x\0' }, { id: passkey.id, response: null }, { id: [] }]) {
      const { id } = (await ask(ALONE)).body.data.startPasskeySignIn;
      await wrong(ask(FINISH_SIGN_IN, { input: { challengeId: id, passkey: rubbish } }));
    }
  });

  it('stays while it is the last way to sign in', async () => {
    const first = (await setUp()).body.data.finishPasskey.id as string;
    await gateway.sql('update person set password_hash = null where email = $1', [owner.email]);
    const remove = (id: string) => owner.graphql('mutation ($id: ID!) { removeFactor(id: $id) }', { id });
    expectGraphQLError(await remove(first), 200, 'CONFLICT', '2011');
    passkey = createPasskey({ origin: gateway.url });
    const second = (await setUp()).body.data.finishPasskey.id as string;
    const [one, other] = await Promise.all([remove(first), remove(second)]);
    expect([one, other].map(({ body }) => body.data?.removeFactor).filter(Boolean)).toEqual([true]);
    const kinds = (await owner.graphql('{ me { factors { kind } } }')).body.data.me.factors;
    expect(kinds).toEqual([{ kind: 'PASSKEY' }]);
  });

  it('is set up once, for one person, by a right answer of the same session', async () => {
    expect((await setUp()).body.data.finishPasskey.id).toMatch(/^fct_/);
    const again = await setUp(await signUp(gateway, { isConfirmed: true }));
    expect(again.body.errors[0].extensions.details[0]).toEqual({ path: 'input.passkey', message: 'was set up before' });
    for (const how of [{ origin: 'https://turnpike.example' }, { rpId: 'x.example' }, { isVerified: false }]) {
      passkey = createPasskey({ origin: gateway.url });
      expect((await setUp(owner, how)).body.errors[0].extensions.details[0].path).toBe('input.passkey');
    }
    const { id, passkey: options } = (await owner.graphql(START)).body.data.startPasskey;
    const stranger = await signUp(gateway, { isConfirmed: true });
    const input = { challengeId: id, passkey: passkey.create(options) };
    expectGraphQLError(await stranger.graphql(FINISH, { input }), 200, 'NOT_FOUND', '2004');
  });
});
