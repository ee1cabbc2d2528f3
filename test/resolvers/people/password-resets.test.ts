// A lost password: a link by mail, for its person alone, once, and no way to learn who has an account.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { graphql, newEmail, rest, send, type Answer } from '../../support/clients.ts';
import { expectGraphQLError, expectRefusal } from '../../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { mailsTo, secretTo } from '../../support/mailbox.ts';
import { confirm, join, PASSWORD, signIn, signUp } from '../../support/people.ts';
import { untilPasses } from '../../support/until.ts';

let gateway: BorrowedGateway;
beforeAll(async () => {
  gateway = await borrowGateway();
});
afterAll(() => gateway.stop());

const NEW = 'another good password';
const request = async (email: string): Promise<Answer> =>
  graphql(gateway)('mutation ($email: String!) { requestPasswordReset(email: $email) }', { email });
const RESET = 'mutation ($token: String!, $password: String!) { resetPassword(token: $token, password: $password) }';
const reset = (token: string, password = NEW): Promise<Answer> => graphql(gateway)(RESET, { token, password });
const login = (email: string, password: string): Promise<Answer> =>
  graphql(gateway)('mutation ($e: String!, $p: String!) { login(email: $e, password: $p) { accessToken } }', {
    e: email,
    p: password,
  });

describe('a lost password', () => {
  it('is replaced by a link, and every session ends', async () => {
    const owner = await signUp(gateway);
    expect((await request(owner.email.toUpperCase())).body.data).toEqual({ requestPasswordReset: true });
    const token = await secretTo(gateway, owner.email);
    expect((await reset(token)).body.data).toEqual({ resetPassword: true });
    expectGraphQLError(await login(owner.email, PASSWORD), 200, 'UNAUTHENTICATED', '1005');
    await untilPasses(async () => expectRefusal(await rest(gateway, owner.token)('GET', '/payments'), 401, '1002'));
    const { body } = await login(owner.email, NEW);
    const again = graphql(gateway, body.data.login.accessToken);
    const { nodes } = (await again('{ auditLog(first: 2) { nodes { action } } }')).body.data.auditLog;
    expect(nodes.map(({ action }: { action: string }) => action)).toEqual(['OWNER_SIGNED_IN', 'PASSWORD_RESET']);
    expect((await mailsTo(gateway, owner.email)).map(({ template }) => template)).toEqual([
      'PASSWORD_CHANGED',
      'RESET_PASSWORD',
      'VERIFY_EMAIL',
    ]);
  });

  it('is also one that was never set', async () => {
    const email = newEmail();
    await rest(gateway)('POST', '/merchant', { email, companyName: 'Shop' });
    await request(email);
    await reset(await secretTo(gateway, email), PASSWORD);
    expect((await signIn(gateway, email)).token).not.toBe('');
  });

  it('is replaced once by all its links together, of two at once by one', async () => {
    const { email } = await signUp(gateway);
    await request(email);
    const first = await secretTo(gateway, email);
    await request(email);
    const second = await secretTo(gateway, email);
    expect(first).not.toBe(second);
    const both = await Promise.all([reset(first), reset(first, 'a third good password')]);
    expect(both.map(({ body }) => body.data?.resetPassword === true).sort()).toEqual([false, true]);
    for (const used of [first, second]) expectGraphQLError(await reset(used), 200, 'NOT_FOUND', '2004');
  });

  it('stays if the link is too old, is forged, or the new one is weak', async () => {
    const { email } = await signUp(gateway);
    await request(email);
    const token = await secretTo(gateway, email);
    for (const forged of [`${token}x`, token.split('.')[0] ?? '', '', 'tok_0.0'])
      expectGraphQLError(await reset(forged), 200, 'NOT_FOUND', '2004');
    expectGraphQLError(await reset(token, 'short'), 200, 'BAD_USER_INPUT', '2001');
    await gateway.sql(`update mail_link set expires_at = now() - interval '1 second' where id = $1`, [
      token.split('.')[0],
    ]);
    expectGraphQLError(await reset(token), 200, 'NOT_FOUND', '2004');
    expect((await login(email, PASSWORD)).body.data.login.accessToken).not.toBe('');
  });
});

describe('somebody who has just reset their password', () => {
  it('makes nobody an owner until the hold is over', async () => {
    const slow = await borrowGateway({ PAYOUT_HOLD_HOURS: '24' });
    try {
      const { email, merchantId } = await signUp(slow);
      await graphql(slow)('mutation ($email: String!) { requestPasswordReset(email: $email) }', { email });
      const token = await secretTo(slow, email);
      await graphql(slow)(RESET, { token, password: PASSWORD });
      const owner = await signIn(slow, email);
      await confirm(owner);
      const { id } = await join(slow, { merchantId, role: 'ADMIN' });
      const change = 'mutation ($id: ID!, $role: Role!) { changeMember(id: $id, role: $role) { role } }';
      const refused = expectGraphQLError(await owner.graphql(change, { id, role: 'OWNER' }), 200, 'FORBIDDEN', '1013');
      const { heldUntil } = (await owner.graphql('{ me { heldUntil } }')).body.data.me;
      expect(refused.message).toBe(`You have to wait until ${heldUntil as string}`);
      expect((await owner.graphql(change, { id, role: 'VIEWER' })).body.data.changeMember.role).toBe('VIEWER');
    } finally {
      await slow.stop();
    }
  });
});

describe('somebody who asks for others', () => {
  it('hears the same for an address that nobody has, and nothing is mailed', async () => {
    for (const email of [newEmail(), 'no address', '', 'x\u0000y']) {
      expect((await request(email)).body.data).toEqual({ requestPasswordReset: true });
      expect(await mailsTo(gateway, email.replace('\u0000', ''))).toEqual([]);
    }
  });

  it('floods nobody: five mails an hour, of many requests at once as well', async () => {
    const { email } = await signUp(gateway);
    await Promise.all(Array.from({ length: 16 }, () => request(email)));
    for (let nth = 0; nth < 3; nth += 1) await request(email);
    const mails = await mailsTo(gateway, email);
    expect(mails.filter(({ template }) => template === 'RESET_PASSWORD')).toHaveLength(5);
  });
});

describe('the mailbox', () => {
  it('is a page, with links that can be followed, and shows one address if asked', async () => {
    const { email } = await signUp(gateway);
    await request(email);
    const page = async (path: string) => send({ method: 'GET', url: `${gateway.url}/sandbox/mailbox${path}` });
    const { status, headers, text } = await page(`?to=${encodeURIComponent(email)}`);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain(`/console/reset#${await secretTo(gateway, email)}"`);
    expect(text.match(/<article>/g)).toHaveLength(2);
    const { body } = await graphql(gateway)('query ($to: String) { sandboxMails(to: $to) { template } }', {
      to: email,
    });
    expect(body.data.sandboxMails).toEqual([{ template: 'reset_password' }, { template: 'verify_email' }]);
    expect((await page('?to=%3Cscript%3E')).text).not.toContain('<script>');
    expect((await page('?to=nobody@shop.example')).text).toContain('No mail was written to nobody@shop.example.');
  });

  it('is not there where it is closed', async () => {
    const closed = await borrowGateway({ SANDBOX_MAILBOX: 'closed' });
    try {
      expect((await send({ method: 'GET', url: `${closed.url}/sandbox/mailbox` })).status).toBe(404);
      expectGraphQLError(await graphql(closed)('{ sandboxMails { id } }'), 200, 'NOT_FOUND', '2004');
    } finally {
      await closed.stop();
    }
  });
});
