// The rows of the error table that need a gateway with other settings, or one with a fault. That an unreachable
// database is 9503 too is tested in test/gateway/processes/dead-connections.test.ts, which needs a process of its own.

import { connect as connectSocket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openLiveSetup, type LiveSetup } from '../../gateway/live/setup.fixture.ts';
import { connect } from '../../server/graphql/ws/setup.fixture.ts';
import {
  graphql,
  newEmail,
  newMerchant,
  rest,
  USDT_PAYMENT,
  type Answer,
  type TestMerchant,
} from '../../support/clients.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { holdCall, type HeldCall } from '../fixtures/held-call.fixture.ts';
import { AGAIN, CASES, ELSEWHERE, EXCHANGE, LIMITED_HEADERS } from './cases.fixture.ts';
import { expectGraphQLFace, expectRestFace } from './expectations.fixture.ts';
import { whilePaymentsAreLocked } from './setup.fixture.ts';

const CURRENCIES = '{ currencies { currency } }';
const LIVE_MS = 60_000;

it('has each row that the table leaves to it', () => {
  const left = Object.entries(CASES).filter(([, { rest, graphql }]) => [rest, graphql].includes(ELSEWHERE));
  expect(left.map(([name]) => name).sort()).toEqual([
    'HTTPS_REQUIRED',
    'NO_MAIL',
    'OVERLOADED',
    'RATE_LIMITED',
    'REGISTRATION_CLOSED',
  ]);
});

describe('1008: live by plain HTTP', () => {
  const { row } = CASES.HTTPS_REQUIRED;
  let setup: LiveSetup;
  let gateway: TestGateway;
  beforeAll(async () => {
    setup = await openLiveSetup();
    const { KEYSTORE_PATH: _path, KEYSTORE_PASSPHRASE: _passphrase, ...variables } = setup.variables;
    gateway = await startTestGateway({ ...defined(variables), ROLES: 'api', TRUST_PROXY: '127.0.0.1' });
  }, LIVE_MS);
  afterAll(async () => {
    await gateway.stop();
    await setup.stop();
  });
  // Its public base URL is HTTPS; this is where it listens.
  const local = () => ({ url: `http://127.0.0.1:${gateway.config.port}` });

  it('over REST, GraphQL and web sockets', async () => {
    expectRestFace(await rest(local())('GET', '/currencies'), row, {});
    expectGraphQLFace(await graphql(local())(CURRENCIES), row, {});
    await expect(connect(`${local().url.replace('http', 'ws')}/graphql`)).rejects.toThrow('403');
  });

  it('2012: live without mail has no way to reset a password', async () => {
    const ask = 'mutation { requestPasswordReset(email: "ann@shop.example") }';
    const answer = await graphql(local())(ask, {}, { 'x-forwarded-proto': 'https' });
    expectGraphQLFace(answer, CASES.NO_MAIL.row, { status: 200 });
  });
});

describe('1011: registration that is not open', () => {
  const { row } = CASES.REGISTRATION_CLOSED;
  const REGISTER = 'mutation ($input: RegisterMerchantInput!) { registerMerchant(input: $input) { merchantId } }';
  const CREATE = 'mutation ($input: CreateMerchantInput!) { createMerchant(input: $input) { merchantId } }';

  it.each(['closed', 'invite'])('%s: both registrations over REST and GraphQL, whatever they ask for', async (mode) => {
    const gateway = await startTestGateway({ REGISTRATION: mode, SANDBOX_NETWORKS: 'ETH' });
    try {
      const merchant = { email: newEmail(), companyName: 'Shop' };
      const owner = { ...merchant, password: 'three green lamps' };
      for (const [path, body] of [['/merchant/register', owner] as const, ['/merchant', merchant] as const])
        for (const sent of [body, {}, { ...body, email: 'none' }])
          expectRestFace(await rest(gateway)('POST', path, sent), row, {});
      for (const [document, input] of [[REGISTER, owner] as const, [CREATE, merchant] as const]) {
        const answer = await graphql(gateway)(document, { input });
        expectGraphQLFace(answer, row, { status: 200 });
        expectGraphQLFace(await graphql(gateway)(document, { input: {} }), row, {});
      }
      const twice = 'mutation ($a: CreateMerchantInput!) { a: createMerchant(input: $a) { merchantId } ...more }';
      const more = 'fragment more on Mutation { b: createMerchant(input: $a) { merchantId } }';
      const { body } = await graphql(gateway)(`${twice} ${more}`, { a: merchant });
      expect(body.errors).toMatchObject([{ extensions: { errorCode: '1011' } }]);
      expect(await gateway.sql('select from merchant')).toEqual([]);
    } finally {
      await gateway.stop();
    }
  });
});

describe('3007: a node that is not there', () => {
  const { row } = CASES.NETWORK_UNAVAILABLE;
  let gateway: TestGateway;
  let shop: TestMerchant;
  beforeAll(async () => {
    // Nothing listens on port 1 of this machine.
    gateway = await startTestGateway({ SANDBOX_NETWORKS: 'ETH', POLYGON_RPC_URL: 'http://127.0.0.1:1' });
    shop = await newMerchant(gateway);
  });
  afterAll(() => gateway.stop());

  it('over REST and GraphQL, and the other network takes payments', async () => {
    const input = { amount: '1', currency: 'POL', network: 'POLYGON' };
    const create = 'mutation ($input: CreatePaymentInput!) { createPayment(input: $input) { id } }';
    expectRestFace(await shop.rest('POST', '/payments', input), row, {});
    expectGraphQLFace(await shop.graphql(create, { input }), row, { status: 200 });
    expect((await shop.rest('POST', '/payments', USDT_PAYMENT)).status).toBe(201);
  });
});

describe('9001: too many calls', () => {
  const { row } = CASES.RATE_LIMITED;
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({
      ...{ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '30', RATE_LIMIT_AUTH_PER_MINUTE: '5' },
    });
  });
  afterAll(() => gateway.stop());
  const key = { keyId: 'pk_test_0', secret: 'sk_test_0' };

  it('with credentials, over REST and GraphQL: the status says so, though a resolver counts', async () => {
    for (let call = 0; call < 5; call += 1)
      expect((await rest(gateway)('POST', '/auth/token', key)).body.error.code).toBe('1005');
    expectRestFace(await rest(gateway)('POST', '/auth/token', key), row, { headers: LIMITED_HEADERS });
    const answer = await graphql(gateway)(EXCHANGE, key);
    expect(answer.body.errors[0].path).toEqual(['createAccessToken']);
    const { path: _path, ...error } = answer.body.errors[0];
    const { data: _data, ...body } = { ...answer.body, errors: [error] };
    expectGraphQLFace({ ...answer, body }, row, { headers: LIMITED_HEADERS });
  });

  it('of an address, over REST, GraphQL and an open web socket', async () => {
    const socket = await connect(`${gateway.url.replace('http', 'ws')}/graphql`);
    socket.send({ type: 'connection_init' });
    await socket.next('connection_ack');
    await until(async () => (await rest(gateway)('GET', '/currencies')).status === 429);
    expectRestFace(await rest(gateway)('GET', '/currencies'), row, { headers: LIMITED_HEADERS });
    expectGraphQLFace(await graphql(gateway)(CURRENCIES), row, { headers: LIMITED_HEADERS });
    const told = await socket.run(CURRENCIES);
    expect(told.type).toBe('error');
    const { requestId } = socket;
    expect(told.payload[0].extensions).toEqual({ code: 'RATE_LIMITED', errorCode: '9001', requestId });
    socket.socket.close();
    await socket.closed;
  });
});

describe('9503: calls that nobody has time for', () => {
  const { row } = CASES.OVERLOADED;
  const again = { headers: AGAIN };
  let gateway: TestGateway;
  let shop: TestMerchant;
  let stopping: Promise<void> | null = null;
  beforeAll(async () => {
    gateway = await startTestGateway();
    shop = await newMerchant(gateway);
  });
  afterAll(() => stopping ?? gateway.stop());

  it('while 96 calls wait for the database, the next hear so after a second', async () => {
    const held: Promise<Answer>[] = [];
    // Long enough that no call gives up its place, however long the machine takes to make them all.
    gateway.deps.db.pool.options.connectionTimeoutMillis = LIVE_MS;
    await whilePaymentsAreLocked(gateway, async (waiting) => {
      for (let call = 0; call < 96; call += 1) held.push(shop.rest('GET', '/payments'));
      await until(async () => (await waiting()) > 0 && underWay(await metrics()) === 96);
      const [byRest, byGraphQL] = await Promise.all([shop.rest('GET', '/currencies'), shop.graphql(CURRENCIES)]);
      expectRestFace(byRest, row, again);
      expectGraphQLFace(byGraphQL, row, again);
    });
    // The admitted calls succeed, or get an error because no connection came free in time.
    for (const answer of await Promise.all(held)) if (answer.status !== 200) expectRestFace(answer, row, again);
  });

  it('while it shuts down', async () => {
    // Calls whose head is not complete yet keep their connections; they are read after new connections are refused.
    const [byRest, byGraphQL] = ['/api/v1/currencies', '/graphql?query={__typename}'].map((path) =>
      holdCall(port(), 'GET', path),
    ) as [HeldCall, HeldCall];
    await Promise.all([byRest.opened, byGraphQL.opened]);
    stopping = gateway.stop();
    await until(() => isRefused());
    expectRestFace(await byRest.finish(), row, again);
    expectGraphQLFace(await byGraphQL.finish(), row, again);
    await stopping;
  });

  const port = () => gateway.config.port;
  const metrics = async () => (await fetch(`${gateway.url}/metrics`)).text();
  const underWay = (text: string) => Number(/^turnpike_http_calls\{state="under way"\} (\d+)$/m.exec(text)?.[1]);

  function isRefused(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connectSocket(port(), '127.0.0.1');
      socket.once('connect', () => resolve(false));
      socket.once('error', () => resolve(true));
      socket.once('connect', () => socket.destroy());
    });
  }
});

function defined(variables: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
