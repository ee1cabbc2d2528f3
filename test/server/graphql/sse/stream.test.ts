// GraphQL over Server-Sent Events: the same operations and the same rules as over HTTP and sockets.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from 'graphql-sse';
import { request } from 'node:http';
import type { OperationContext } from '../../../../src/access/caller.ts';
import { newId } from '../../../../src/values/id.ts';
import { until } from '../../../support/until.ts';
import { connectAs, openSocketFixture, type Json, type SocketFixture } from '../ws/setup.fixture.ts';
import { openStream, serveStreams, type StreamServer } from './setup.fixture.ts';
import { runningMsOf } from '../../../support/running-time.ts';

const PAYMENT_UPDATED = 'subscription ($id: ID) { paymentUpdated(id: $id) { id productName } }';
const CHECKOUT_UPDATED = 'subscription ($id: ID!) { checkoutUpdated(id: $id) { id } }';
const EVENT_ADDED =
  'subscription ($after: Int) { eventAdded(after: $after) { sequence type payment { productName } } }';
const DELIVERY_UPDATED =
  'subscription { webhookDeliveryUpdated { deliveryId status attempts attemptLog { attempt } } }';
const SETTINGS = 'mutation ($input: SettingsInput!) { updateSettings(input: $input) { companyName } }';
const MOST_WAITING = 10;

let fixture: SocketFixture;
let server: StreamServer;
let merchant: string;
let payment: string;
let token: string;
let keyId: string;

beforeAll(async () => {
  fixture = await openSocketFixture(MOST_WAITING);
  server = await serveStreams(fixture);
  merchant = await fixture.newMerchant();
  payment = await fixture.newPayment(merchant);
  ({ token, keyId } = await fixture.newKey(merchant));
});
afterAll(async () => {
  await server.stop();
  await until(() => fixture.live.listeners() === 0);
  await fixture.stop();
});

describe('operations', () => {
  it('a subscription has its state first, then each change, unbuffered and uncached, under its request id', async () => {
    const headers = { 'x-request-id': 'stream-1' };
    const stream = await openStream(server.url, { query: PAYMENT_UPDATED, variables: { id: payment }, token, headers });
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      'x-request-id': 'stream-1',
      'x-content-type-options': 'nosniff',
    });
    expect((await stream.next()).data.paymentUpdated).toEqual({ id: payment, productName: null });
    for (const productName of ['one', 'two', 'three']) await fixture.change(payment, { productName });
    for (const productName of ['one', 'two', 'three'])
      expect((await stream.next()).data.paymentUpdated).toEqual({ id: payment, productName });
    expect(stream.comments()).toBeGreaterThan(0);
    stream.close();
    await until(() => fixture.live.listeners() === 0);
    await until(() => server.streams.size() === 0);
  });

  it('an EventSource follows a checkout by GET, without a token', async () => {
    const ask = { query: CHECKOUT_UPDATED, variables: { id: payment }, method: 'GET' } as const;
    const stream = await openStream(server.url, ask);
    expect((await stream.next()).data.checkoutUpdated).toEqual({ id: payment });
    stream.close();
  });

  it('the event log is resumed where it was left', async () => {
    const shop = await fixture.newMerchant();
    const own = (await fixture.newKey(shop)).token;
    const order = await fixture.newPayment(shop);
    const first = await openStream(server.url, { query: EVENT_ADDED, variables: { after: 0 }, token: own });
    expect((await first.next()).data.eventAdded.sequence).toBe(1);
    first.close();
    for (const productName of ['a', 'b']) await fixture.change(order, { productName });
    const second = await openStream(server.url, { query: EVENT_ADDED, variables: { after: 1 }, token: own });
    for (const [sequence, productName] of [
      [2, 'a'],
      [3, 'b'],
    ]) {
      const { eventAdded } = (await second.next()).data;
      expect(eventAdded).toEqual({ sequence, type: 'payment.updated', payment: { productName } });
    }
    second.close();
    const refused = await openStream(server.url, { query: EVENT_ADDED, variables: { after: -1 }, token: own });
    expect((await refused.next()).errors[0].extensions).toMatchObject({ errorCode: '2001' });
  });

  it("deliveries are told with their attempts, and only the merchant's own", async () => {
    const stream = await openStream(server.url, { query: DELIVERY_UPDATED, token });
    await until(() => stream.comments() > 0);
    const [foreign, own] = [newId('dlv'), newId('dlv')];
    for (const [id, of] of [
      [foreign, await fixture.newMerchant()],
      [own, merchant],
    ])
      await fixture.sql(
        `with made as (insert into event (id, merchant_id, type, created_at) values ($3, $2, 'webhook.test', now())),
           told as (insert into webhook_change (delivery_ids) values (array[$1]))
         insert into webhook_delivery (id, event_id, merchant_id, is_primary, lane, url, status, due_at, created_at)
         select $1, id, $2, true, $1, $1, 'PENDING', now(), now() from event limit 1`,
        [id, of, newId('evt')],
      );
    expect((await stream.next()).data.webhookDeliveryUpdated).toMatchObject({ deliveryId: own, status: 'PENDING' });
    await fixture.sql(
      `with told as (insert into webhook_change (delivery_ids) values (array[$1]))
       insert into webhook_attempt (delivery_id, attempt, at, url, response_time_ms, status)
       values ($1, 1, now(), '', 1, 'RETRYING')`,
      [own],
    );
    const update = { deliveryId: own, status: 'RETRYING', attempts: 1, attemptLog: [{ attempt: 1 }] };
    expect((await stream.next()).data.webhookDeliveryUpdated).toEqual(update);
    stream.close();
  });

  it('queries and mutations are answered and completed; a mutation is repeated by its key, and none comes by GET', async () => {
    const query = await openStream(server.url, { query: '{ settings { companyName } }', token });
    expect(await query.next()).toEqual({ data: { settings: { companyName: 'Tea Shop' } } });
    expect(await query.next()).toBeNull();
    await until(() => query.ended());
    const variables = { input: { companyName: 'Tea Shop' } };
    const mutation = await openStream(server.url, { query: SETTINGS, variables, token });
    expect((await mutation.next()).data.updateSettings).toEqual({ companyName: 'Tea Shop' });
    const byGet = await openStream(server.url, { query: SETTINGS, variables, token, method: 'GET' });
    expect(byGet).toMatchObject({ status: 405, headers: { allow: 'POST' } });
    expect(byGet.body.errors[0].extensions.errorCode).toBe('2005');
    const two = 'mutation { a: rotateWebhookSecret { secret } b: rotateWebhookSecret { secret } }';
    const keyed = await openStream(server.url, { query: two, token, headers: { 'idempotency-key': 'k' } });
    expect((await keyed.next()).errors[0].extensions.errorCode).toBe('2001');
  });
});

describe('the client library of the protocol', () => {
  it('follows, is told of errors, and leaves', async () => {
    const client = createClient({ url: server.url, retryAttempts: 0, headers: { authorization: `Bearer ${token}` } });
    // The streams of earlier tests have ended.
    await until(() => fixture.live.listeners() === 0);
    for await (const { data } of client.iterate<Json>({ query: PAYMENT_UPDATED, variables: { id: payment } })) {
      expect(data?.paymentUpdated.id).toBe(payment);
      break;
    }
    await until(() => fixture.live.listeners() === 0);
    for await (const { errors } of client.iterate({ query: PAYMENT_UPDATED, variables: { id: 'ord_none' } }))
      expect(errors?.[0]?.extensions).toMatchObject({ errorCode: '2004' });
    client.dispose();
  });
});

describe('refusals', () => {
  it.each<[string, string, Json, string]>([
    ['what cannot be parsed', '{', {}, '2008'],
    ['what the schema does not have', '{ nothing }', {}, '2001'],
    ['a document with too many aliases', `{ ${'a: __typename '.repeat(101)} }`, {}, '2001'],
    ['what is not there', PAYMENT_UPDATED, { id: 'ord_none' }, '2004'],
  ])('%s is an event with errors, and the end', async (_name, query, variables, errorCode) => {
    const stream = await openStream(server.url, { query, variables, token });
    const { data, errors } = await stream.next();
    expect(data ?? null).toBeNull();
    expect(errors[0].extensions).toMatchObject({ errorCode, requestId: stream.headers['x-request-id'] });
    expect(await stream.next()).toBeNull();
    await until(() => stream.ended());
  });

  it('a missing permission is named; without a token it is 1001', async () => {
    const narrow = await fixture.newKey(merchant, ['CREATE_PAYMENTS']);
    const refused = await openStream(server.url, { query: PAYMENT_UPDATED, token: narrow.token });
    expect((await refused.next()).errors[0].message).toBe('Missing permission: READ_PAYMENTS');
    const nobody = await openStream(server.url, { query: DELIVERY_UPDATED });
    expect((await nobody.next()).errors[0].extensions.errorCode).toBe('1001');
  });

  it.each<[string, Json, number, string]>([
    ['a wrong token', { token: 'nonsense' }, 401, '1002'],
    ['a stream shared by operations', { headers: { 'x-graphql-event-stream-token': 'x' } }, 400, '2001'],
    ['another media type', { headers: { 'content-type': 'text/plain' } }, 415, '2007'],
    ['no query', { query: 7 }, 400, '2001'],
    ['an invalid query over GET', { method: 'GET', variables: '[' }, 400, '2001'],
  ])('%s is answered with its status', async (_name, ask, status, errorCode) => {
    const stream = await openStream(server.url, { query: '{ __typename }', ...ask });
    expect(stream.status).toBe(status);
    expect(stream.body.errors[0].extensions.errorCode).toBe(errorCode);
    expect(stream.headers['x-request-id']).toMatch(/^[\w-]+$/);
  });

  it.each(['PUT', 'DELETE', 'PATCH'])('%s, by which a shared stream would be reserved, is 405', async (method) => {
    const answer = await fetch(server.url, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, POST');
  });

  it('plain HTTP is 1008 where HTTPS is required, and too many calls are 429', async () => {
    const live = await serveStreams(fixture, { httpsOnly: true });
    const plain = await openStream(live.url, { query: '{ __typename }' });
    expect(plain.body.errors[0].extensions.errorCode).toBe('1008');
    await live.stop();
    const slow = await serveStreams(fixture, { rateLimit: { perSecond: 1 / 600, burst: 1, authPerMinute: 0 } });
    const first = await openStream(slow.url, { query: '{ __typename }', token });
    expect(first.headers['ratelimit-limit']).toBe('1');
    const second = await openStream(slow.url, { query: '{ __typename }', token });
    expect(second).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } });
    await slow.stop();
  });

  it('connections are counted with the sockets: one too many of a merchant is 429, of the process 503', async () => {
    const small = await serveStreams(fixture, { socketLimits: { socketsPerMerchant: 2, socketsPerProcess: 3 } });
    const ask = { query: PAYMENT_UPDATED, variables: { id: payment }, token };
    const socket = await connectAs(small.socketUrl, token);
    const stream = await openStream(small.url, ask);
    const third = await openStream(small.url, ask);
    expect(third).toMatchObject({ status: 429, headers: { 'retry-after': '30' } });
    expect(third.body.errors[0].extensions.errorCode).toBe('9001');
    const open = { query: CHECKOUT_UPDATED, variables: { id: payment } };
    const free = await openStream(small.url, open);
    expect(await openStream(small.url, open)).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    socket.socket.close();
    await socket.closed;
    const again = await until(async () => {
      const answer = await openStream(small.url, ask);
      return answer.status === 200 ? answer : null;
    });
    for (const client of [stream, free, again]) client.close();
    await small.stop();
  });
});

describe('a query whose caller has hung up', () => {
  it('is over on a stream and on a socket, and on neither before', async () => {
    const contexts: OperationContext[] = [];
    let end: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    const own = await serveStreams(fixture, {
      execute: async ({ context }) => {
        contexts.push(context);
        await held;
        return { data: {} };
      },
    });
    const { port } = new URL(own.url);
    const stream = request({ port, path: '/graphql/stream', method: 'POST', agent: false });
    stream.on('error', () => undefined);
    stream.setHeader('content-type', 'application/json').end('{"query":"{ __typename }"}');
    const { socket } = await connectAs(own.socketUrl);
    socket.send(JSON.stringify({ id: 'a', type: 'subscribe', payload: { query: '{ __typename }' } }));
    await until(() => contexts.length === 2);
    const areOver = () => contexts.map(({ load }) => load?.isOver);
    expect(areOver()).toEqual([false, false]);
    stream.destroy();
    socket.terminate();
    await until(() => areOver().every(Boolean));
    end();
    await own.stop();
  });
});

describe('streams without a token', () => {
  it('are counted by their address with its sockets: one too many is 429 with Retry-After', async () => {
    const small = await serveStreams(fixture, { socketLimits: { socketsPerAddress: 2 } });
    const open = { query: CHECKOUT_UPDATED, variables: { id: payment } };
    const socket = await connectAs(small.socketUrl);
    const free = await openStream(small.url, open);
    const refused = await openStream(small.url, open);
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '30' } });
    expect(refused.body.errors[0].extensions.errorCode).toBe('9001');
    const own = await openStream(small.url, { query: PAYMENT_UPDATED, variables: { id: payment }, token });
    expect(own.status).toBe(429);
    socket.socket.close();
    await socket.closed;
    const again = await until(async () => {
      const answer = await openStream(small.url, { query: PAYMENT_UPDATED, variables: { id: payment }, token });
      return answer.status === 200 ? answer : null;
    });
    // It has a token, and its address has a free slot again.
    await again.next();
    const last = await openStream(small.url, open);
    expect(last.status).toBe(200);
    for (const client of [free, again, last]) client.close();
    await small.stop();
  });
});

describe('the end of a stream', () => {
  it('when its key is revoked, a quiet stream ends within a second by an error and complete', async () => {
    const { keyId: revoked, token: own } = await fixture.newKey(merchant);
    const stream = await openStream(server.url, { query: PAYMENT_UPDATED, variables: { id: payment }, token: own });
    const other = await openStream(server.url, { query: PAYMENT_UPDATED, variables: { id: payment }, token });
    await Promise.all([stream.next(), other.next()]);
    await fixture.sql('update api_key set revoked_at = now() where key_id = $1', [revoked]);
    const last = stream.next();
    expect(await runningMsOf(() => fixture.sql('select'), last)).toBeLessThan(1_000);
    expect((await last).errors[0].extensions).toMatchObject({ code: 'UNAUTHENTICATED', errorCode: '1006' });
    expect(await stream.next()).toBeNull();
    await until(() => stream.ended());
    await fixture.change(payment, { productName: 'after' });
    expect((await other.next()).data.paymentUpdated.productName).toBe('after');
    other.close();
  });

  it('when its token expires or its key is narrowed, it ends at that moment, and says why', async () => {
    fixture.clock.hold();
    const short = await fixture.newKey(merchant, undefined, 2);
    const narrowed = await fixture.newKey(merchant);
    const ask = { query: PAYMENT_UPDATED, variables: { id: payment } };
    const expiring = await openStream(server.url, { ...ask, token: short.token });
    const losing = await openStream(server.url, { ...ask, token: narrowed.token });
    for (const stream of [expiring, losing]) await stream.next();
    fixture.clock.release();
    await fixture.sql(`update api_key set permissions = '{CREATE_PAYMENTS}' where key_id = $1`, [narrowed.keyId]);
    expect((await losing.next()).errors[0]).toMatchObject({
      ...{ message: 'Missing permission: READ_PAYMENTS', extensions: { errorCode: '1004' } },
    });
    expect((await expiring.next()).errors[0].extensions.errorCode).toBe('1002');
    for (const stream of [expiring, losing]) expect(await stream.next()).toBeNull();
  });

  it('who does not read is told so when they read again; the others missed nothing', async () => {
    const ask = { query: PAYMENT_UPDATED, variables: { id: payment }, token };
    const [slow, quick] = [await openStream(server.url, ask), await openStream(server.url, ask)];
    await Promise.all([slow.next(), quick.next()]);
    slow.pause();
    // Large enough that what the system buffers for the slow one is full long before the end.
    const text = 'x'.repeat(500_000);
    for (let i = 1; i <= 40; i += 1) {
      await fixture.change(payment, { productName: `${i} ${text}` });
      expect((await quick.next()).data.paymentUpdated.productName).toMatch(new RegExp(`^${i} `));
    }
    slow.resume();
    const seen: Json[] = [];
    do seen.push(await slow.next());
    while (seen.at(-1).errors === undefined);
    expect(seen.length).toBeLessThan(40);
    expect(seen.at(-1).errors[0].extensions.errorCode).toBe('9503');
    expect(await slow.next()).toBeNull();
    quick.close();
    await fixture.change(payment, { productName: null });
  });

  it('a reader that never takes what waits for them is dropped', async () => {
    const keen = await serveStreams(fixture, { socketLimits: { pingMs: 100 } });
    const stream = await openStream(keen.url, { query: PAYMENT_UPDATED, variables: { id: payment }, token });
    await stream.next();
    stream.pause();
    for (let i = 0; i < 20; i += 1) await fixture.change(payment, { productName: 'x'.repeat(500_000) });
    await until(() => keen.streams.size() === 0);
    stream.close();
    await fixture.change(payment, { productName: null });
    await keen.stop();
  });

  it('at shutdown every stream ends by 9503 and complete, and no more are taken', async () => {
    const ending = await serveStreams(fixture);
    const ask = { query: CHECKOUT_UPDATED, variables: { id: payment } };
    const streams = [await openStream(ending.url, ask), await openStream(ending.url, ask)];
    for (const stream of streams) await stream.next();
    const closing = ending.streams.close();
    for (const stream of streams) {
      expect((await stream.next()).errors[0].extensions.errorCode).toBe('9503');
      expect(await stream.next()).toBeNull();
    }
    await closing;
    expect(await openStream(ending.url, ask)).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    await ending.stop();
  });

  it('a key that was revoked before is refused at once', async () => {
    await fixture.sql('update api_key set revoked_at = now() where key_id = $1', [keyId]);
    const refused = await until(async () => {
      const answer = await openStream(server.url, { query: '{ __typename }', token });
      return answer.status === 401 ? answer : null;
    });
    expect(refused.body.errors[0].extensions.errorCode).toBe('1006');
  });
});
