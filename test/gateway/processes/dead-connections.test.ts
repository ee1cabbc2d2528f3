// Database connections that fall silent without being closed (fault 3): calls are refused within a bounded time,
// nothing is half-done, all is well again once the network is, and a merely slow database is left alone.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectDatabase, query, type Database } from '../../../src/database/connection.ts';
import { pino } from 'pino';
import {
  graphql,
  newMerchant,
  rest,
  send,
  USDT_PAYMENT,
  type Answer,
  type TestMerchant,
} from '../../support/clients.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { dataOf, expectGraphQLError, expectRefusal } from '../../support/expectations.ts';
import { startPostgresProxy, type PostgresProxy } from '../../support/proxies/postgres-proxy.ts';
import { untilPasses } from '../../support/until.ts';
import { openApiProcesses, type ApiProcess, type ApiProcesses } from './api-processes.fixture.ts';
import { runningMsOf } from '../../support/running-time.ts';

const LONG = 90_000;
/** Silence, the check of it, and new connections that fail: 11 s; the rest is for a slow machine. */
const WITHIN_MS = 15_000;
const RECOVERED_WITHIN_MS = 10_000;
const POOL = 4;

let setup: ApiProcesses;
let proxy: PostgresProxy;
let face: ApiProcess;
let shop: TestMerchant;

beforeAll(async () => {
  setup = await openApiProcesses();
  proxy = await startPostgresProxy(setup.databaseUrl);
  face = await setup.launch({ DATABASE_URL: proxy.url, DATABASE_POOL_MAX: String(POOL) });
  shop = await newMerchant(setup.gateway);
}, LONG);
afterAll(async () => {
  await setup.stop();
  await proxy.stop();
});

const order = (key: string, body: object = USDT_PAYMENT) =>
  rest(face, shop.token)('POST', '/payments', body, { 'idempotency-key': key });
const countOf = async (merchantOrderId: string) => {
  const statement = 'select count(*)::int as count from payment where merchant_order_id = $1';
  return (await setup.gateway.sql<{ count: number }>(statement, [merchantOrderId]))[0]?.count;
};

/** How a call was answered and when, for calls that must not hang. */
async function timed(call: Promise<Answer>): Promise<{ answer: Answer; ms: number }> {
  const ask = () => send({ method: 'GET', url: `${face.url}/healthz` });
  return { ms: await runningMsOf(ask, call), answer: await call };
}

describe.each(['all', 'old'] as const)('connections fall silent (%s)', (which) => {
  it(
    'calls are 503/9503 with Retry-After within 15 s, over REST and GraphQL, and repeated they have one effect',
    async () => {
      const withOrder = (nth: number) => ({ ...USDT_PAYMENT, merchantOrderId: `silent-${which}-${String(nth)}` });
      const numbers = Array.from({ length: 2 * POOL }, (_, nth) => nth);
      // Every connection is used once, so that all are open.
      await Promise.all(numbers.map((nth) => order(`warm-${which}-${String(nth)}`)));
      const heal = proxy.fallSilent(which);
      try {
        const calls = numbers.map((nth) => timed(order(`silent-${which}-${String(nth)}`, withOrder(nth))));
        const asked = timed(graphql(face, shop.token)('{ payments { nodes { id } } }'));
        const answers = await Promise.all(calls);
        for (const { answer, ms } of answers) {
          expect(ms).toBeLessThan(WITHIN_MS);
          // If new connections work, calls that came after the dead ones were found are served.
          if (which === 'old' && answer.status === 201) continue;
          expectRefusal(answer, 503, '9503');
          expect(answer.headers['retry-after']).toBe('1');
        }
        const { answer, ms } = await asked;
        expect(ms).toBeLessThan(WITHIN_MS);
        if (which === 'all') expectGraphQLError(answer, answer.status, 'UNAVAILABLE', '9503');
      } finally {
        heal();
      }
      for (const nth of numbers) {
        const repeat = () => order(`silent-${which}-${String(nth)}`, withOrder(nth));
        await untilPasses(async () => dataOf(await repeat(), 201), RECOVERED_WITHIN_MS);
        expect(await countOf(`silent-${which}-${String(nth)}`)).toBe(1);
      }
      expect((await rest(face, shop.token)('GET', '/payments')).status).toBe(200);
    },
    LONG,
  );
});

describe('what is only slow', () => {
  let database: TestDatabase;
  let slow: PostgresProxy;
  let db: Database;

  beforeAll(async () => {
    database = await createTestDatabase();
    slow = await startPostgresProxy(database.url);
    db = await connectDatabase({ url: slow.url, poolMax: 3, log: pino({ level: 'silent' }) });
  });
  afterAll(async () => {
    await db.close();
    await slow.stop();
    await database.drop();
  });

  it(
    'is let be for as long as the server works on it: a statement, and one that waits for a lock',
    async () => {
      const lock = 'select pg_advisory_xact_lock(42)';
      const [asleep] = await Promise.all([
        query(db.em, 'select pg_sleep(6.5) is not null as done'),
        db.em.fork().transactional(async (em) => {
          await query(em, lock);
          await query(em, 'select pg_sleep(6.5)');
        }),
        query(db.em, lock),
      ]);
      expect(asleep).toEqual([{ done: true }]);
    },
    LONG,
  );

  it(
    'also where the server has no connection left to be asked on',
    async () => {
      const [row] = await database.sql<{ name: string }>('select current_database() as name');
      const working = query(db.em, 'select pg_sleep(6.5) is not null as done');
      await database.sql(`alter database ${row?.name ?? ''} connection limit 0`);
      try {
        expect(await working).toEqual([{ done: true }]);
      } finally {
        await database.sql(`alter database ${row?.name ?? ''} connection limit -1`);
      }
    },
    LONG,
  );
});
