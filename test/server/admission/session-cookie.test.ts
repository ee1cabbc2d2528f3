// The console's session cookie: hidden from scripts, accepted from our own pages only, and not enough to move money.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WebSocket } from 'ws';
import { openSessionCookie } from '../../../src/server/admission/session-cookie.ts';
import { graphql, newEmail, rest, type Answer, type Json } from '../../support/clients.ts';
import { expectGraphQLError as expectError } from '../../support/expectations.ts';
import { runningMsOf } from '../../support/running-time.ts';
import { untilPasses } from '../../support/until.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';

const PASSWORD = 'correct horse battery';
const LOGIN = `mutation ($email: String!, $password: String!) {
  login(email: $email, password: $password) { accessToken expiresIn permissions }
}`;
const ASKS = { 'turnpike-session': 'cookie' };

let gateway: BorrowedGateway;
let email: string;
let origin: string;

beforeAll(async () => {
  gateway = await borrowGateway();
  origin = new URL(gateway.url).origin;
  email = newEmail();
  await rest(gateway)('POST', '/merchant/register', { email, companyName: 'Shop', password: PASSWORD });
});
afterAll(() => gateway.stop());

const setCookieOf = (answer: Answer): string => answer.headers['set-cookie']?.[0] ?? '';

async function signIn(headers: Record<string, string> = { ...ASKS, origin }): Promise<Answer> {
  return graphql(gateway)(LOGIN, { email, password: PASSWORD }, headers);
}

async function openSession(): Promise<string> {
  return setCookieOf(await signIn()).split(';')[0] ?? '';
}

const asPage = (cookie: string, headers: Record<string, string> = { ...ASKS, origin }) => {
  return (query: string, variables?: Json) => graphql(gateway)(query, variables, { cookie, ...headers });
};
const SETTINGS = '{ settings { companyName } }';

describe('signing in from a page', () => {
  it('keeps the token in a cookie that is HttpOnly and SameSite=Strict, and does not answer it', async () => {
    const answer = await signIn();
    expect(answer.body.data.login).toMatchObject({ accessToken: '', expiresIn: 86_400 });
    expect(setCookieOf(answer)).toMatch(/^turnpike=ey[\w.-]+; Path=\/; Max-Age=86400; HttpOnly; SameSite=Strict$/);
    expect(answer.text).not.toContain('eyJ');
  });

  it('sets no cookie for a client that does not ask for one, nor for the page of another site', async () => {
    const asked = await signIn({});
    expect(setCookieOf(asked)).toBe('');
    expect(asked.body.data.login.accessToken).toMatch(/^ey/);
    expect(setCookieOf(await signIn({ ...ASKS, origin: 'https://evil.example' }))).toBe('');
    expect(setCookieOf(await signIn({ ...ASKS, origin: 'http://localhost:5173' }))).toBe('');
    expect(setCookieOf(await signIn({ ...ASKS, 'sec-fetch-site': 'cross-site' }))).toBe('');
  });

  it('opens a session of its own, whatever cookie was planted there, and leaves that one to who it is', async () => {
    const planted = newEmail();
    await rest(gateway)('POST', '/merchant/register', { email: planted, companyName: 'Thief', password: PASSWORD });
    const theirs = setCookieOf(
      await graphql(gateway)(LOGIN, { email: planted, password: PASSWORD }, { ...ASKS, origin }),
    ).split(';')[0] as string;
    const own = setCookieOf(await signIn({ ...ASKS, origin, cookie: theirs })).split(';')[0] as string;
    expect(own).not.toBe(theirs);
    const nameOf = async (cookie: string) => (await asPage(cookie)(SETTINGS)).body.data.settings.companyName as string;
    expect([await nameOf(own), await nameOf(theirs)]).toEqual(['Shop', 'Thief']);
    const again = setCookieOf(await signIn({ ...ASKS, origin, cookie: own })).split(';')[0];
    expect(again).not.toBe(own);
  });

  it('is ended by logout, which takes the cookie away', async () => {
    const cookie = await openSession();
    const answer = await asPage(cookie)('mutation { logout }');
    expect(setCookieOf(answer)).toMatch(/^turnpike=; Path=\/; Max-Age=0/);
    // Every process knows it within a second.
    const known = untilPasses(async () => expectError(await asPage(cookie)(SETTINGS), 200, 'UNAUTHENTICATED', '1001'));
    expect(await runningMsOf(() => asPage(cookie)('{ __typename }'), known)).toBeLessThan(1_000);
  });
});

describe('over HTTPS', () => {
  it('both cookies are Secure, and of this very host', () => {
    const set: string[] = [];
    const reply = { header: (_name: string, text: string) => void set.push(text) } as unknown as FastifyReply;
    const secret = 'A'.repeat(43);
    const headers = { 'turnpike-session': 'cookie', cookie: `__Host-turnpike-device=${secret}; turnpike-device=other` };
    const request = { protocol: 'https', headers } as unknown as FastifyRequest;
    const cookie = openSessionCookie(request, reply, 'https://pay.shop.example');
    expect(cookie?.device).toBe(secret);
    cookie?.keep({ accessToken: 'ey', expiresIn: 60 });
    cookie?.keepDevice?.(secret);
    expect(set).toEqual([
      '__Host-turnpike=ey; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure',
      `__Host-turnpike-device=${secret}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict; Secure`,
    ]);
  });
});

describe('a call with the cookie', () => {
  it('is the owner’s from a page of ours that says what it does', async () => {
    const { body } = await asPage(await openSession())(SETTINGS);
    expect(body.data.settings).toEqual({ companyName: 'Shop' });
  });

  it.each([
    ['without the header, as a form of another site would send it', {}],
    ['from another origin that may call', { ...ASKS, origin: 'http://localhost:5173' }],
    ['from a sister site, by what the browser says', { ...ASKS, 'sec-fetch-site': 'same-site' }],
  ])('is nobody’s %s (1001)', async (_name, headers) => {
    expectError(await asPage(await openSession(), headers)(SETTINGS), 200, 'UNAUTHENTICATED', '1001');
  });

  it.each(['https://evil.example', 'null'])('is refused from a page of the origin %s (1003)', async (origin) => {
    expectError(await asPage(await openSession(), { ...ASKS, origin })(SETTINGS), 403, 'FORBIDDEN', '1003');
  });

  it('is nobody’s over REST, where a bearer is asked for (1001)', async () => {
    const cookie = await openSession();
    const answer = await rest(gateway)('GET', '/payments', undefined, { cookie, ...ASKS, origin });
    expect(answer).toMatchObject({ status: 401, body: { error: { code: '1001' } } });
  });

  it('with a cookie that is no good is as good as one without, so that signing in again works', async () => {
    const stale = asPage('turnpike=eyJhbGciOiJIUzI1NiJ9.e30.AAAA');
    expectError(await stale(SETTINGS), 200, 'UNAUTHENTICATED', '1001');
    const { body } = await stale(LOGIN, { email, password: PASSWORD });
    expect(body.data.login.permissions).toHaveLength(8);
  });
});

describe('money', () => {
  const WITHDRAW = `mutation ($input: WithdrawInput!) { withdraw(input: $input) { id } }`;
  const input = { currency: 'USDT', network: 'ETH', amount: '1', address: `0x${'1'.repeat(40)}` };

  it('moves by the cookie only after the password was shown, a wrong one being 1005', async () => {
    const page = asPage(await openSession());
    const refused = await page(WITHDRAW, { input });
    expectError(refused, 200, 'FORBIDDEN', '1010');
    expect(refused.body.errors[0].message).toBe('Confirm that it is you, and try again');
    const confirm = 'mutation ($password: String!) { confirmPassword(password: $password) }';
    expectError(await page(confirm, { password: 'not my password' }), 200, 'UNAUTHENTICATED', '1005');
    expectError(await page(WITHDRAW, { input }), 200, 'FORBIDDEN', '1010');
    expect((await page(confirm, { password: PASSWORD })).body.data).toEqual({ confirmPassword: true });
    // There is nothing to withdraw, which is the last thing checked.
    expectError(await page(WITHDRAW, { input }), 200, 'CONFLICT', '4001');
    // The confirmation holds for one session only.
    expectError(await asPage(await openSession())(WITHDRAW, { input }), 200, 'FORBIDDEN', '1010');
  });

  it('moves by the owner’s own token as the API says, without', async () => {
    const { body } = await signIn({});
    expectError(
      await graphql(gateway, body.data.login.accessToken as string)(WITHDRAW, { input }),
      200,
      'CONFLICT',
      '4001',
    );
  });
});

describe('a web socket', () => {
  /** The socket's answer to connection_init: `connection_ack`, or the close code. */
  async function greet(headers: Record<string, string>): Promise<string> {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers });
    try {
      return await new Promise((resolve, reject) => {
        socket.on('open', () => {
          socket.send(JSON.stringify({ type: 'connection_init', payload: { session: 'cookie' } }));
        });
        socket.on('message', (data: Buffer) => resolve((JSON.parse(data.toString()) as { type: string }).type));
        socket.on('close', (code) => resolve(String(code)));
        socket.on('error', reject);
      });
    } finally {
      socket.terminate();
    }
  }

  it('is the owner’s from a page of ours, and closed with 4403 where nothing says that it is one', async () => {
    const cookie = await openSession();
    expect(await greet({ cookie, origin })).toBe('connection_ack');
    expect(await greet({ cookie })).toBe('4403');
    expect(await greet({ origin })).toBe('4403');
  });
});
