// Operators invite merchants: by mail, for one address, once; the only way in where registration is by invitation.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { graphql, newEmail, rest, type Answer, type Json } from '../../support/clients.ts';
import { dataOf, expectGraphQLError, expectRefusal } from '../../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { mailsTo, secretTo } from '../../support/mailbox.ts';
import { newOperator } from '../../support/operators.ts';
import { PASSWORD, signIn, signUp, type SignedIn } from '../../support/people.ts';

let gateway: BorrowedGateway;
let operator: SignedIn & { readonly id: string };

beforeAll(async () => {
  gateway = await borrowGateway({ REGISTRATION: 'invite' });
  operator = await newOperator(gateway);
});
afterAll(() => gateway.stop());

const INVITE =
  'mutation ($email: String!) { inviteMerchant(email: $email) { id email role customRole { id } invitedBy expiresAt } }';
const OFFER = 'query ($token: String!) { invitation(token: $token) { companyName email role hasAccount } }';
const ADD = `mutation ($invitation: String) { addMerchant(companyName: "Second", invitation: $invitation) { id email } }`;
const ME = '{ me { id emailVerifiedAt memberships { role merchant { companyName } } } }';

const invite = (email: string, by: SignedIn = operator): Promise<Answer> => by.graphql(INVITE, { email });
/** Invites somebody, and returns the secret that they got. */
async function invited(email: string): Promise<string> {
  expect((await invite(email)).body.data.inviteMerchant.email).toBe(email.toLowerCase());
  return await secretTo(gateway, email);
}
const register = (email: string, more: object = {}, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  rest(gateway)('POST', '/merchant/register', { email, companyName: 'Kettle', password: PASSWORD, ...more }, headers);
const offerOf = async (token: string): Promise<Json> => (await graphql(gateway)(OFFER, { token })).body.data.invitation;
const meOf = async ({ graphql: ask }: Pick<SignedIn, 'graphql'>): Promise<Json> => (await ask(ME)).body.data.me;
const merchantsOf = (email: string) =>
  gateway.sql('select id from merchant where email = $1 order by id', [email.toLowerCase()]);
/** Makes somebody who has an account, of no merchant in particular, and signs them in at one. */
async function member(): Promise<SignedIn> {
  const email = newEmail().toLowerCase();
  dataOf(await register(email, { invitation: await invited(email) }), 201);
  return await signIn(gateway, email);
}

describe('an invitation to register', () => {
  it('is a mail of the operator, whose link registers a merchant and confirms the address', async () => {
    const email = newEmail();
    const { inviteMerchant } = (await invite(email.toUpperCase())).body.data;
    expect(inviteMerchant).toMatchObject({ email: email.toLowerCase(), role: 'OWNER', customRole: null });
    expect(inviteMerchant).toMatchObject({ id: expect.stringMatching(/^ivn_/), invitedBy: operator.id });
    const days = (Date.parse(inviteMerchant.expiresAt) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
    const [mail] = await mailsTo(gateway, email);
    expect(mail).toMatchObject({ template: 'INVITATION', subject: expect.stringMatching(/^An invitation to /) });
    const invitation = await secretTo(gateway, email);
    const open = { companyName: null, email: email.toLowerCase(), role: null, hasAccount: false };
    expect(await offerOf(invitation)).toEqual(open);
    const { merchantId } = dataOf(await register(email, { invitation }), 201);
    const me = await meOf(await signIn(gateway, email));
    expect(me).toMatchObject({ emailVerifiedAt: expect.any(String), memberships: [{ role: 'OWNER' }] });
    expect((await mailsTo(gateway, email)).map(({ template }) => template)).not.toContain('VERIFY_EMAIL');
    expect(await offerOf(invitation)).toBeNull();
    const log = await gateway.sql('select actor, details from operator_log where target = $1', [inviteMerchant.id]);
    expect(log).toEqual([{ actor: operator.id, details: { email: email.toLowerCase(), isMailed: true } }]);
    expect(await merchantsOf(email)).toEqual([{ id: merchantId }]);
  });

  it('is used once, also by many at once, whatever they call themselves', async () => {
    const email = newEmail();
    const invitation = await invited(email);
    const all = await Promise.all([...'abcdef'].map(() => register(email, { invitation })));
    expect(all.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of all.filter(({ status }) => status !== 201)) expectRefusal(answer, 404, '2004');
    expect(await merchantsOf(email)).toHaveLength(1);
    expectRefusal(await register(email, { invitation }), 404, '2004');
  });

  it('is for its address alone, and not used up by another', async () => {
    const [email, other] = [newEmail(), newEmail()];
    const invitation = await invited(email);
    expectRefusal(await register(other, { invitation }), 409, '2011');
    expect(await merchantsOf(other)).toEqual([]);
    dataOf(await register(email.toUpperCase(), { invitation }), 201);
  });

  it('is refused once it is over, is of another kind, or was made up', async () => {
    const email = newEmail();
    const invitation = await invited(email);
    for (const wrong of ['x', `${invitation}x`, invitation.split('.')[0] ?? ''])
      expectRefusal(await register(email, { invitation: wrong }), 404, '2004');
    await gateway.sql(`update invitation set expires_at = now() where email = $1`, [email.toLowerCase()]);
    expectRefusal(await register(email, { invitation }), 404, '2004');
    expect(await offerOf(invitation)).toBeNull();
    // The link of a reset is signed with the same key.
    const { email: known } = await member();
    await graphql(gateway)('mutation ($email: String!) { requestPasswordReset(email: $email) }', { email: known });
    expectRefusal(await register(email, { invitation: await secretTo(gateway, known) }), 404, '2004');
  });

  it('does not make a member, and one to a merchant registers nobody', async () => {
    const email = newEmail();
    const token = await invited(email);
    const accept = `mutation ($token: String!) { acceptInvitation(token: $token, name: "Bo", password: "${PASSWORD}") { expiresAt } }`;
    expectGraphQLError(await graphql(gateway)(accept, { token }), 200, 'NOT_FOUND', '2004');
    const owner = await member();
    await owner.graphql(`mutation { confirmPassword(password: "${PASSWORD}") }`);
    const other = newEmail();
    const join = 'mutation ($email: String!) { inviteMember(input: { email: $email, role: VIEWER }) { id } }';
    await owner.graphql(join, { email: other });
    expectRefusal(await register(other, { invitation: await secretTo(gateway, other) }), 404, '2004');
  });

  it('ends with the next one to the same person, and with the rights of who made it', async () => {
    const email = newEmail();
    const first = await invited(email);
    const second = await invited(email);
    expectRefusal(await register(email, { invitation: first }), 404, '2004');
    const former = await newOperator(gateway);
    const other = newEmail();
    await invite(other, former);
    const third = await secretTo(gateway, other);
    await gateway.sql('update person set is_operator = false where id = $1', [former.id]);
    expect(await offerOf(third)).toBeNull();
    expectRefusal(await register(other, { invitation: third }), 404, '2004');
    dataOf(await register(email, { invitation: second }), 201);
  });

  it('of two made at once for one person exactly one works', async () => {
    const email = newEmail();
    const made = await Promise.all([invite(email), invite(email), invite(email)]);
    expect(made.map(({ body }) => body.data?.inviteMerchant?.email)).toEqual(Array(3).fill(email.toLowerCase()));
    const open = await gateway.sql('select id from invitation where email = $1 and ended_at is null', [
      email.toLowerCase(),
    ]);
    expect(open).toHaveLength(1);
  });

  it('is made once under one key, and used once under one key', async () => {
    const email = newEmail();
    const keyed = () => graphql(gateway, operator.token)(INVITE, { email }, { 'idempotency-key': `once ${email}` });
    const [first, second] = [await keyed(), await keyed()];
    expect(second.body.data).toEqual(first.body.data);
    expect(await mailsTo(gateway, email)).toHaveLength(1);
    const invitation = await secretTo(gateway, email);
    const headers = { 'idempotency-key': 'register' };
    const { merchantId } = dataOf(await register(email, { invitation }, headers), 201);
    expect(dataOf(await register(email, { invitation }, headers), 201)).toMatchObject({ merchantId });
  });

  it('is one of five to an address and of a hundred in a day', async () => {
    const email = newEmail();
    for (let nth = 0; nth < 5; nth += 1) await invited(email);
    expectGraphQLError(await invite(email), 200, 'BAD_USER_INPUT', '2001');
    await gateway.sql(
      `insert into invitation (id, email, role, created_at, expires_at, ended_at)
       select 'ivn_' || n, 'a' || n || '@kettle.example', 'OWNER', now(), now(), now() from generate_series(1, 100) n`,
    );
    try {
      const refused = expectGraphQLError(await invite(newEmail()), 200, 'BAD_USER_INPUT', '2001');
      expect(JSON.stringify(refused)).toContain('at most 100 invitations in a day');
    } finally {
      await gateway.sql(`delete from invitation where email like 'a%@kettle.example'`);
    }
  });
});

describe('somebody with an account', () => {
  it('makes another merchant by an invitation to their address', async () => {
    const person = await member();
    expectGraphQLError(await person.graphql(ADD), 200, 'FORBIDDEN', '1011');
    const invitation = await invited(person.email);
    expect((await offerOf(invitation)).hasAccount).toBe(true);
    expectRefusal(await register(person.email, { invitation }), 409, '2009');
    const other = await member();
    expectGraphQLError(await other.graphql(ADD, { invitation }), 200, 'CONFLICT', '2011');
    const both = await Promise.all([person.graphql(ADD, { invitation }), person.graphql(ADD, { invitation })]);
    expect(both.filter(({ body }) => body.data?.addMerchant)).toHaveLength(1);
    expect((await meOf(person)).memberships).toHaveLength(2);
  });
});

describe('where registration is by invitation', () => {
  it('nobody registers without one, whatever else they send', async () => {
    for (const sent of [{}, { invitation: null }, { email: 'none' }])
      expectRefusal(await register(newEmail(), sent), 403, '1011');
    const create = { email: newEmail(), companyName: 'Shop' };
    expectRefusal(await rest(gateway)('POST', '/merchant', create), 403, '1011');
    expectRefusal(await register(newEmail(), { invitation: 'x', password: 'short' }), 400, '2001');
    expectRefusal(await register(newEmail(), { invitation: 5 }), 400, '2001');
  });

  it('the sandbox makes merchants for tests by one as well', async () => {
    const email = newEmail();
    const made = { email, companyName: 'Shop', invitation: await invited(email) };
    expect(dataOf(await rest(gateway)('POST', '/merchant', made), 201)).toMatchObject({
      merchant: { companyName: 'Shop' },
    });
    expectRefusal(await rest(gateway)('POST', '/merchant', made), 404, '2004');
  });

  it('operators alone invite, with a confirmation', async () => {
    expectGraphQLError(await graphql(gateway)(INVITE, { email: newEmail() }), 200, 'UNAUTHENTICATED', '1001');
    expectGraphQLError(await invite(newEmail(), await member()), 200, 'FORBIDDEN', '1004');
    const unconfirmed = await newOperator(gateway);
    await gateway.sql('update owner_session set confirmed_at = null where person_id = $1', [unconfirmed.id]);
    expectGraphQLError(await invite(newEmail(), unconfirmed), 200, 'FORBIDDEN', '1010');
    expectGraphQLError(await invite('none'), 200, 'BAD_USER_INPUT', '2001');
  });
});

describe('where registration is open', () => {
  let open: BorrowedGateway;
  beforeAll(async () => {
    open = await borrowGateway();
  });
  afterAll(() => open.stop());

  it('an invitation is used as well, and one that does not fit is refused', async () => {
    const own = await newOperator(open);
    const email = newEmail();
    await invite(email, own);
    const invitation = await secretTo(open, email);
    const body = { email, companyName: 'Kettle', password: PASSWORD };
    expectRefusal(await rest(open)('POST', '/merchant/register', { ...body, invitation: 'x' }), 404, '2004');
    dataOf(await rest(open)('POST', '/merchant/register', { ...body, invitation }), 201);
    expect(await meOf(await signIn(open, email))).toMatchObject({ emailVerifiedAt: expect.any(String) });
    const { email: uninvited } = await signUp(open);
    expect(await meOf(await signIn(open, uninvited))).toMatchObject({ emailVerifiedAt: null });
  });
});

describe('where registration is closed', () => {
  let closed: BorrowedGateway;
  beforeAll(async () => {
    closed = await borrowGateway({ REGISTRATION: 'closed' });
  });
  afterAll(() => closed.stop());

  it('nobody is invited, and an invitation of before registers nobody', async () => {
    const own = await newOperator(closed);
    expectGraphQLError(await invite(newEmail(), own), 200, 'FORBIDDEN', '1011');
    const body = { email: newEmail(), companyName: 'Kettle', password: PASSWORD, invitation: 'x' };
    expectRefusal(await rest(closed)('POST', '/merchant/register', body), 403, '1011');
  });
});
