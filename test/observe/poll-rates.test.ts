// Polling the feeds of rates: when each is asked, what of its answers is stored, and what happens when it fails,
// stalls, or its poller is killed (contract-invoices, sections 2 and 13).

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RequestListener } from 'node:http';
import { claimFeed } from '../../src/database/queries/rates/feeds.ts';
import { createFeedReader, LONGEST_READ_HERE } from '../../src/observe/feed-thread.ts';
import { secondsToWait } from '../../src/observe/poll-rates.ts';
import { createSetup, START, type Setup } from '../domain/book.fixture.ts';
import { closeReceivers } from '../dispatch/receivers.fixture.ts';
import { RECORDED_FEEDS, recordingOf } from '../values/feeds/recordings.fixture.ts';
import { until } from '../support/until.ts';
import { BODIES, openDesk, openEgress, openFeed, refuse, type Desk } from './feeds.fixture.ts';

let setup: Setup;
let desk: Desk;

beforeAll(async () => {
  setup = await createSetup();
});
afterAll(() => setup.stop());
beforeEach(async () => {
  setup.setNow(START);
  desk = openDesk(setup.deps);
  await setup.sql('truncate rate_feed, rate_tick, rate');
});
afterEach(async () => {
  await desk.close();
  await closeReceivers();
});

const secondsLater = (seconds: number) => new Date(START.getTime() + seconds * 1_000);
const ticks = async () => {
  const rows = await setup.sql<{ tick: string }>(
    `select concat(feed, ' ', code, ' ', trim_scale(usd)) as tick from rate_tick order by 1`,
  );
  return rows.map(({ tick }) => tick);
};
/** The feed's failures in a row, the seconds until it is due, and whether it is being polled. */
const feed = async (name = 'one') => {
  const [row] = await setup.sql<{ failures: number; dueAt: Date | string; isPolled: boolean }>(
    'select failures, due_at as "dueAt", lease is not null as "isPolled" from rate_feed where name = $1',
    [name],
  );
  if (!row) throw new Error(`${name} was never polled`);
  return { ...row, dueAt: (new Date(row.dueAt).getTime() - START.getTime()) / 1_000 };
};
const ONE = BODIES.custom({ BTC: '60000' });

describe('a feed', () => {
  it('is asked every so many seconds, by one process at a time, and its newest prices are kept', async () => {
    const double = await openFeed(BODIES.custom({ BTC: '60000', EUR: '1.08' }));
    const [poller, another] = [desk.poller('one', double.url), desk.poller('one', double.url)];
    await Promise.all([poller.poll(), another.poll(), poller.poll()]);
    expect(await ticks()).toEqual(['one BTC 60000', 'one EUR 1.08']);
    double.answers(BODIES.custom({ BTC: '60001' }));
    setup.setNow(secondsLater(29));
    await another.poll();
    expect(double.requests).toHaveLength(1);
    setup.setNow(secondsLater(30));
    await another.poll();
    expect(double.requests).toHaveLength(2);
    expect(await ticks()).toEqual(['one BTC 60001', 'one EUR 1.08']);
    expect(await feed()).toEqual({ failures: 0, dueAt: 60, isPolled: false });
  });

  it('keeps what it dated later', async () => {
    const double = await openFeed(BODIES.custom({ BTC: '60000' }, START));
    const poller = desk.poller('one', double.url);
    await poller.poll();
    double.answers(BODIES.custom({ BTC: '50000' }, secondsLater(-60)));
    setup.setNow(secondsLater(30));
    await poller.poll();
    expect(await ticks()).toEqual(['one BTC 60000']);
  });

  it('coingecko is asked once a minute at most', async () => {
    const double = await openFeed(recordingOf('coingecko'));
    const poller = desk.poller('coingecko', double.url, { kind: 'coingecko' });
    await poller.poll();
    setup.setNow(secondsLater(59));
    await poller.poll();
    expect(double.requests).toHaveLength(1);
    setup.setNow(secondsLater(60));
    await poller.poll();
    expect(double.requests).toHaveLength(2);
  });

  it.each(RECORDED_FEEDS)('%s: its documented answer is stored', async (kind) => {
    const double = await openFeed(recordingOf(kind));
    await desk.poller(kind, `${double.url}/path`, { kind }).poll();
    expect((await ticks()).length).toBeGreaterThan(2);
    expect(double.requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /path']);
  });
});

describe('a feed that fails', () => {
  const failing: [string, RequestListener][] = [
    ['with 500', refuse(500)],
    ['with 404', refuse(404)],
    ['with a redirect, which is not followed', refuse(302, { location: '/elsewhere' })],
    ['by cutting the connection', (_request, response) => void response.destroy()],
    ['by answering nothing of use', (_request, response) => void response.end(BODIES.custom({ BTC: '0' }))],
    ['by answering no JSON', (_request, response) => void response.end('{"rates": [')],
    ['with 3 MiB', (_request, response) => void response.end(`${ONE}${' '.repeat(3 * 1024 * 1024)}`)],
    [
      'with 3 MiB in small pieces',
      (_request, response) => {
        const piece = ' '.repeat(64 * 1024);
        for (let nth = 0; nth < 48; nth += 1) response.write(piece);
        response.end(ONE);
      },
    ],
  ];

  it.each(failing)('%s is asked again after twice the time, and twice that, up to ten minutes', async (_, answer) => {
    const double = await openFeed(ONE);
    const poller = desk.poller('one', double.url);
    await poller.poll();
    double.answers(answer);
    for (const [nth, at, dueAt] of [
      [1, 30, 90],
      [2, 90, 210],
      [3, 210, 450],
      [4, 450, 930],
      [5, 930, 1_530],
      [6, 1_530, 2_130],
    ] as const) {
      setup.setNow(secondsLater(at));
      await poller.poll();
      expect(await feed()).toEqual({ failures: nth, dueAt, isPolled: false });
    }
    expect(double.requests.map(({ url }) => url)).toEqual(Array.from({ length: 7 }, () => '/'));
    expect(await ticks()).toEqual(['one BTC 60000']);
    double.answers(ONE);
    setup.setNow(secondsLater(2_130));
    await poller.poll();
    expect(await feed()).toEqual({ failures: 0, dueAt: 2_160, isPolled: false });
  });

  it.each([
    ['in seconds', '700', 700],
    ['sooner than it would be anyway', '5', 60],
    ['of more than an hour, up to an hour', '86400', 3_600],
    ['as a date', secondsLater(900).toUTCString(), 900],
    ['as a date that has passed', secondsLater(-900).toUTCString(), 60],
    ['that is neither', 'tomorrow', 60],
    ['that is negative', '-5', 60],
  ])('with 429 is asked again when it says, %s', async (_, retryAfter, dueAt) => {
    const double = await openFeed(refuse(429, { 'retry-after': retryAfter }));
    await desk.poller('one', double.url).poll();
    expect(await feed()).toEqual({ failures: 1, dueAt, isPolled: false });
  });

  it('is never asked sooner than one that answers', () => {
    expect(secondsToWait(3_600, 1, { retryAfter: null }, START)).toBe(3_600);
    expect(secondsToWait(30, 1_000, { retryAfter: null }, START)).toBe(600);
  });

  it('by silence, or by a drip that never ends, is given up, and delays no other', async () => {
    const silent = await openFeed(() => undefined);
    const dripping = await openFeed((_request, response) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => {
        clearInterval(timer);
      });
    });
    const sound = await openFeed(ONE);
    // What is five seconds in a gateway.
    const egress = openEgress({ deadlineMs: 500 });
    const polls = [silent, dripping].map((double, nth) => desk.poller(`stalled ${nth}`, double.url, { egress }).poll());
    await until(() => silent.requests.length + dripping.requests.length === 2);
    await desk.poller('one', sound.url).poll();
    expect(await ticks()).toEqual(['one BTC 60000']);
    await Promise.all(polls);
    await egress.close();
    expect([await feed('stalled 0'), await feed('stalled 1')]).toMatchObject([{ failures: 1 }, { failures: 1 }]);
  });

  it('because the thread that reads its answer says nothing is asked again later, and delays no other', async () => {
    const large = `${' '.repeat(LONGEST_READ_HERE)}${ONE}`;
    const [stuck, sound] = [await openFeed(large), await openFeed(large)];
    const module = new URL('./silent-thread.fixture.js', import.meta.url);
    const reader = createFeedReader({ module, deadlineMs: 500 });
    const poll = desk.poller('stuck', stuck.url, { reader }).poll();
    await desk.poller('one', sound.url).poll();
    expect(await ticks()).toEqual(['one BTC 60000']);
    await poll;
    expect(await feed('stuck')).toEqual({ failures: 1, dueAt: 60, isPolled: false });
  });

  it('at an address of a private network is refused, whatever its name, and not over plain http either', async () => {
    const double = await openFeed(ONE);
    const refused: string[] = [];
    const egress = openEgress({
      allowPrivate: false,
      resolver: async () => ['10.0.0.5'],
      onRefused: (host, addresses) => refused.push(`${host} ${addresses.join()}`),
    });
    await desk.poller('plain', double.url.replace('127.0.0.1', 'feed.example'), { egress }).poll();
    await desk.poller('loopback', `https://127.0.0.1:${double.port}/`, { egress }).poll();
    await desk.poller('rebound', 'https://feed.example/', { egress }).poll();
    await egress.close();
    for (const name of ['plain', 'loopback', 'rebound']) expect(await feed(name)).toMatchObject({ failures: 1 });
    expect(double.connections()).toBe(0);
    expect(refused).toEqual(['feed.example 10.0.0.5']);
  });
});

describe('a poller that is killed', () => {
  it('holds its feed for twenty seconds', async () => {
    const double = await openFeed(ONE);
    // What it does before it asks.
    expect(await claimFeed(setup.deps.db.em, 'one', START, secondsLater(20))).toMatchObject({ failures: 0 });
    const poller = desk.poller('one', double.url);
    setup.setNow(secondsLater(19.999));
    await poller.poll();
    expect(double.requests).toHaveLength(0);
    setup.setNow(secondsLater(20));
    await poller.poll();
    expect(await ticks()).toEqual(['one BTC 60000']);
  });

  it('and was only suspended records nothing that it read: its late finish is fenced', async () => {
    let isHeld = true;
    const double = await openFeed(() => undefined);
    double.answers(
      (_request, response) => void until(() => !isHeld).then(() => response.end(BODIES.custom({ BTC: '1', LTC: '1' }))),
    );
    const late = desk.poller('one', double.url).poll();
    await until(() => double.requests.length === 1);
    double.answers(ONE);
    setup.setNow(secondsLater(20));
    await desk.poller('one', double.url).poll();
    isHeld = false;
    await late;
    expect(await ticks()).toEqual(['one BTC 60000']);
    expect(await feed()).toEqual({ failures: 0, dueAt: 50, isPolled: false });
  });

  it('and ends late with a failure does not put off the next poll', async () => {
    let isHeld = true;
    const double = await openFeed(() => undefined);
    double.answers((_request, response) => void until(() => !isHeld).then(() => response.destroy()));
    const late = desk.poller('one', double.url).poll();
    await until(() => double.requests.length === 1);
    // Another claims it, and is asking still.
    setup.setNow(secondsLater(20));
    const claim = await claimFeed(setup.deps.db.em, 'one', secondsLater(20), secondsLater(40));
    expect(claim).not.toBeNull();
    isHeld = false;
    await late;
    expect(await feed()).toMatchObject({ failures: 0, dueAt: 0, isPolled: true });
  });
});
