// When a web socket is refused or closed, and with which code.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRateLimits } from '../../src/server/rate-limit.ts';
import { until } from '../support/until.ts';
import {
  connect,
  connectAs,
  openSocketFixture,
  OWN_ORIGIN,
  type Json,
  type SocketFixture,
  type TestServer,
} from './socket-fixture.ts';
import { livedMs, livedMsOf } from '../support/lived-ms.ts';

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

const follow = async (token: string, id: string) => {
  const client = await connectAs(server.url, token);
  client.subscribe('a', PAYMENT_UPDATED, { id });
  await client.next('a');
  return client;
};

describe('the token', () => {
  it.each([
    ['that is none', { authorization: 'Bearer nonsense' }],
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
    expect(await livedMs(client.closed)).toBeLessThan(leftMs + 500);
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
    expect(await livedMsOf(() => fixture.sql('select'), client.closed)).toBeLessThan(1_000);
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

  it('one socket too many of a merchant, or of the process, is closed with 4429, and the others stay', async () => {
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
    expect(await (await connect(small.url)).closed).toBe(4429);
    for (const client of [own[1], ...others]) expect((await client?.run('{ __typename }'))?.type).toBe('next');
    await small.stop();
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

  it('who does not read is told so when he reads again, and closed with 1013; the others missed nothing', async () => {
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
    expect(await livedMs(closing)).toBeLessThan(2_500);
    expect(fixture.live.listeners()).toBe(0);
    expect(ending.sockets.size()).toBe(0);
    dead.socket.terminate();
    await ending.stop();
  });
});
