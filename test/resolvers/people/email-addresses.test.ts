// The address that somebody signs in with: confirmed by mail, changed, and brought back by its true owner, whatever an
// intruder in their session has done meanwhile.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { graphql, newEmail, rest, type Answer } from '../../support/clients.ts';
import { dataOf, expectGraphQLError, expectRefusal } from '../../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { mailsTo, secretTo } from '../../support/mailbox.ts';
import { confirm, PASSWORD, signIn, signUp, type SignedIn } from '../../support/people.ts';
import { untilPasses } from '../../support/until.ts';

let gateway: BorrowedGateway;
beforeAll(async () => {
  gateway = await borrowGateway();
});
afterAll(() => gateway.stop());

const CHANGE = 'mutation ($email: String!) { changeEmail(email: $email) }';
const change = ({ graphql: ask }: Pick<SignedIn, 'graphql'>, email: string): Promise<Answer> => ask(CHANGE, { email });
const verify = (token: string): Promise<Answer> =>
  graphql(gateway)('mutation ($token: String!) { verifyEmail(token: $token) }', { token });
const revert = (token: string): Promise<Answer> =>
  graphql(gateway)('mutation ($token: String!) { revertEmail(token: $token) }', { token });
const register = (email: string): Promise<Answer> =>
  rest(gateway)('POST', '/merchant/register', { email, companyName: 'Shop', password: PASSWORD });
const profileOf = async ({ graphql: ask }: Pick<SignedIn, 'graphql'>) =>
  (await ask('{ me { email emailVerifiedAt heldUntil } merchant { email } }')).body.data;
const gone = (answer: Answer) => expectGraphQLError(answer, 200, 'NOT_FOUND', '2004');
const taken = (answer: Answer) => expectGraphQLError(answer, 200, 'CONFLICT', '2009');
const newAddress = () => newEmail().toLowerCase();

/** Somebody who has changed their address, with the link that takes the change back. */
async function moved() {
  const owner = await signUp(gateway, { isConfirmed: true });
  const [old, email] = [owner.email.toLowerCase(), newAddress()];
  expect((await change(owner, email)).body.data).toEqual({ changeEmail: true });
  return { owner, old, email, back: await secretTo(gateway, old) };
}

describe('an address', () => {
  it('is confirmed by the link that registering mails, once', async () => {
    const owner = await signUp(gateway);
    expect((await profileOf(owner)).me.emailVerifiedAt).toBeNull();
    const [mail] = await mailsTo(gateway, owner.email);
    expect(mail).toMatchObject({ template: 'VERIFY_EMAIL', subject: 'Confirm your e-mail address' });
    expect(mail?.text).toContain('/console/verify#tok_');
    const token = await secretTo(gateway, owner.email);
    const both = await Promise.all([verify(token), verify(token)]);
    expect(both.map(({ body }) => body.data?.verifyEmail === true).sort()).toEqual([false, true]);
    expect((await profileOf(owner)).me.emailVerifiedAt).toEqual(expect.any(String));
    gone(await verify(token));
  });

  it('is not confirmed by a link that is old, forged, or of another kind', async () => {
    const { back } = await moved();
    const owner = await signUp(gateway);
    const token = await secretTo(gateway, owner.email);
    for (const wrong of [`${token}x`, token.split('.')[0] ?? '', '', 'tok_0.0', back]) gone(await verify(wrong));
    gone(await revert(token));
    const [id] = token.split('.');
    const [link] = await gateway.sql<{ hours: string }>(
      'select extract(epoch from expires_at - created_at) / 3600 as hours from mail_link where id = $1',
      [id],
    );
    expect(Number(link?.hours)).toBe(24);
    await gateway.sql(`update mail_link set expires_at = now() - interval '1 second' where id = $1`, [id]);
    gone(await verify(token));
    expect((await profileOf(owner)).me.emailVerifiedAt).toBeNull();
  });

  it('gets another link for the asking while it is not confirmed, five in an hour', async () => {
    const owner = await signUp(gateway, { isConfirmed: true });
    for (let nth = 0; nth < 4; nth += 1)
      expect((await change(owner, owner.email)).body.data).toEqual({ changeEmail: true });
    expectGraphQLError(await change(owner, owner.email), 429, 'RATE_LIMITED', '9001');
    const mails = await mailsTo(gateway, owner.email);
    expect(mails.map(({ template }) => template)).toEqual(Array.from({ length: 5 }, () => 'VERIFY_EMAIL'));
    await verify(await secretTo(gateway, owner.email));
    expect((await change(owner, owner.email)).body.data).toEqual({ changeEmail: true });
    expect(await mailsTo(gateway, owner.email)).toHaveLength(5);
  });
});

describe('a change', () => {
  it('holds at once, for the merchant too, and is mailed to both addresses', async () => {
    const { owner, old, email } = await moved();
    const { me, merchant } = await profileOf(owner);
    expect([me.email, merchant.email, me.emailVerifiedAt]).toEqual([email, email, null]);
    expect(me.heldUntil).toEqual(expect.any(String));
    expect((await mailsTo(gateway, old))[0]).toMatchObject({ template: 'EMAIL_CHANGED' });
    expect((await mailsTo(gateway, old))[0]?.text).toContain(`is now ${email}`);
    expect((await mailsTo(gateway, email)).map(({ template }) => template)).toEqual(['VERIFY_EMAIL']);
    await verify(await secretTo(gateway, email));
    expect((await profileOf(owner)).me.emailVerifiedAt).toEqual(expect.any(String));
    expect((await signIn(gateway, email)).token).not.toBe('');
    const { nodes } = (await owner.graphql('{ auditLog(first: 5) { nodes { action details } } }')).body.data.auditLog;
    expect(nodes).toContainEqual({ action: 'EMAIL_CHANGED', details: { from: old, to: email } });
  });

  it('ends the links that the old address was mailed to confirm it, or to reset the password', async () => {
    const owner = await signUp(gateway, { isConfirmed: true });
    const confirms = await secretTo(gateway, owner.email);
    await graphql(gateway)('mutation ($email: String!) { requestPasswordReset(email: $email) }', {
      email: owner.email,
    });
    const resets = await secretTo(gateway, owner.email);
    await change(owner, newAddress());
    gone(await verify(confirms));
    const reset =
      'mutation ($token: String!, $password: String!) { resetPassword(token: $token, password: $password) }';
    gone(await graphql(gateway)(reset, { token: resets, password: 'a third good password' }));
    expect((await profileOf(owner)).me.emailVerifiedAt).toBeNull();
  });

  it('needs a confirmation, and an address that nobody has', async () => {
    const [owner, other] = [await signUp(gateway), await signUp(gateway)];
    expectGraphQLError(await change(owner, newAddress()), 200, 'FORBIDDEN', '1010');
    await confirm(owner);
    taken(await change(owner, other.email.toUpperCase()));
    expectGraphQLError(await change(owner, 'no address'), 200, 'BAD_USER_INPUT', '2001');
    expect((await profileOf(owner)).me.email).toBe(owner.email.toLowerCase());
    expectGraphQLError(await graphql(gateway)(CHANGE, { email: newAddress() }), 200, 'UNAUTHENTICATED', '1001');
  });

  it('to one address by two people at once is made by one', async () => {
    const people = await Promise.all([1, 2].map(() => signUp(gateway, { isConfirmed: true })));
    const email = newAddress();
    const answers = await Promise.all(people.map((person) => change(person, email)));
    expect(answers.map(({ body }) => body.data?.changeEmail === true).sort()).toEqual([false, true]);
    for (const answer of answers.filter(({ body }) => body.errors)) taken(answer);
  });

  it('by two calls at once leaves a way back to the first address', async () => {
    const owner = await signUp(gateway, { isConfirmed: true });
    const old = owner.email.toLowerCase();
    await Promise.all([change(owner, newAddress()), change(owner, newAddress())]);
    expect((await mailsTo(gateway, old)).filter(({ template }) => template === 'EMAIL_CHANGED')).toHaveLength(1);
    expect((await revert(await secretTo(gateway, old))).body.data).toEqual({ revertEmail: true });
    expect((await profileOf(await signIn(gateway, old))).me.email).toBe(old);
  });

  it('can be made five times in an hour: further ones would leave no way back', async () => {
    const { owner } = await moved();
    for (let nth = 0; nth < 3; nth += 1)
      expect((await change(owner, newAddress())).body.data).toEqual({ changeEmail: true });
    expectGraphQLError(await change(owner, newAddress()), 429, 'RATE_LIMITED', '9001');
  });
});

describe('an address that is brought back', () => {
  it('is the one again, and every session ends', async () => {
    const { owner, old, email, back } = await moved();
    const confirms = await secretTo(gateway, email);
    const both = await Promise.all([revert(back), revert(back)]);
    expect(both.map(({ body }) => body.data?.revertEmail === true).sort()).toEqual([false, true]);
    await untilPasses(async () => expectRefusal(await rest(gateway, owner.token)('GET', '/payments'), 401, '1002'));
    const again = await signIn(gateway, old);
    const { me, merchant } = await profileOf(again);
    expect([me.email, merchant.email, me.emailVerifiedAt]).toEqual([old, old, expect.any(String)]);
    for (const used of [back, confirms]) gone(await (used === back ? revert : verify)(used));
    const { nodes } = (await again.graphql('{ auditLog(first: 5) { nodes { action details } } }')).body.data.auditLog;
    expect(nodes).toContainEqual({
      action: 'EMAIL_REVERTED',
      details: { from: email, to: old, endedSessions: expect.any(Number), identities: 0 },
    });
  });

  it('comes back for a week, and nobody else takes it meanwhile', async () => {
    const { owner, old, back } = await moved();
    expectRefusal(await register(old), 409, '2009');
    taken(await change(await signUp(gateway, { isConfirmed: true }), old));
    expect((await change(owner, old)).body.data).toEqual({ changeEmail: true });
    await change(owner, newAddress());
    const [id] = back.split('.');
    const [link] = await gateway.sql<{ days: string }>(
      'select extract(epoch from expires_at - created_at) / 86400 as days from mail_link where id = $1',
      [id],
    );
    expect(Number(link?.days)).toBe(7);
    await gateway.sql(
      `update mail_link set expires_at = now() - interval '1 minute' where email = $1 and kind = 'REVERT_EMAIL'`,
      [old],
    );
    gone(await revert(back));
    dataOf(await register(old), 201);
  });

  it('is 2009 if somebody has it after all', async () => {
    const { old, back } = await moved();
    await gateway.sql(`update mail_link set expires_at = now() - interval '1 second' where id = $1`, [
      back.split('.')[0],
    ]);
    dataOf(await register(old), 201);
    await gateway.sql(`update mail_link set expires_at = now() + interval '1 day' where id = $1`, [back.split('.')[0]]);
    taken(await revert(back));
  });

  it('is that of the first owner, whatever an intruder does afterwards', async () => {
    const { owner, old, email, back } = await moved();
    // They go on to a third address, come back from it, and reset the password.
    const third = newAddress();
    await change(owner, third);
    expect((await revert(await secretTo(gateway, email))).body.data).toEqual({ revertEmail: true });
    await graphql(gateway)('mutation ($email: String!) { requestPasswordReset(email: $email) }', { email });
    const resets = await secretTo(gateway, email);
    const reset =
      'mutation ($token: String!, $password: String!) { resetPassword(token: $token, password: $password) }';
    expect((await graphql(gateway)(reset, { token: resets, password: PASSWORD })).body.data.resetPassword).toBe(true);
    const intruder = await signIn(gateway, email);
    await confirm(intruder);
    await change(intruder, newAddress());
    const later = await secretTo(gateway, email);
    expect((await revert(back)).body.data).toEqual({ revertEmail: true });
    gone(await revert(later));
    expect((await profileOf(await signIn(gateway, old))).me.email).toBe(old);
  });
});
