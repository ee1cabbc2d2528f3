// Invitations: by mail, for those who were invited alone, once, and never for more than the inviter may still give.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { graphql, newEmail, rest, type Answer, type Json } from '../../support/clients.ts';
import { dataOf, expectGraphQLError } from '../../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { mailsTo, secretTo } from '../../support/mailbox.ts';
import { confirm, join, PASSWORD, signIn, signUp, type SignedIn } from '../../support/people.ts';

let gateway: BorrowedGateway;
let owner: SignedIn & { readonly merchantId: string };

beforeAll(async () => {
  gateway = await borrowGateway();
});
beforeEach(async () => {
  owner = await signUp(gateway, { isConfirmed: true });
});
afterAll(() => gateway.stop());

const INVITE = 'mutation ($input: InviteInput!) { inviteMember(input: $input) { id email role invitedBy expiresAt } }';
const ACCEPT = `mutation ($token: String!, $name: String, $password: String) {
  acceptInvitation(token: $token, name: $name, password: $password) { accessToken permissions }
}`;
const OFFER = 'query ($token: String!) { invitation(token: $token) { companyName email role hasAccount } }';

const invite = (input: object, by: Pick<SignedIn, 'graphql'> = owner): Promise<Answer> => by.graphql(INVITE, { input });
const accept = (token: string, more: object = {}): Promise<Answer> => graphql(gateway)(ACCEPT, { token, ...more });
const offerOf = async (token: string): Promise<Json> => (await graphql(gateway)(OFFER, { token })).body.data.invitation;
const gone = (answer: Answer) => expectGraphQLError(answer, 200, 'NOT_FOUND', '2004');
/** Invites somebody new, and returns their address in lower case with the secret that they got. */
async function invited(role = 'VIEWER', email = newEmail().toUpperCase()): Promise<{ email: string; token: string }> {
  expect((await invite({ email, role })).body.data.inviteMember.email).toBe(email.toLowerCase());
  return { email: email.toLowerCase(), token: await secretTo(gateway, email) };
}

describe('an invitation', () => {
  it('is a mail with a link, by which somebody new becomes a person and a member', async () => {
    const { email, token } = await invited('ACCOUNTANT');
    const [mail] = await mailsTo(gateway, email);
    expect(mail).toMatchObject({ template: 'INVITATION', subject: 'Shop invites you to Turnpike' });
    expect(await offerOf(token)).toEqual({ companyName: 'Shop', email, role: 'ACCOUNTANT', hasAccount: false });
    const answer = await accept(token, { name: 'Bo', password: 'a password of their own' });
    const { accessToken, permissions } = answer.body.data.acceptInvitation;
    expect(permissions).toEqual(['READ_PAYMENTS', 'READ_WALLET', 'WITHDRAW', 'READ_REPORTS']);
    dataOf(await rest(gateway, accessToken)('GET', '/wallet/balance'));
    const { me } = (await graphql(gateway, accessToken)('{ me { name emailVerifiedAt } }')).body.data;
    expect(me).toEqual({ name: 'Bo', emailVerifiedAt: expect.any(String) });
    expect((await owner.graphql('{ members { email role } invitations { id } }')).body.data).toEqual({
      members: [
        { email: owner.email, role: 'OWNER' },
        { email, role: 'ACCOUNTANT' },
      ],
      invitations: [],
    });
  });

  it('is accepted by somebody with an account by their password, or as who is signed in', async () => {
    for (const way of ['password', 'session']) {
      const other = await signUp(gateway);
      const { token } = await invited('SUPPORT', other.email);
      expect((await offerOf(token)).hasAccount).toBe(true);
      if (way === 'password') {
        const wrong = await accept(token, { password: 'not their password' });
        expectGraphQLError(wrong, 200, 'UNAUTHENTICATED', '1005');
      }
      const answer =
        way === 'password' ? await accept(token, { password: PASSWORD }) : await other.graphql(ACCEPT, { token });
      const there = graphql(gateway, answer.body.data.acceptInvitation.accessToken);
      expect((await there('{ merchant { id } }')).body.data.merchant.id).toBe(owner.merchantId);
    }
  });

  it('is nobody else’s: who is signed in as another person is refused, and it stays open', async () => {
    const { token } = await invited();
    const stranger = await signUp(gateway);
    expectGraphQLError(await stranger.graphql(ACCEPT, { token }), 200, 'CONFLICT', '2011');
    expect(await offerOf(token)).not.toBeNull();
  });

  it('is used once, of two at once by one', async () => {
    const { token } = await invited();
    const both = await Promise.all([1, 2].map(() => accept(token, { password: 'a password of their own' })));
    expect(both.map(({ body }) => body.data?.acceptInvitation != null).sort()).toEqual([false, true]);
    gone(await accept(token, { password: 'a password of their own' }));
    expect(await offerOf(token)).toBeNull();
  });

  it('ends when it is revoked, when it is replaced, and after seven days', async () => {
    const revoked = await invited();
    const { invitations } = (await owner.graphql('{ invitations { id email } }')).body.data;
    const end = 'mutation ($id: ID!) { revokeInvitation(id: $id) }';
    expect((await owner.graphql(end, { id: invitations[0].id })).body.data).toEqual({ revokeInvitation: true });
    gone(await owner.graphql(end, { id: invitations[0].id }));
    const replaced = await invited();
    const again = await invited('SUPPORT', replaced.email);
    const late = await invited();
    await gateway.sql(`update invitation set expires_at = now() - interval '1 second' where email = $1`, [late.email]);
    for (const { token } of [revoked, replaced, late]) {
      expect(await offerOf(token)).toBeNull();
      gone(await accept(token, { password: 'a password of their own' }));
    }
    expect((await offerOf(again.token)).role).toBe('SUPPORT');
  });

  it('ends with what its maker could give: no admin who was demoted lets anybody in', async () => {
    const { id, email } = await join(gateway, { merchantId: owner.merchantId, role: 'ADMIN' });
    const admin = await signIn(gateway, email);
    await confirm(admin);
    const [first, second] = [newEmail(), newEmail()];
    for (const to of [first, second]) await invite({ email: to, role: 'VIEWER' }, admin);
    const change = 'mutation ($id: ID!, $role: Role!) { changeMember(id: $id, role: $role) { id } }';
    await owner.graphql(change, { id, role: 'SUPPORT' });
    gone(await accept(await secretTo(gateway, first), { password: 'a password of their own' }));
    await owner.graphql('mutation ($id: ID!) { removeMember(id: $id) }', { id });
    gone(await accept(await secretTo(gateway, second), { password: 'a password of their own' }));
  });

  it('offers nothing that its maker lacks, and no member twice', async () => {
    const { email } = await join(gateway, { merchantId: owner.merchantId, role: 'ADMIN' });
    const admin = await signIn(gateway, email);
    expectGraphQLError(await invite({ email: newEmail(), role: 'VIEWER' }, admin), 200, 'FORBIDDEN', '1010');
    await confirm(admin);
    const tooMuch = await invite({ email: newEmail(), role: 'OWNER' }, admin);
    expect(expectGraphQLError(tooMuch, 200, 'FORBIDDEN', '1004').message).toBe("Only the account's owner may do this");
    expectGraphQLError(await invite({ email: owner.email.toUpperCase(), role: 'VIEWER' }), 200, 'CONFLICT', '2011');
    const custom = await invite({ email: newEmail(), role: 'CUSTOM', roleId: 'rol_0' });
    expectGraphQLError(custom, 200, 'BAD_USER_INPUT', '2001');
  });

  it('is made once under one key', async () => {
    const input = { email: newEmail(), role: 'VIEWER' };
    const keyed = () => graphql(gateway, owner.token)(INVITE, { input }, { 'idempotency-key': 'once' });
    const [first, second] = [await keyed(), await keyed()];
    expect(second.body.data).toEqual(first.body.data);
    expect(await mailsTo(gateway, input.email)).toHaveLength(1);
  });

  it('is one of fifty that are open, and of a hundred in a day', async () => {
    const fill = (count: number, endedAt: string | null) =>
      gateway.sql(
        `insert into invitation (id, merchant_id, email, role, created_at, expires_at, ended_at)
         select $1 || n, $1, $1 || n, 'VIEWER', now(), now() + interval '1 day', $3 from generate_series(1, $2::int) n`,
        [owner.merchantId, count, endedAt],
      );
    await fill(50, null);
    expectGraphQLError(await invite({ email: newEmail(), role: 'VIEWER' }), 200, 'BAD_USER_INPUT', '2001');
    await gateway.sql('update invitation set ended_at = now() where merchant_id = $1', [owner.merchantId]);
    expect((await invite({ email: newEmail(), role: 'VIEWER' })).body.errors).toBeUndefined();
    await gateway.sql('delete from invitation where merchant_id = $1', [owner.merchantId]);
    await fill(100, '2026-01-01');
    expectGraphQLError(await invite({ email: newEmail(), role: 'VIEWER' }), 200, 'BAD_USER_INPUT', '2001');
  });

  it('of a forged link is none', async () => {
    const { token } = await invited();
    for (const forged of [`${token}x`, token.replace(/^ivn_./, 'ivn_z'), token.split('.')[0] ?? '', '', 'a.b']) {
      expect(await offerOf(forged)).toBeNull();
      gone(await accept(forged, { password: 'a password of their own' }));
    }
    const weak = await accept(token, { password: 'short' });
    expectGraphQLError(weak, 200, 'BAD_USER_INPUT', '2001');
    expectGraphQLError(await accept(token), 200, 'BAD_USER_INPUT', '2001');
  });
});
