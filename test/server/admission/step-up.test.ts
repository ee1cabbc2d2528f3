// With a console session but no password, nothing can move money, keys or webhooks: not by the cookie, not by its token
// in a header, over any transport and however many fields a document has. Scripts with tokens are not affected.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { graphql, newEmail, rest, type Answer, type GraphQL, type Json } from '../../support/clients.ts';
import { dataOf, expectGraphQLError, expectRefusal } from '../../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';
import { connectAs } from '../graphql/ws/setup.fixture.ts';
import { openStream } from '../graphql/sse/setup.fixture.ts';

const PASSWORD = 'correct horse battery';
const LOGIN = `mutation ($email: String!, $password: String!) { login(email: $email, password: $password) { accessToken } }`;
const CONFIRM = 'mutation ($password: String!) { confirmPassword(password: $password) }';
const REFUSAL = 'Confirm that it is you, and try again';
const HOOK = 'https://shop.example/hook';

let gateway: BorrowedGateway;
let origin: string;
let email: string;
let page: Headers;

type Headers = Readonly<Record<string, string>>;
const signIn = (headers: Headers = {}) => graphql(gateway)(LOGIN, { email, password: PASSWORD }, headers);

beforeAll(async () => {
  gateway = await borrowGateway();
  origin = new URL(gateway.url).origin;
});
beforeEach(async () => {
  email = newEmail();
  dataOf(await rest(gateway)('POST', '/merchant/register', { email, companyName: 'Shop', password: PASSWORD }), 201);
  const ours = { 'turnpike-session': 'cookie', origin };
  const cookie = (await signIn(ours)).headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  page = { ...ours, cookie };
});
afterAll(() => gateway.stop());

const byPage: GraphQL = (query, variables) => graphql(gateway)(query, variables, page);
const stolenToken = () => page['cookie']?.split('=')[1] ?? '';
const scriptToken = async () => (await signIn()).body.data.login.accessToken as string;

/** The mutations that need the password, by field, with arguments that would take effect. */
const GUARDED: Readonly<Record<string, string>> = {
  createApiKey: '(input: { name: "Thief", permissions: [WITHDRAW] }) { keyId secret }',
  updateApiKey: '(keyId: "pk_test_none", input: { name: "Thief" }) { keyId }',
  revokeApiKey: '(keyId: "pk_test_none") { keyId }',
  configureWebhook: `(input: { url: "${HOOK}" }) { id secret }`,
  createWebhookEndpoint: `(input: { url: "${HOOK}" }) { id secret }`,
  updateWebhookEndpoint: '(id: "whk_none", input: { enabled: true }) { id }',
  deleteWebhookEndpoint: '(id: "whk_none") { id }',
  rotateWebhookSecret: '(overlapHours: 0) { secret }',
  sendTestEvent: `(url: "${HOOK}") { eventId }`,
  withdraw: `(input: { currency: "USDT", network: "ETH", amount: "1", address: "0x${'1'.repeat(40)}" }) { id }`,
  refundPayment: `(input: { paymentId: "ord_none", address: "0x${'1'.repeat(40)}" }) { id }`,
};
const fields = Object.entries(GUARDED);

function expectRefused(answer: Answer): void {
  expect(expectGraphQLError(answer, 200, 'FORBIDDEN', '1010').message).toBe(REFUSAL);
}

/** Everything of a merchant's that could have been changed. */
async function stateOf(): Promise<Json> {
  const [row] = await gateway.sql<{ state: Json }>(
    `select json_build_object('secret', m.webhook_secret,
       'keys', (select count(*) from api_key k where k.merchant_id = m.id),
       'endpoints', (select count(*) from webhook_endpoint e where e.merchant_id = m.id),
       'events', (select count(*) from event e where e.merchant_id = m.id)) as state
     from merchant m where email = $1`,
    [email],
  );
  return row?.state;
}

describe('a stolen session of the console', () => {
  it.each(fields)('%s asks for the password, by the cookie and by its token in a header', async (name, rest) => {
    const before = await stateOf();
    expectRefused(await byPage(`mutation { ${name}${rest} }`));
    expectRefused(await graphql(gateway, stolenToken())(`mutation { ${name}${rest} }`));
    expect(await stateOf()).toEqual(before);
  });

  it('is asked for each field of a document, by aliases and fragments too', async () => {
    const before = await stateOf();
    const make = `createApiKey${GUARDED['createApiKey'] ?? ''}`;
    for (const document of [
      `mutation { a: ${make} b: ${make} }`,
      `mutation { ...two } fragment two on Mutation { logoutLater: __typename b: ${make} }`,
      `mutation { ... on Mutation { ${make} } }`,
    ])
      expectRefused(await byPage(document));
    expect(await stateOf()).toEqual(before);
  });

  it('is asked over REST', async () => {
    const thief = rest(gateway, stolenToken());
    const before = await stateOf();
    const calls: readonly (readonly [string, string, object?])[] = [
      ['POST', '/merchant/api-keys', { name: 'Thief', permissions: ['WITHDRAW'] }],
      ['PUT', '/merchant/api-keys/pk_test_none', { name: 'Thief' }],
      ['DELETE', '/merchant/api-keys/pk_test_none'],
      ['PUT', '/merchant/webhook', { url: HOOK }],
      ['POST', '/webhooks', { url: HOOK }],
      ['POST', '/merchant/webhook/rotate-secret', {}],
      ['POST', '/webhooks/test', { url: HOOK }],
      ['POST', '/wallet/withdraw', { currency: 'USDT', network: 'ETH', amount: '1', address: `0x${'1'.repeat(40)}` }],
    ];
    for (const [method, path, body] of calls)
      expect(expectRefusal(await thief(method, path, body), 403, '1010').message).toBe(REFUSAL);
    expect(await stateOf()).toEqual(before);
  });

  it('is asked over web sockets, opened by the cookie or by its token, and over event streams', async () => {
    const before = await stateOf();
    const query = `mutation { createApiKey${GUARDED['createApiKey'] ?? ''} }`;
    const url = `${gateway.url.replace('http', 'ws')}/graphql`;
    const socket = new WebSocket(url, 'graphql-transport-ws', { headers: { cookie: page['cookie'] ?? '', origin } });
    const answer = await new Promise<Json>((resolve, reject) => {
      socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload: { session: 'cookie' } })));
      socket.on('message', (data: Buffer) => {
        const message = JSON.parse(data.toString());
        if (message.type === 'connection_ack')
          socket.send(JSON.stringify({ id: 'a', type: 'subscribe', payload: { query } }));
        else resolve(message);
      });
      socket.on('error', reject);
    });
    socket.terminate();
    expect(answer.payload.errors).toMatchObject([{ message: REFUSAL }]);
    const bearer = await connectAs(url, stolenToken());
    bearer.subscribe('a', query);
    expect((await bearer.next('a')).payload.errors).toMatchObject([{ message: REFUSAL }]);
    bearer.socket.close();
    const stream = await openStream(`${gateway.url}/graphql/stream`, { query, token: stolenToken() });
    expect((await stream.next()).errors).toMatchObject([{ message: REFUSAL }]);
    stream.close();
    expect(await stateOf()).toEqual(before);
  });

  it('has ten guesses at the password, whatever they are made with, and locks the owner out of nothing by them', async () => {
    const CHANGE = 'mutation ($a: String!, $b: String!) { changePassword(current: $a, password: $b) }';
    for (let nth = 0; nth < 5; nth += 1) {
      expectGraphQLError(await byPage(CONFIRM, { password: `guess ${nth}` }), 200, 'UNAUTHENTICATED', '1005');
      const change = await byPage(CHANGE, { a: `guess ${nth}`, b: 'another long password' });
      expectGraphQLError(change, 200, 'UNAUTHENTICATED', '1005');
    }
    const refused = await byPage(CONFIRM, { password: PASSWORD });
    expectGraphQLError(refused, 429, 'RATE_LIMITED', '9001');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(60);
    expect(await scriptToken()).toMatch(/^ey/);
  });
});

describe('the owner in person', () => {
  it('makes keys and changes webhooks once they have shown their password, in this session alone', async () => {
    const make = `mutation { createApiKey${GUARDED['createApiKey'] ?? ''} }`;
    expect((await byPage(CONFIRM, { password: PASSWORD })).body.data).toEqual({ confirmPassword: true });
    expect((await byPage(make)).body.data.createApiKey.secret).toMatch(/^sk_test_/);
    for (const name of ['configureWebhook', 'rotateWebhookSecret', 'sendTestEvent'])
      expect((await byPage(`mutation { ${name}${GUARDED[name] ?? ''} }`)).body.errors).toBeUndefined();
    const cookie = (await signIn({ 'turnpike-session': 'cookie', origin })).headers['set-cookie']?.[0] ?? '';
    const elsewhere = await graphql(gateway)(make, {}, { ...page, cookie: cookie.split(';')[0] ?? '' });
    expectRefused(elsewhere);
  });

  it('hears first what is wrong with their input, and is then asked', async () => {
    const answer = await byPage('mutation { createApiKey(input: { name: "", permissions: [] }) { keyId } }');
    expectGraphQLError(answer, 200, 'BAD_USER_INPUT', '2001');
  });
});

describe('scripts', () => {
  it('with a login token or a key go on as before', async () => {
    const token = await scriptToken();
    const { keyId, secret } = dataOf(
      await rest(gateway, token)('POST', '/merchant/api-keys', { name: 'Till', permissions: ['MANAGE_WEBHOOKS'] }),
      201,
    ) as { keyId: string; secret: string };
    const exchanged = dataOf(await rest(gateway)('POST', '/auth/token', { keyId, secret }));
    dataOf(await rest(gateway, exchanged.accessToken as string)('PUT', '/merchant/webhook', { url: HOOK }));
    dataOf(await rest(gateway, token)('POST', '/webhooks', { url: HOOK }), 201);
    dataOf(await rest(gateway, token)('DELETE', `/merchant/api-keys/${keyId}`));
  });
});
