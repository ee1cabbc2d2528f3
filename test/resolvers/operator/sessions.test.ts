// Operators' sessions: who gets one, that it does nothing of merchants, and that theirs do nothing of operators
// (contract-people-payouts, section B).

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { graphql, newMerchant, rest, type Answer, type TestMerchant } from '../../support/clients.ts';
import { expectGraphQLError, expectRefusal } from '../../support/expectations.ts';
import { letTimePass, setUpTotp } from '../../support/factors.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { addPerson, askAsOperator, newOperator } from '../../support/operators.ts';
import { confirm, PASSWORD, signIn, signUp, type SignedIn } from '../../support/people.ts';

let gateway: BorrowedGateway;
let shop: TestMerchant;
let operator: SignedIn & { readonly id: string };

beforeAll(async () => {
  gateway = await borrowGateway();
  shop = await newMerchant(gateway);
});
beforeEach(async () => {
  operator = await newOperator(gateway);
});
afterAll(() => gateway.stop());

const FREEZES = '{ payoutFreezes { id } }';
const FREEZE = 'mutation ($input: FreezeInput!) { freezePayouts(input: $input) { id createdBy reason } }';
const FINISH = 'mutation ($input: AnswerInput!) { finishSignIn(input: $input) { accessToken } }';
const logged = (actor: string) =>
  gateway.sql<{ action: string; target: string | null }>(
    'select action, target from operator_log where actor = $1 order by id',
    [actor],
  );
/** What no permission would help with. */
const refusals: Readonly<Record<string, string>> = {
  PEOPLE: "Only the account's owner and its members may do this, signed in",
};
const refused = (answer: Answer, permission: string) =>
  expect(expectGraphQLError(answer, 200, 'FORBIDDEN', '1004').message).toBe(
    refusals[permission] ?? `Missing permission: ${permission}`,
  );
/** Ends everything about a session but its time. */
const age = (column: string, minutes: number) =>
  gateway.sql(
    `update owner_session set ${column} = ${column} - $2 * interval '1 minute' where person_id = $1 and operator`,
    [operator.id, minutes],
  );

describe('somebody who is flagged as an operator', () => {
  it('signs in as one for eight hours, with a token that says nothing, and sees who they are', async () => {
    const { body } = await askAsOperator(gateway, operator.email);
    const { token, challenge } = body.data.signIn;
    expect([challenge, token.expiresIn, token.permissions]).toEqual([null, 8 * 3_600, []]);
    expect(token.accessToken).toMatch(/^op_ses_[0-9a-z]+\.[\w-]+$/);
    const me = '{ me { id email memberships { role } factors { id } } }';
    const expected = { id: operator.id, email: operator.email, memberships: [], factors: [] };
    expect((await graphql(gateway, token.accessToken)(me)).body.data.me).toEqual(expected);
    expect((await logged(operator.id)).map(({ action }) => action)).toEqual(['OPERATOR_SIGNED_IN', 'OPERATOR_SIGNED_IN']); // prettier-ignore
  });

  it('is asked for their second factor, and opens a session of the kind that was asked for', async () => {
    const app = await setUpTotp(operator);
    await letTimePass(gateway, app);
    const { challenge, token } = (await askAsOperator(gateway, operator.email)).body.data.signIn;
    expect([token, challenge.factors]).toEqual([null, ['TOTP']]);
    const answer = { challengeId: challenge.id, code: app.code() };
    const { accessToken } = (await graphql(gateway)(FINISH, { input: answer })).body.data.finishSignIn;
    expect((await graphql(gateway, accessToken)(FREEZES)).body.data.payoutFreezes).toEqual([]);
    expect((await logged(operator.id)).map(({ action }) => action)).toContain('FACTOR_ADDED');
  });

  it('does nothing of merchants, not even of their own, by any transport', async () => {
    const asked = [
      '{ merchant { id } }',
      '{ walletBalances { currency } }',
      '{ sessions { id } }',
      '{ members { id } }',
    ];
    const names = ['PEOPLE', 'READ_WALLET', 'PEOPLE', 'MANAGE_PEOPLE'];
    for (const [nth, query] of asked.entries()) refused(await operator.graphql(query), names[nth] ?? '');
    refused(await operator.graphql('mutation { addMerchant(companyName: "Mine") { id } }'), 'PEOPLE');
    expectRefusal(await rest(gateway, operator.token)('GET', '/wallet/balance'), 403, '1004');
    const member = await signUp(gateway);
    await gateway.sql('insert into membership (merchant_id, person_id, role, created_at) values ($1, $2, $3, now())', [
      member.merchantId,
      ...[operator.id, 'OWNER'],
    ]);
    refused(await operator.graphql(`mutation { switchMerchant(merchantId: "${member.merchantId}") { accessToken } }`), 'PEOPLE'); // prettier-ignore
    refused(await operator.graphql('{ members { id } }'), 'MANAGE_PEOPLE');
  });

  it('has to confirm before they change something, each time anew', async () => {
    const { body } = await askAsOperator(gateway, operator.email);
    const fresh = graphql(gateway, body.data.signIn.token.accessToken as string);
    const input = { network: 'SOL', currency: 'USDC', reason: 'a drill' };
    expectGraphQLError(await fresh(FREEZE, { input }), 200, 'FORBIDDEN', '1010');
    await confirm({ graphql: fresh });
    const made = (await fresh(FREEZE, { input })).body.data.freezePayouts;
    expect(made).toMatchObject({ createdBy: operator.id, reason: 'a drill' });
    expect((await fresh(`mutation { liftFreeze(id: "${String(made.id)}") }`)).body.data.liftFreeze).toBe(true);
  });

  it('repeats a call with its Idempotency-Key, which another operator does not share', async () => {
    const headers = { 'idempotency-key': 'freeze-1' };
    const input = { network: 'SOL', currency: 'USDC', reason: 'a drill' };
    const [one, two] = [await operator.graphql(FREEZE, { input }, headers), await operator.graphql(FREEZE, { input }, headers)]; // prettier-ignore
    expect(two.body.data.freezePayouts.id).toBe(one.body.data.freezePayouts.id);
    expect(two.headers['idempotent-replayed']).toBe('true');
    const other = await newOperator(gateway);
    const theirs = await other.graphql(FREEZE, { input }, headers);
    for (const { body } of [one, theirs])
      await operator.graphql(`mutation { liftFreeze(id: "${String(body.data.freezePayouts.id)}") }`);
    expect(theirs.body.data.freezePayouts.id).not.toBe(one.body.data.freezePayouts.id);
  });
});

describe('somebody who is none', () => {
  it('does nothing of operators, whatever they may do at a merchant', async () => {
    const owner = await signUp(gateway, { isConfirmed: true });
    refused(await owner.graphql(FREEZES), 'OPERATOR');
    refused(await owner.graphql(FREEZE, { input: { reason: 'mine' } }), 'OPERATOR');
    refused(await shop.graphql(FREEZES), 'OPERATOR');
    expectGraphQLError(await graphql(gateway)(FREEZES), 200, 'UNAUTHENTICATED', '1001');
  });

  it('is told so once their password was right, and nothing before', async () => {
    const { email } = await addPerson(gateway);
    refused(await askAsOperator(gateway, email), 'OPERATOR');
    const wrong = `mutation { signIn(email: "${operator.email}", password: "wrong", operator: true) { challenge { id } } }`;
    expectGraphQLError(await graphql(gateway)(wrong), 200, 'UNAUTHENTICATED', '1005');
  });

  it('does nothing of operators in a session of a merchant, though they are one as well', async () => {
    const owner = await signUp(gateway, { isConfirmed: true });
    await gateway.sql('update person set is_operator = true where email = $1', [owner.email.toLowerCase()]);
    refused(await owner.graphql(FREEZES), 'OPERATOR');
    refused(await (await signIn(gateway, owner.email)).graphql(FREEZES), 'OPERATOR');
  });
});

describe('a session of an operator', () => {
  const expectEnded = async () => expectGraphQLError(await operator.graphql(FREEZES), 401, 'UNAUTHENTICATED', '1002');

  it('ends after eight hours, and after half an hour without a call', async () => {
    await age('last_seen_at', 29);
    expect((await operator.graphql(FREEZES)).body.data.payoutFreezes).toEqual([]);
    await age('last_seen_at', 31);
    await expectEnded();
    operator = await newOperator(gateway);
    await age('expires_at', 8 * 60);
    await expectEnded();
  });

  it('ends with the flag, by signing out, and with a changed password', async () => {
    await gateway.sql('update person set is_operator = false where id = $1', [operator.id]);
    await expectEnded();
    operator = await newOperator(gateway);
    expect((await operator.graphql('mutation { logout }')).body.data.logout).toBe(true);
    await expectEnded();
    expect((await logged(operator.id)).map(({ action }) => action)).toEqual(['OPERATOR_SIGNED_IN', 'OWNER_SIGNED_OUT']);
  });

  it('has a token that nobody makes up, and that sockets and other bearers do not take for one', async () => {
    const [id = '', digest = ''] = operator.token.split('.');
    const other = (await newOperator(gateway)).token.split('.')[1] ?? '';
    for (const token of [`${id}.${other}`, id, `op_.${digest}`, `${operator.token}.x`, operator.token.slice(3), 'op_'])
      expectGraphQLError(await graphql(gateway, token)(FREEZES), 401, 'UNAUTHENTICATED', '1002');
  });

  it('is kept in a cookie of its own for its own page, and a page gets no session of the other kind', async () => {
    const origin = new URL(gateway.url).origin;
    const page = { 'turnpike-session': 'operator', origin };
    const opened = await askAsOperator(gateway, operator.email, page);
    expect(opened.body.data.signIn.token.accessToken).toBe('');
    const [cookie = ''] = opened.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^turnpike-operator=op_ses_[^;]+; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/);
    const sent = { cookie: cookie.split(';')[0] ?? '' };
    expect((await graphql(gateway)(FREEZES, {}, { ...page, ...sent })).body.data.payoutFreezes).toEqual([]);
    const consoles = { ...sent, 'turnpike-session': 'cookie', origin };
    expectGraphQLError(await graphql(gateway)(FREEZES, {}, consoles), 200, 'UNAUTHENTICATED', '1001');
    const foreign = { ...page, ...sent, origin: 'https://evil.example' };
    expect((await graphql(gateway)(FREEZES, {}, foreign)).body.data?.payoutFreezes).toBeUndefined();
    const mixed = await askAsOperator(gateway, operator.email, { 'turnpike-session': 'cookie', origin });
    expectGraphQLError(mixed, 200, 'BAD_USER_INPUT', '2001');
    const login = 'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) { accessToken } }'; // prettier-ignore
    const owner = await signUp(gateway);
    const wrong = await graphql(gateway)(login, { email: owner.email, password: PASSWORD }, page);
    expectGraphQLError(wrong, 200, 'BAD_USER_INPUT', '2001');
    expect(wrong.headers['set-cookie']).toBeUndefined();
  });
});

describe('where operators may only call from some addresses', () => {
  it('nobody signs in as one from elsewhere (1003), and a session is used from there only', async () => {
    const far = await borrowGateway({ OPERATOR_ADDRESSES: '192.0.2.0/24, 2001:db8::/32' });
    try {
      const { email } = await addPerson(far, { isOperator: true });
      expectGraphQLError(await askAsOperator(far, email), 200, 'FORBIDDEN', '1003');
      const passkey = 'mutation { startPasskeySignIn(operator: true) { id } }';
      expectGraphQLError(await graphql(far)(passkey), 200, 'FORBIDDEN', '1003');
      expect((await graphql(far)('mutation { startPasskeySignIn { id } }')).body.data.startPasskeySignIn.id).toMatch(/^chg_/); // prettier-ignore
    } finally {
      await far.stop();
    }
  });
});
