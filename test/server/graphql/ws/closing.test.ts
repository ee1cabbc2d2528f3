// When a web socket is refused or closed, and with which code.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHook } from 'node:async_hooks';
import { request, type IncomingHttpHeaders } from 'node:http';
import { createRateLimits } from '../../../../src/server/admission/rate-limit.ts';
import { until } from '../../../support/until.ts';
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
import { runningMs, runningMsOf } from '../../../support/running-time.ts';

const PAYMENT_UPDATED = 'subscription ($id: ID) { paymentUpdated(id: $id) { id productName } }';
const CHECKOUT_UPDATED = 'subscription ($id: ID!) { checkoutUpdated(id: $id) { id } }';
const MOST_WAITING = 10;

let fixture: SocketFixture;
let server: TestServer;

beforeAll(async () => {
  fixture = await openSocketFixture(MOST_WAITING);
  server = await fixture.serve();
});
afterAll(async () => {
  await server.stop();
  expect(fixture.live.listeners()).toBe(0);
  await fixture.stop();
});

/** The status with which an upgrade is refused. */
function refusalOf(url: string, headers: Record<string, string> = {}) {
  const asked = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', ...headers };
  const key = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-protocol': 'graphql-transport-ws' };
  return new Promise<{ status: number; headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
    const call = request(url.replace('ws', 'http'), { headers: { ...key, ...asked } }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (part: string) => (body += part));
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
    });
    call.once('upgrade', () => reject(new Error('The upgrade was granted')));
    call.once('error', reject).end();
  });
}

const follow = async (token: string, id: string) => {
  const client = await connectAs(server.url, token);
  client.subscribe('a', PAYMENT_UPDATED, { id });
  await client.next('a');
  return client;
};

describe('the token', () => {
  it.each([
    ['that is invalid', { authorization: 'Bearer nonsense' }],
    ['in another scheme', { authorization: 'Basic abc' }],
    ['that is no text', { authorization: { Bearer: 'x' } }],
  ])('one %s closes with 4403', async (_name, payload) => {
    const client = await connect(server.url);
    client.send({ type: 'connection_init', payload });
    expect(await client.closed).toBe(4403);
  });

  it('when it expires, the socket is closed with 4403 at that moment', async () => {
    const merchant = await fixture.newMerchant();
    const payment = await fixture.newPayment(merchant);
    const { clock } = fixture;
    clock.hold();
    const { token } = await fixture.newKey(merchant, undefined, 2);
    const client = await follow(token, payment);
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp: number };
    const leftMs = claims.exp * 1_000 - clock.now().getTime();
    clock.release();
    expect(await runningMs(client.closed)).toBeLessThan(leftMs + 500);
    expect(clock.now().getTime()).toBeGreaterThanOrEqual(claims.exp * 1_000);
    expect(await client.closed).toBe(4403);
  });

  it.each([
    ['is revoked', 'update api_key set revoked_at = now() where key_id = $1'],
    ['is narrowed', `update api_key set permissions = '{CREATE_PAYMENTS}' where key_id = $1`],
    ['may not be used from this address', `update api_key set ip_whitelist = '{10.0.0.0/8}' where key_id = $1`],
  ])('when its key %s, quiet sockets are closed with 4403 within a second', async (_name, change) => {
    const merchant = await fixture.newMerchant();
    const { keyId, token } = await fixture.newKey(merchant);
    const client = await follow(token, await fixture.newPayment(merchant));
    const other = await follow((await fixture.newKey(merchant)).token, await fixture.newPayment(merchant));
    await fixture.sql(change, [keyId]);
    expect(await runningMsOf(() => fixture.sql('select'), client.closed)).toBeLessThan(1_000);
    expect(await client.closed).toBe(4403);
    expect(other.socket.readyState).toBe(other.socket.OPEN);
    other.socket.close();
  });

  it('when its key is revoked, no change made after that second is sent', async () => {
    const merchant = await fixture.newMerchant();
    const { keyId, token } = await fixture.newKey(merchant);
    const payment = await fixture.newPayment(merchant);
    const client = await follow(token, payment);
    await fixture.sql('update api_key set revoked_at = now() where key_id = $1', [keyId]);
    await client.closed;
    await fixture.change(payment, { merchantOrderId: 'secret' });
    await expect(client.next('a')).rejects.toThrow('4403');
  });
});

describe('the protocol', () => {
  it('without connection_init in time the socket is closed with 4408', async () => {
    const hasty = await fixture.serve({ socketLimits: { initMs: 100 } });
    expect(await (await connect(hasty.url)).closed).toBe(4408);
    await hasty.stop();
  });

  it('an operation before connection_init closes with 4401, rubbish with 4400, no subprotocol with 4406', async () => {
    const early = await connect(server.url);
    early.subscribe('a', '{ __typename }');
    expect(await early.closed).toBe(4401);
    const rubbish = await connectAs(server.url);
    rubbish.socket.send('{');
    expect(await rubbish.closed).toBe(4400);
    expect(await (await connect(server.url, {}, [])).closed).toBe(4406);
  });

  it('a message over 64 KiB closes with 1009, one below is read', async () => {
    const client = await connectAs(server.url);
    const query = (bytes: number) => `{ __typename } ${'#'.repeat(bytes)}`;
    expect((await client.run(query(60 * 1_024))).payload.data).toEqual({ __typename: 'Query' });
    client.subscribe('big', query(64 * 1_024));
    expect(await client.closed).toBe(1009);
  });

  it('a client that does not answer pings is gone', async () => {
    const keen = await fixture.serve({ socketLimits: { pingMs: 50 } });
    const deaf = await connect(keen.url, { autoPong: false });
    const alive = await connectAs(keen.url);
    expect(await deaf.closed).toBe(1006);
    expect((await alive.run('{ __typename }')).type).toBe('next');
    await keen.stop();
  });
});

describe('the limits', () => {
  it('one operation too many on a socket closes it with 4429', async () => {
    const payment = await fixture.newPayment(await fixture.newMerchant());
    const client = await connectAs(server.url);
    for (let i = 0; i < 100; i += 1) client.subscribe(`s${i}`, CHECKOUT_UPDATED, { id: payment });
    for (let i = 0; i < 100; i += 1) expect((await client.next(`s${i}`)).type).toBe('next');
    client.subscribe('more', CHECKOUT_UPDATED, { id: payment });
    expect(await client.closed).toBe(4429);
  });

  it('one socket too many of a merchant is closed with 4429, one of the process refused, and the others stay', async () => {
    const small = await fixture.serve({ socketLimits: { socketsPerMerchant: 2, socketsPerProcess: 4 } });
    const { token } = await fixture.newKey(await fixture.newMerchant());
    const own = [await connectAs(small.url, token), await connectAs(small.url, token)];
    const third = await connect(small.url);
    third.send({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } });
    expect(await third.closed).toBe(4429);
    own[0]?.socket.close();
    await own[0]?.closed;
    await until(() => small.sockets.size() === 1);
    const others = [await connectAs(small.url, token), await connectAs(small.url), await connectAs(small.url)];
    const refused = await refusalOf(small.url);
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(refused.body).toContain('"9503"');
    for (const client of [own[1], ...others]) expect((await client?.run('{ __typename }'))?.type).toBe('next');
    await small.stop();
  });

  it('one socket too many of an address is refused before the upgrade, until one of them has a token or is gone', async () => {
    const small = await fixture.serve({ socketLimits: { socketsPerAddress: 2 } });
    const { token } = await fixture.newKey(await fixture.newMerchant());
    const first = await connectAs(small.url);
    const second = await connect(small.url);
    const refused = await refusalOf(small.url);
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '30' } });
    expect(refused.body).toContain('"9001"');
    second.send({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } });
    await second.next('connection_ack');
    const third = await connectAs(small.url);
    expect((await refusalOf(small.url)).status).toBe(429);
    first.socket.close();
    await until(() => small.sockets.size() === 2);
    const fourth = await connectAs(small.url);
    for (const client of [second, third, fourth]) expect((await client.run('{ __typename }')).type).toBe('next');
    await small.stop();
  });

  it('places are counted by the /64 of an IPv6 address, and given back by upgrades that come to nothing', async () => {
    let ip = '2001:db8:0:1::1';
    const clientOf = () => ({ ip, requestId: 'x', sessionToken: null });
    const limits = createRateLimits({ perSecond: 1 / 600, burst: 4, authPerMinute: 0 });
    const small = await fixture.serve({
      clientOf,
      limits,
      socketLimits: { socketsPerAddress: 1, socketsPerProcess: 3 },
    });
    const first = await connect(small.url);
    ip = '2001:db8:0:1:ffff::2';
    expect((await refusalOf(small.url)).status).toBe(429);
    ip = '2001:db8:0:2::1';
    const second = await connect(small.url);
    ip = '192.0.2.1';
    for (let n = 0; n < 6; n += 1) {
      const { status, body } = await refusalOf(small.url, { 'sec-websocket-version': '1' });
      expect([status, body.includes(n < 4 ? '"2008"' : '"9001"')]).toEqual([n < 4 ? 400 : 429, true]);
    }
    ip = '192.0.2.2';
    const third = await connect(small.url);
    for (const { socket } of [first, second, third]) expect(socket.readyState).toBe(socket.OPEN);
    await small.stop();
  });

  it.each([
    ['ping', (client: TestClient) => client.socket.ping('x')],
    ['pong', (client: TestClient) => client.socket.pong('x')],
    ['ping of the protocol', (client: TestClient) => client.send({ type: 'ping' })],
    ['pong of the protocol', (client: TestClient) => client.send({ type: 'pong' })],
  ])('one %s too many closes a socket with 4429; those before are answered', async (_name, say) => {
    const strict = await fixture.serve({ socketLimits: { pingsOfClient: 5 } });
    const client = await connectAs(strict.url);
    for (let n = 0; n < 5; n += 1) say(client);
    expect((await client.run('{ __typename }')).type).toBe('next');
    say(client);
    expect(await client.closed).toBe(4429);
    await strict.stop();
  });

  it.each([
    ['pings', (client: TestClient) => client.socket.ping()],
    ['pongs', (client: TestClient) => client.socket.pong()],
    ['pings of the protocol', (client: TestClient) => client.send({ type: 'ping' })],
  ])('%s without end are given up: each of them would cost a timer until the socket is closed', async (_name, say) => {
    const client = await connectAs(server.url);
    let timers = 0;
    const counting = createHook({ init: (_id, type) => void (timers += type === 'Timeout' ? 1 : 0) }).enable();
    for (let n = 0; n < 20_000; n += 1) say(client);
    expect([4429, 1006]).toContain(await client.closed);
    counting.disable();
    expect(timers).toBeLessThan(200);
    await until(() => server.sockets.size() === 0);
  });

  it('a client that pings and never reads is closed with 1013 once all together have too much waiting', async () => {
    const unread = {
      unreadBytes: 2 ** 40,
      unreadBytesOfAll: 1_000_000,
      unreadShareBytes: 65_536,
      pingsOfClient: 2 ** 40,
    };
    const strict = await fixture.serve({ socketLimits: unread });
    const client = await connectAs(strict.url);
    let answers = 0;
    client.socket.on('message', () => (answers += 1));
    client.socket.pause();
    // More than the system buffers for both sides.
    const asked = 600;
    for (let n = 0; n < asked; n += 1) client.send({ type: 'ping', payload: { text: 'x'.repeat(60_000) } });
    await until(() => client.socket.bufferedAmount === 0 || strict.sockets.size() === 0);
    client.socket.resume();
    // It has two seconds to receive the reason, and may stand still for longer.
    expect([1013, 1006]).toContain(await client.closed);
    expect(answers).toBeLessThan(asked);
    await strict.stop();
  });

  it('a pong without its ping does not count: a client that reads nothing cannot know the ping', async () => {
    const keen = await fixture.serve({ socketLimits: { pingMs: 200, pingsOfClient: 1_000_000 } });
    const deaf = await connect(keen.url, { autoPong: false });
    const timer = setInterval(() => deaf.socket.pong('guess'), 5);
    expect(await deaf.closed).toBe(1006);
    clearInterval(timer);
    await keen.stop();
  });

  it('upgrades and operations count as calls: 429 with Retry-After, and 9001', async () => {
    const limits = createRateLimits({ perSecond: 1 / 600, burst: 3, authPerMinute: 0 });
    const slow = await fixture.serve({ limits });
    const client = await connectAs(slow.url);
    expect((await client.run('{ __typename }')).type).toBe('next');
    expect((await client.run('{ __typename }')).type).toBe('next');
    const answer = await client.run('{ __typename }');
    expect(answer.payload[0].extensions).toMatchObject({ code: 'RATE_LIMITED', errorCode: '9001' });
    await expect(connect(slow.url)).rejects.toThrow('429');
    await slow.stop();
  });

  it('who does not read is told so when they read again, and closed with 1013; the others missed nothing', async () => {
    const merchant = await fixture.newMerchant();
    const { token } = await fixture.newKey(merchant);
    const payment = await fixture.newPayment(merchant);
    const [slow, quick] = [await follow(token, payment), await follow(token, payment)];
    slow.socket.pause();
    // Large enough that what the system buffers for the slow one is full long before the end.
    const text = 'x'.repeat(500_000);
    for (let i = 1; i <= 40; i += 1) {
      await fixture.change(payment, { productName: `${i} ${text}` });
      expect((await quick.next('a')).payload.data.paymentUpdated.productName).toMatch(new RegExp(`^${i} `));
    }
    slow.socket.resume();
    const seen: Json[] = [];
    do seen.push(await slow.next('a'));
    while (seen.at(-1).type === 'next');
    expect(seen.length).toBeLessThan(40);
    expect(seen.at(-1).payload[0].extensions.errorCode).toBe('9503');
    expect(await slow.closed).toBe(1013);
    quick.socket.close();
  });
});

describe('pages', () => {
  it.each([
    ['of ours', () => OWN_ORIGIN],
    ['of the address it connects to', () => server.url.replace('ws:', 'http:').replace('/graphql', '')],
  ])('a page %s may connect', async (_name, origin) => {
    const client = await connectAs(server.url, undefined, { origin: origin() });
    client.socket.close();
  });

  it.each(['https://evil.example', 'null', 'https://pay.example.evil.example', 'http://pay.example'])(
    'a page of %s may not',
    async (origin) => {
      await expect(connect(server.url, { origin })).rejects.toThrow('403');
    },
  );
});

describe('closing the server', () => {
  it('closes every socket with 1001, waits at most two seconds for those that do not agree, and takes no more', async () => {
    const ending = await fixture.serve();
    const payment = await fixture.newPayment(await fixture.newMerchant());
    await until(() => fixture.live.listeners() === 0);
    const clients = [await connectAs(ending.url), await connectAs(ending.url)];
    for (const client of clients) {
      client.subscribe('a', CHECKOUT_UPDATED, { id: payment });
      await client.next('a');
    }
    const dead = await connectAs(ending.url);
    dead.socket.pause();
    const closing = ending.sockets.close();
    for (const client of clients) expect(await client.closed).toBe(1001);
    await expect(connect(ending.url)).rejects.toThrow('503');
    expect(await runningMs(closing)).toBeLessThan(2_500);
    expect(fixture.live.listeners()).toBe(0);
    expect(ending.sockets.size()).toBe(0);
    dead.socket.terminate();
    await ending.stop();
  });
});
