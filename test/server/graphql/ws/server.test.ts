// GraphQL over web sockets: what is sent to whom, and when a socket is closed.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execute, GraphQLError, parse, print } from 'graphql';
import { OPERATIONS } from '../../../../web/pay/checkout.ts';
import type { SocketCall } from '../../../../src/server/graphql/ws/socket-calls.ts';
import { createRateLimits } from '../../../../src/server/admission/rate-limit.ts';
import { GatewayError } from '../../../../src/values/errors.ts';
import { newId } from '../../../../src/values/id.ts';
import { until, untilPasses } from '../../../support/until.ts';
import {
  connect,
  connectAs,
  openSocketFixture,
  OWN_ORIGIN,
  type Json,
  type SocketFixture,
  type TestClient,
  type TestServer,
} from './setup.fixture.ts';

const PAYMENT_UPDATED = `subscription ($id: ID) { paymentUpdated(id: $id) { id status merchantOrderId expiresAt } }`;
const CHECKOUT = print(OPERATIONS.read);
const CHECKOUT_UPDATED = CHECKOUT.replace(/^query/, 'subscription').replace('checkout(', 'checkoutUpdated(');
const PAYMENT = 'query ($id: ID!) { payment(id: $id) { id } }';
const CANCEL = 'mutation ($id: ID!) { cancelPayment(id: $id) { id status } }';

let fixture: SocketFixture;
let server: TestServer;

beforeAll(async () => {
  fixture = await openSocketFixture(20);
  server = await fixture.serve();
});
afterAll(async () => {
  await server.stop();
  // No subscriber is left.
  expect(fixture.live.listeners()).toBe(0);
  await fixture.stop();
});

const newShop = async () => {
  const merchant = await fixture.newMerchant();
  const key = await fixture.newKey(merchant);
  return { merchant, ...key, payment: await fixture.newPayment(merchant) };
};
const codesOf = (message: Json): string[] => {
  const errors = message.type === 'error' ? message.payload : message.payload.errors;
  return errors.map((error: Json) => error.extensions.errorCode);
};
const hangUp = async (...clients: TestClient[]) => {
  for (const { socket } of clients) socket.close(1000);
  await Promise.all(clients.map((client) => client.closed));
};

describe('following a payment', () => {
  it('sends the present state first, then each change, to every follower in the same order', async () => {
    const { token, payment } = await newShop();
    const clients = [await connectAs(server.url, token), await connectAs(server.url, token)];
    for (const client of clients) {
      client.subscribe('a', PAYMENT_UPDATED, { id: payment });
      const first = await client.next('a');
      expect(first.payload.data.paymentUpdated).toMatchObject({ id: payment, status: 'PENDING' });
      expect(first.payload.data.paymentUpdated.expiresAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    for (let i = 1; i <= 15; i += 1) await fixture.change(payment, { merchantOrderId: String(i) });
    for (const client of clients) {
      const seen: Json[] = [];
      while (seen.length < 15) seen.push((await client.next('a')).payload.data.paymentUpdated);
      expect(seen.map((item) => item.merchantOrderId)).toEqual(Array.from({ length: 15 }, (_, i) => String(i + 1)));
      expect(seen[0].expiresAt).toMatch(/Z$/);
    }
    await hangUp(...clients);
  });

  it("another merchant's payment and one that never was are the same 2004", async () => {
    const { token } = await newShop();
    const foreign = await newShop();
    const client = await connectAs(server.url, token);
    const answers = [await client.run(PAYMENT_UPDATED, { id: foreign.payment })];
    answers.push(await client.run(PAYMENT_UPDATED, { id: newId('ord') }));
    answers.push(await client.run(PAYMENT_UPDATED, { id: 'x' }));
    for (const answer of answers) expect(answer.payload).toEqual(answers[0].payload);
    expect(codesOf(answers[0])).toEqual(['2004']);
    expect(answers[0].payload.errors[0].extensions.requestId).toBe(client.requestId);
    await hangUp(client);
  });

  it('without a token is 1001, without READ_PAYMENTS 1004', async () => {
    const { merchant, payment } = await newShop();
    const { token } = await fixture.newKey(merchant, ['CREATE_PAYMENTS']);
    const [nobody, unentitled] = [await connectAs(server.url), await connectAs(server.url, token)];
    expect(codesOf(await nobody.run(PAYMENT_UPDATED, { id: payment }))).toEqual(['1001']);
    const answer = await unentitled.run(PAYMENT_UPDATED, { id: payment });
    expect(codesOf(answer)).toEqual(['1004']);
    expect(answer.payload.errors[0].message).toBe('Missing permission: READ_PAYMENTS');
    await hangUp(nobody, unentitled);
  });

  it('one that a directive takes its only field from is not valid, and is told why', async () => {
    const client = await connectAs(server.url);
    const query = 'subscription ($no: Boolean!) { checkoutUpdated(id: "x") @skip(if: $no) { id } }';
    const answer = await client.run(query, { no: true });
    expect(codesOf(answer)).toEqual(['2001']);
    expect(answer.payload[0].message).toContain('$no');
    await hangUp(client);
  });

  it('a checkout is followed without a token, and shows what the page shows', async () => {
    const { payment } = await newShop();
    const client = await connectAs(server.url, undefined, { origin: OWN_ORIGIN });
    const query = await client.run(CHECKOUT, { id: payment });
    client.subscribe('c', CHECKOUT_UPDATED, { id: payment });
    const first = (await client.next('c')).payload.data.checkoutUpdated;
    expect(first).toEqual(query.payload.data.checkout);
    expect(first).toMatchObject({ companyName: 'Tea Shop', amountDue: '100', networkName: 'Ethereum', test: false });
    await fixture.change(payment, { amountReceived: 99_500_000n, status: 'PARTIALLY_PAID' });
    expect((await client.next('c')).payload.data.checkoutUpdated).toMatchObject({
      amountReceived: '99.5',
      amountDue: '0.5',
    });
    await fixture.change(payment, { amountReceived: 120_000_000n, status: 'CONFIRMING' });
    expect((await client.next('c')).payload.data.checkoutUpdated).toMatchObject({
      amountDue: '0',
      status: 'CONFIRMING',
    });
    expect(codesOf(await client.run(CHECKOUT_UPDATED, { id: newId('ord') }))).toEqual(['2004']);
    const none = await client.run(CHECKOUT, { id: newId('ord') });
    expect(none.payload.data).toEqual({ checkout: null });
    expect(codesOf(none)).toEqual(['2004']);
    await hangUp(client);
  });

  it('ends by complete, and by hanging up: nobody is kept', async () => {
    const { token, payment } = await newShop();
    await until(() => fixture.live.listeners() === 0);
    const client = await connectAs(server.url, token);
    for (const id of ['a', 'b']) {
      client.subscribe(id, PAYMENT_UPDATED, { id: payment });
      await client.next(id);
    }
    client.send({ type: 'complete', id: 'a' });
    await until(() => fixture.live.listeners() === 1);
    client.socket.terminate();
    await until(() => fixture.live.listeners() === 0);
  });

  it('a subscription that is executed like a query opens nothing', async () => {
    const { payment } = await newShop();
    await until(() => fixture.live.listeners() === 0);
    const document = parse(CHECKOUT_UPDATED);
    const result = await execute({
      schema: fixture.engine.schema,
      document,
      variableValues: { id: payment },
      contextValue: {},
    });
    expect(result.errors?.[0]?.message).toBe('Subscriptions need a web socket, or /graphql/stream');
    expect(fixture.live.listeners()).toBe(0);
  });
});

describe('operations by socket', () => {
  it('queries and mutations work, with the errors they have over HTTP', async () => {
    const { token, payment } = await newShop();
    const client = await connectAs(server.url, token);
    expect((await client.run(PAYMENT, { id: payment })).payload).toEqual({ data: { payment: { id: payment } } });
    expect((await client.run(CANCEL, { id: payment })).payload.data.cancelPayment.status).toBe('CANCELED');
    const again = await client.run(CANCEL, { id: payment });
    expect(again.payload.errors[0].extensions).toEqual({
      code: 'CONFLICT',
      errorCode: '3005',
      requestId: client.requestId,
    });
    await hangUp(client);
  });

  it("a caller's own request id is kept", async () => {
    const client = await connect(server.url, { headers: { 'x-request-id': 'my-own_1' } });
    expect(client.requestId).toBe('my-own_1');
    await hangUp(client);
  });

  it.each([
    ['what is no GraphQL', '{ payment(', {}, 'GRAPHQL_PARSE_FAILED', '2008'],
    ['too many tokens', `{ ${'__typename '.repeat(2_000)} }`, {}, 'GRAPHQL_PARSE_FAILED', '2008'],
    ['an unknown field', '{ paymnets { nodes { id } } }', {}, 'GRAPHQL_VALIDATION_FAILED', '2001'],
    ['too many aliases', aliases(101), {}, 'GRAPHQL_VALIDATION_FAILED', '2001'],
    ['aliases hidden in fragments', fragmentAliases(), {}, 'GRAPHQL_VALIDATION_FAILED', '2001'],
    [
      'a fragment that spreads itself',
      '{ ...f } fragment f on Query { ...f }',
      {},
      'GRAPHQL_VALIDATION_FAILED',
      '2001',
    ],
    ['introspection, where it is off', '{ __schema { types { name } } }', {}, 'GRAPHQL_VALIDATION_FAILED', '2001'],
    ['no operation', 'fragment f on Payment { id }', {}, 'GRAPHQL_VALIDATION_FAILED', '2001'],
    ['a variable of a wrong type', CHECKOUT, { id: {} }, 'BAD_USER_INPUT', '2001'],
  ])('%s is answered with an error message, and the socket stays', async (_name, query, variables, code, errorCode) => {
    const client = await connectAs(server.url);
    const answer = await client.run(query, variables);
    expect(answer.type).toBe('error');
    expect(answer.payload[0].extensions).toMatchObject({ code, errorCode, requestId: client.requestId });
    expect(JSON.stringify(answer.payload)).not.toMatch(/Did you mean|node_modules/);
    expect((await client.run('{ __typename }')).payload).toEqual({ data: { __typename: 'Query' } });
    await hangUp(client);
  });

  it('a document at the limits passes, and one level more is refused', async () => {
    const open = await fixture.serve({ introspection: true });
    const client = await connectAs(open.url);
    expect((await client.run(aliases(100))).type).toBe('next');
    expect((await client.run(deepQuery(20))).type).toBe('next');
    const answer = await client.run(deepQuery(21));
    expect(answer.payload).toMatchObject([{ message: 'The operation is deeper than 20 levels' }]);
    await open.stop();
  });
});

describe('for the API log', () => {
  it('each operation is told once it has ended: whose it was, what, and how it ended', async () => {
    const reported: SocketCall[] = [];
    const logged = await fixture.serve({ onAnswered: (call) => void reported.push(call) });
    const { merchant, keyId, token, payment } = await newShop();
    const client = await connectAs(logged.url, token);
    const nobody = await connectAs(logged.url);
    const asked: [TestClient, string, Json][] = [
      [client, 'query Mine($id: ID!) { payment(id: $id) { id } }', { id: payment }],
      [client, CANCEL, { id: newId('ord') }],
      [client, '{ paymnets { nodes { id } } }', {}],
      [client, PAYMENT, { id: {} }],
      [nobody, PAYMENT, { id: payment }],
    ];
    for (const [index, [by, query, variables]] of asked.entries()) {
      await by.run(query, variables);
      await untilPasses(() => expect(reported).toHaveLength(index + 1));
    }
    client.subscribe('left', PAYMENT_UPDATED, { id: payment });
    await client.next('left');
    client.subscribe('cut', `${PAYMENT_UPDATED} # again`, { id: payment });
    await client.next('cut');
    expect(reported).toHaveLength(5);
    client.send({ type: 'complete', id: 'left' });
    await untilPasses(() => expect(reported).toHaveLength(6));
    await hangUp(client, nobody);
    await untilPasses(() => expect(reported).toHaveLength(7));
    const own = { requestId: client.requestId, ip: '127.0.0.1', caller: { merchantId: merchant, keyId } };
    expect(reported).toMatchObject([
      { ...own, operation: 'Mine', status: 200, errorCode: null },
      { ...own, operation: 'cancelPayment', status: 200, errorCode: '2004' },
      { ...own, operation: 'graphql', status: 400, errorCode: '2001' },
      { ...own, operation: 'payment', status: 400, errorCode: '2001' },
      { requestId: nobody.requestId, caller: null, operation: 'payment', status: 200, errorCode: '1001' },
      { ...own, operation: 'paymentUpdated', status: 200, errorCode: null },
      { ...own, operation: 'paymentUpdated', status: 200, errorCode: null },
    ]);
    for (const { durationMs } of reported) expect(Number.isInteger(durationMs)).toBe(true);
    await logged.stop();
  });

  it('what a rate limit refused has no caller, as over HTTP: no row for each message of a client without end', async () => {
    const reported: SocketCall[] = [];
    const limits = createRateLimits({ perSecond: 1 / 600, burst: 2, authPerMinute: 0 });
    const strict = await fixture.serve({ limits, onAnswered: (call) => void reported.push(call) });
    const { merchant, keyId, token } = await newShop();
    const client = await connectAs(strict.url, token);
    for (let n = 0; n < 5; n += 1) await client.run('{ __typename }');
    await untilPasses(() => expect(reported).toHaveLength(5));
    const own = { caller: { merchantId: merchant, keyId }, status: 200, errorCode: null };
    expect(reported.slice(0, 2)).toMatchObject([own, own]);
    const refused = { caller: null, operation: 'graphql', status: 429, errorCode: '9001' };
    expect(reported.slice(2)).toMatchObject([refused, refused, refused]);
    await hangUp(client);
    await strict.stop();
  });

  it('what was rejected under overload is not reported, as over HTTP', async () => {
    const reported: SocketCall[] = [];
    const overloaded = new GraphQLError('', { originalError: new GatewayError('OVERLOADED') });
    const full = await fixture.serve({
      execute: async () => ({ errors: [overloaded] }),
      onAnswered: (call) => void reported.push(call),
    });
    const client = await connectAs(full.url);
    expect(codesOf(await client.run('{ __typename }'))).toEqual(['9503']);
    await client.run('{');
    await hangUp(client);
    await full.stop();
    expect(reported).toMatchObject([{ operation: 'graphql', errorCode: '2008' }]);
  });

  it('what was executed and failed so has its row', async () => {
    const reported: SocketCall[] = [];
    const failed = new GraphQLError('', { originalError: new GatewayError('OVERLOADED'), path: ['payment'] });
    const down = await fixture.serve({
      execute: async () => ({ data: null, errors: [failed] }),
      onAnswered: (call) => void reported.push(call),
    });
    const client = await connectAs(down.url);
    await client.run('{ __typename }');
    await untilPasses(() =>
      expect(reported).toMatchObject([{ operation: '__typename', status: 200, errorCode: '9503' }]),
    );
    await hangUp(client);
    await down.stop();
  });
});

/** A valid query of a given depth: only introspection can be nested without end. */
function deepQuery(depth: number): string {
  const ofTypes = depth - 5; // Below __schema, types, fields and type, above name.
  return `{ __schema { types { fields { type { ${'ofType { '.repeat(ofTypes)} name ${'} '.repeat(depth)}`;
}

function aliases(count: number): string {
  return `{ ${Array.from({ length: count }, (_, i) => `a${i}: __typename`).join(' ')} }`;
}

function fragmentAliases(): string {
  return `{ ${'...f '.repeat(11)} } fragment f on Query ${aliases(10)}`;
}
