// Rate limits that processes share through Redis, and what they enforce while it is away.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { startAnvil, type Anvil } from '../../../src/sandbox/evm/anvil.ts';
import { createRateLimits, openSharedCounts, type RateLimitState } from '../../../src/server/admission/rate-limit.ts';
import { startProgram, type Environment, type Program } from '../../gateway/programs.fixture.ts';
import { graphql, newEmail, rest, send, type Answer, type Rest } from '../../support/clients.ts';
import { createTestDatabase, makeTestFolder, type TestDatabase } from '../../support/database/database.ts';
import { dataOf, expectGraphQLError, expectRefusal } from '../../support/expectations.ts';
import { findFreePort } from '../../support/gateway/gateway.ts';
import { untilPasses } from '../../support/until.ts';
import { findRedis, startRedis, type RedisServer } from './redis-server.fixture.ts';
import { connect, connectAs } from '../graphql/ws/setup.fixture.ts';
import { runningMsOf } from '../../support/running-time.ts';

const BURST = 30;
const PROGRAM = findRedis();

interface Face {
  readonly url: string;
}

let redis: RedisServer;
let database: TestDatabase;
let anvil: Anvil;
let folder: string;
let faces: Face[] = [];
const programs: Program[] = [];

async function launch(name: string, variables: Environment): Promise<Face> {
  const port = String(await findFreePort());
  const url = `http://127.0.0.1:${port}`;
  const program = startProgram({
    ...{ DATABASE_URL: database.url, ETH_RPC_URL: anvil.url, REDIS_URL: redis.url, HOST: '127.0.0.1' },
    ...{ TURNPIKE_SECRET: 'a secret of this test, as long as it has to be', DATA_DIR: join(folder, name) },
    // A window of half a minute, so that nothing is forgiven while a test runs.
    ...{ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: String(BURST), RATE_LIMIT_AUTH_PER_MINUTE: '0' },
    ...{ PORT: port, BASE_URL: url },
    ...variables,
  });
  programs.push(program);
  await program.ready;
  return { url };
}

/** A new merchant's key, made directly without the limits, and exchanged for a token. */
async function newToken(): Promise<string> {
  const [{ url }] = faces as [Face];
  await flush();
  const call: Rest = rest({ url });
  const merchant = await call('POST', '/merchant', { email: newEmail(), companyName: 'Shop' });
  const { keyId, key: secret } = dataOf(merchant, 201).apiKey as { keyId: string; key: string };
  const token = dataOf(await call('POST', '/auth/token', { keyId, secret })).accessToken as string;
  await flush();
  return token;
}

async function flush(): Promise<void> {
  const client = new Redis(redis.url);
  await client.flushall();
  await client.quit();
}

const remaining = ({ headers }: Answer) => Number(headers['ratelimit-remaining']);

function expectTooMany(answer: Answer): void {
  expect(answer.status).toBe(429);
  expect(answer.headers['ratelimit-limit']).toBe(String(BURST));
  expect(answer.headers['ratelimit-remaining']).toBe('0');
  for (const name of ['ratelimit-reset', 'retry-after']) expect(Number(answer.headers[name])).toBeGreaterThanOrEqual(1);
}

const suite = PROGRAM === undefined ? null : PROGRAM;

if (suite === null) {
  it('shared rate limits were not tested: there is no redis-server here, and there must be one in CI', () => {
    expect(process.env['CI']).toBeUndefined();
  });
} else {
  describe('two processes with one Redis', () => {
    beforeAll(async () => {
      folder = await makeTestFolder('redis');
      redis = await startRedis(suite, folder);
      database = await createTestDatabase();
      anvil = await startAnvil({ log: pino({ level: 'silent' }) });
      // With this long time-out they wait for Redis, and do not count locally because the machine is slow.
      const patient = { REDIS_TIMEOUT_MS: '30000' };
      faces = [await launch('all', patient), await launch('api', { ...patient, ROLES: 'api' })];
    });
    afterAll(async () => {
      redis.thaw();
      await Promise.all(programs.map((program) => program.stop()));
      await redis.stop();
      await anvil.stop();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    });

    it('count a key together: what one has counted the other knows, and the window ends for both', async () => {
      const token = await newToken();
      const [one, other] = faces.map((face) => rest(face, token)) as [Rest, Rest];
      for (let nth = 1; nth <= BURST; nth += 1)
        expect(remaining(await (nth % 2 ? one : other)('GET', '/payments'))).toBe(BURST - nth);
      for (const call of [one, other]) {
        const answer = await call('GET', '/payments');
        expectRefusal(answer, 429, '9001');
        expectTooMany(answer);
      }
    });

    it('refuse by REST, GraphQL and socket, and neither another key nor who asks how they are', async () => {
      const [token, neighbour] = [await newToken(), await newToken()];
      const [one, other] = faces as [Face, Face];
      const client = await connectAs(`${other.url.replace('http', 'ws')}/graphql`, token);
      for (let nth = 1; nth <= BURST; nth += 1) dataOf(await rest(one, token)('GET', '/payments'));

      const answer = await graphql(other, token)('{ __typename }');
      expectGraphQLError(answer, 429, 'RATE_LIMITED', '9001');
      expectTooMany(answer);
      const message = await client.run('{ __typename }');
      expect(message).toMatchObject({ type: 'error', payload: [{ extensions: { errorCode: '9001' } }] });
      client.socket.close();

      dataOf(await rest(other, neighbour)('GET', '/payments'));
      for (const path of ['/healthz', '/readyz', '/metrics'])
        for (let nth = 0; nth < 2 * BURST; nth += 1)
          expect((await send({ method: 'GET', url: other.url + path })).status).toBe(200);
    });

    it('count an address together, upgrades of sockets among its calls', async () => {
      await flush();
      const [one, other] = faces as [Face, Face];
      for (let nth = 1; nth < BURST; nth += 1) dataOf(await rest(one)('GET', '/currencies'));
      const url = `${other.url.replace('http', 'ws')}/graphql`;
      (await connect(url)).socket.close();
      await expect(connect(url)).rejects.toThrow('429');
      expectTooMany(await rest(one)('GET', '/currencies'));
    });

    it('count for themselves, and answer at once, while Redis does not; then together again', async () => {
      const alone = await launch('hasty', { ROLES: 'api' });
      const token = await newToken();
      const [one, other] = [faces[0] as Face, alone].map((face) => rest(face, token)) as [Rest, Rest];
      redis.freeze();
      const lives = () => send({ method: 'GET', url: `${alone.url}/healthz` });
      for (let nth = 1; nth <= BURST; nth += 1) {
        const answer = other('GET', '/payments');
        expect(await runningMsOf(lives, answer)).toBeLessThan(2_000);
        dataOf(await answer);
      }
      expectTooMany(await other('GET', '/payments'));
      redis.thaw();
      await untilPasses(async () => {
        await flush();
        const [first, second] = [await one('GET', '/payments'), await other('GET', '/payments')];
        expect([first.status, second.status]).toEqual([200, 200]);
        expect(remaining(second)).toBe(remaining(first) - 1);
      });
    });

    it('start and answer without it: it is no condition of anything', async () => {
      const { url } = await launch('alone', { ROLES: 'api', REDIS_URL: 'redis://127.0.0.1:1' });
      for (let nth = 1; nth <= BURST; nth += 1) dataOf(await rest({ url })('GET', '/currencies'));
      expectTooMany(await rest({ url })('GET', '/currencies'));
    });

    it('count a merchant together as well, and their keys each for itself', async () => {
      const open = () =>
        openSharedCounts({ url: redis.url, timeoutMs: 30_000, prefix: 'ceiling', log: pino({ level: 'silent' }) });
      const shared = [await open(), await open()];
      const options = { perSecond: 0.01, burst: 5, merchantPerSecond: 0.01, merchantBurst: 8, authPerMinute: 0 };
      const [one, other] = shared.map((counts) => createRateLimits(options, counts));
      const key = (name: string) => ({ name: `m/${name}`, merchantId: 'm' });
      const seen: unknown[] = [];
      const tell = ({ limit, remaining }: RateLimitState) => void seen.push([limit, remaining]);
      await one?.count(key('a'), tell, 4);
      await other?.count(key('b'), tell, 3);
      await expect(other?.count(key('a'), tell, 2)).rejects.toThrow('Too many');
      await one?.count(key('c'), tell);
      await expect(one?.count(key('c'), tell)).rejects.toThrow('Too many');
      expect(seen).toEqual([
        [5, 1],
        [8, 1],
        [5, 0],
        [8, 0],
        [8, 0],
      ]);
      for (const counts of shared) counts.close();
    });

    it('a window lasts as long in Redis as it is said to, fractions of a second included', async () => {
      const shared = await openSharedCounts({
        ...{ url: redis.url, timeoutMs: 30_000, prefix: 'test', log: pino({ level: 'silent' }) },
      });
      const limits = createRateLimits({ perSecond: 100, burst: 60_050, authPerMinute: 0 }, shared);
      const client = new Redis(redis.url);
      const msOf = ([seconds, micros]: readonly (string | number)[]) =>
        Number(seconds) * 1_000 + Number(micros) / 1_000;
      const before = msOf(await client.time());
      await limits.count({ name: 'somebody', merchantId: null });
      const [key = ''] = await client.keys('test:*');
      const [time, left] = (await client.multi().time().pttl(key).exec()) ?? [];
      const now = msOf(time?.[1] as string[]);
      // The window began, by Redis's own clock, between two looks at it, however far apart they are.
      const begun = now + Number(left?.[1]) - 600_500;
      expect(begun).toBeGreaterThan(before - 2);
      expect(begun).toBeLessThan(now + 2);
      await client.quit();
      shared.close();
    });
  });
}
