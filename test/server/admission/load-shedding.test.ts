// Overload: which calls wait, which are told to come back, and that nothing of it is left afterwards.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createAdmissionQueue, OVERLOAD_LIMITS } from '../../../src/server/admission/admission-queue.ts';
import { graphql, newMerchant, send, type TestMerchant } from '../../support/clients.ts';
import { dataOf, expectGraphQLError } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import type { Ending } from './burst-program.fixture.ts';
import { connectAs, type TestClient } from '../graphql/ws/setup.fixture.ts';
import { runningMs } from '../../support/running-time.ts';

describe('the admission queue', () => {
  const limits = { underWay: 2, waiting: 2, patienceMs: 1_000, standingPatienceMs: 50 };

  function openTurnstile() {
    let at = 0;
    const admission = createAdmissionQueue({ limits, now: () => at });
    const seen: string[] = [];
    const enter = (name: string, caller = 'somebody') =>
      admission.enter(caller, (admitted) => void seen.push(`${name} ${admitted ? 'in' : 'out'}`));
    return { ...admission, enter, seen, pass: (ms: number) => (at += ms) };
  }

  it('lets few in at once, some wait in their order, one more is rejected', () => {
    const { enter, seen, figures } = openTurnstile();
    const leave = ['a', 'b', 'c', 'd', 'e'].map((name) => enter(name));
    expect(seen).toEqual(['a in', 'b in', 'e out']);
    expect(figures()).toEqual({ underWay: 2, waiting: 2 });
    leave[1]?.();
    leave[1]?.();
    leave[4]?.();
    expect(seen).toEqual(['a in', 'b in', 'e out', 'c in']);
    leave[0]?.();
    leave[2]?.();
    leave[3]?.();
    expect(seen.at(-1)).toBe('d in');
    expect(figures()).toEqual({ underWay: 0, waiting: 0 });
  });

  it('forgets who hangs up while they wait', () => {
    const { enter, seen, figures } = openTurnstile();
    const [a, , c] = ['a', 'b', 'c', 'd'].map((name) => enter(name));
    c?.();
    a?.();
    expect(seen).toEqual(['a in', 'b in', 'd in']);
    expect(figures()).toEqual({ underWay: 2, waiting: 0 });
  });

  it('lets callers who wait take turns, however many calls one of them waits with', () => {
    const { enter, seen, figures } = openTurnstile();
    const leave = [enter('a1', 'a'), enter('a2', 'a')];
    for (const name of ['a3', 'a4']) enter(name, 'a');
    // There is room for two: the last call of the caller with more than their share gives way to one of a caller
    // without any.
    enter('b1', 'b');
    enter('b2', 'b');
    expect(seen).toEqual(['a1 in', 'a2 in', 'a4 out', 'b2 out']);
    enter('c1', 'c');
    expect(seen.at(-1)).toBe('c1 out');
    leave[0]?.();
    leave[1]?.();
    expect(seen.slice(5)).toEqual(['a3 in', 'b1 in']);
    expect(figures()).toEqual({ underWay: 2, waiting: 0 });
  });

  it('does not let one caller in twice before another who waits', () => {
    const limits = { underWay: 1, waiting: 10, patienceMs: 1_000, standingPatienceMs: 50 };
    const { enter } = createAdmissionQueue({ limits });
    const seen: string[] = [];
    const leave = new Map<string, () => void>();
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'])
      leave.set(
        name,
        enter(name.charAt(0), () => void seen.push(name)),
      );
    for (let n = 0; n < 5; n += 1) leave.get(seen.at(-1) ?? '')?.();
    expect(seen).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
    leave.get('b2')?.();
  });

  it('keeps who waits for a second in a burst, and a moment once others have waited for longer', async () => {
    const { enter, seen, pass } = openTurnstile();
    ['a', 'b'].forEach((name) => enter(name));
    const from = performance.now();
    enter('burst');
    await until(() => seen.includes('burst out'));
    expect(performance.now() - from).toBeGreaterThanOrEqual(990);
    pass(900);
    const leave = enter('meanwhile');
    pass(900);
    leave();
    enter('standing');
    const ms = await runningMs(until(() => seen.includes('standing out')));
    expect(ms).toBeLessThan(900);
  });
});

const CALLS = 3_000;
const FEW = 64;
const DATABASE_POOL = 4;
/** How long the statement behind the calls takes. */
const STATEMENT_MS = 25;
const BURST = fileURLToPath(new URL('./burst-program.fixture.js', import.meta.url));

describe('a burst of 3,000 calls on a slow database', () => {
  let gateway: TestGateway;
  let shop: TestMerchant;

  beforeAll(async () => {
    gateway = await startTestGateway({ DATABASE_POOL_MAX: String(DATABASE_POOL) });
    shop = await newMerchant(gateway);
    dataOf(await shop.rest('PUT', '/merchant/webhook', { url: 'http://127.0.0.1:9999/hook' }));
    await gateway.sql('alter table webhook_endpoint rename to webhook_endpoint_rows');
    await gateway.sql(`create view webhook_endpoint as select * from webhook_endpoint_rows
      where merchant_id <> '${shop.id}' or pg_sleep(${STATEMENT_MS / 1_000})::text is not null`);
  });
  afterAll(() => gateway.stop());

  async function burst(calls: number): Promise<Ending[]> {
    const child = spawn(process.execPath, [BURST, `${gateway.url}/api/v1/webhooks`, shop.token, String(calls)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
    await new Promise((resolve) => child.once('close', resolve));
    return JSON.parse(said) as Ending[];
  }

  /** The milliseconds that a few calls take, all of which are served. */
  async function fewAllServed(): Promise<number> {
    const from = performance.now();
    expect((await burst(FEW)).map(({ status }) => status)).toEqual(Array.from({ length: FEW }, () => 200));
    return performance.now() - from;
  }

  async function figureOf(name: string): Promise<number> {
    const { status, text } = await send({ method: 'GET', url: `${gateway.url}/metrics` });
    expect(status).toBe(200);
    return Number(text.split(`\n${name} `)[1]?.split('\n')[0]);
  }
  const underWay = () => figureOf('turnpike_http_calls{state="under way"}');
  const waiting = () => figureOf('turnpike_http_calls{state="waiting"}');

  it('is answered with what was asked for, or with 503 and Retry-After; nobody waits long, and then all is well', async () => {
    const before = process.memoryUsage().rss;
    let most = 0;
    let endings: Ending[] | undefined;
    const fewMs = [await fewAllServed()];
    const from = performance.now();
    const ending = burst(CALLS).then((found) => (endings = found));
    while (endings === undefined) {
      most = Math.max(most, await underWay());
      await Promise.race([ending, new Promise((resolve) => setTimeout(resolve, 50))]);
    }

    const burstMs = performance.now() - from;
    const answered = endings.filter(({ status }) => status === 200);
    const refused = endings.filter(({ status }) => status !== 200);
    expect(answered.length).toBeGreaterThanOrEqual(OVERLOAD_LIMITS.underWay);
    expect(refused.length).toBeGreaterThan(CALLS / 10);
    for (const told of refused) expect(told).toEqual({ status: 503, retryAfter: '1', code: '9503' });
    expect(most).toBeLessThanOrEqual(OVERLOAD_LIMITS.underWay);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 2 ** 20);
    // Had all of them been served, each would have waited for the statements of those before it.
    fewMs.push(await fewAllServed());
    expect(burstMs).toBeLessThan((Math.max(...fewMs) * CALLS) / FEW / 2);

    await until(async () => (await underWay()) === 0);
    expect(await waiting()).toBe(0);
  });

  it('keeps no place for bodies that are still on their way, nor for answers that nobody takes', async () => {
    const { port } = new URL(gateway.url);
    const head = (line: string, more = '') =>
      `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${shop.token}\r\n${more}\r\n`;
    // With `Expect: 100-continue`, the server says to continue once it has read the head.
    const body = 'Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n';
    const slow = await Promise.all(
      Array.from({ length: 2 * OVERLOAD_LIMITS.underWay }, async (_, index) => {
        const socket = connect(Number(port), '127.0.0.1');
        socket.on('error', () => undefined);
        if (index % 2 === 0) socket.write(`${head('POST /api/v1/payments', body)}{`);
        else socket.write(head('GET /docs/assets/swagger-ui.js').repeat(4));
        await once(socket, 'readable');
        return socket;
      }),
    );
    await until(async () => (await underWay()) === 0 && (await waiting()) === 0);
    const answers = await Promise.all(Array.from({ length: 32 }, () => shop.rest('GET', '/payments')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const [patient] = slow;
    patient?.write(`${' '.repeat(98)}}`);
    let said = '';
    await until(() => /HTTP\/1.1 400 .*"2001"/s.test((said += String(patient?.read() ?? ''))));
    for (const socket of slow) socket.destroy();
  });

  it('takes queries on sockets in turn as well, and refuses those that are too many', async () => {
    const url = `${gateway.url.replace('http', 'ws')}/graphql`;
    const clients = await Promise.all(Array.from({ length: 12 }, () => connectAs(url, shop.token)));
    const ask = (client: TestClient) => client.run('{ webhookEndpoints { id } }') as Promise<unknown>;
    const told = await Promise.all(clients.flatMap((client) => Array.from({ length: 95 }, () => ask(client))));
    const refused = told.filter((message) => JSON.stringify(message).includes('"9503"'));
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(told.length - OVERLOAD_LIMITS.underWay);
    for (const message of refused)
      expect(message).toMatchObject({ type: 'next', payload: { errors: [{ extensions: { code: 'UNAVAILABLE' } }] } });
    for (const client of clients) client.socket.close();
  });

  it('leaves out who asks how it is, and is told in GraphQL words to who speaks it', async () => {
    const ask = graphql(gateway, shop.token);
    // One burst may be over before a question meets it: they follow one another until one was refused.
    let isOver = false;
    const bursts = (async () => {
      while (!isOver) await burst(CALLS);
    })();
    try {
      const refused = await until(async () => {
        const answers = await Promise.all(Array.from({ length: 20 }, () => ask('{ webhookEndpoints { id } }')));
        return answers.find(({ status }) => status !== 200);
      });
      for (const path of ['/healthz', '/metrics'])
        expect((await send({ method: 'GET', url: gateway.url + path })).status).toBe(200);
      expectGraphQLError(refused, 503, 'UNAVAILABLE', '9503');
      expect(refused.headers['retry-after']).toBe('1');
    } finally {
      isOver = true;
      await bursts;
    }
  });
});
