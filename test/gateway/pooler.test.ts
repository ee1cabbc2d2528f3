// A gateway behind PgBouncer in transaction mode, where each transaction may be on another connection.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { connectDatabase } from '../../src/database/connection.ts';
import { newMerchant, USDT_PAYMENT, type TestMerchant } from '../support/clients.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { dataOf } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { until } from '../support/until.ts';
import { startPgBouncer, versionOfPgBouncer, type PgBouncer } from './pgbouncer.fixture.ts';

const version = versionOfPgBouncer();
const CALLERS = 20;
const ROUNDS = 5;

if (version === null) {
  it('a pooler was not tested: there is no pgbouncer here, and there must be one in CI', () => {
    expect(process.env['CI']).toBeUndefined();
  });
} else {
  describe(`behind PgBouncer ${version}`, () => {
    let database: TestDatabase;
    let bouncer: PgBouncer;
    let gateway: TestGateway;
    let shop: TestMerchant;

    beforeAll(async () => {
      database = await createTestDatabase();
      // A server's own is seldom UTC.
      const [{ name }] = (await database.sql('select current_database() as name')) as [{ name: string }];
      await database.sql(`alter database ${name} set timezone to 'Asia/Tokyo'`);
      bouncer = await startPgBouncer(database.url);
      gateway = await startTestGateway({
        ...{ DATABASE_URL: bouncer.url, DATABASE_POOLER: 'true', DATABASE_PREPARED_STATEMENTS: 'false' },
        DATABASE_DIRECT_URL: database.url,
      });
      shop = await newMerchant(gateway);
    });
    afterAll(async () => {
      await gateway.stop();
      await bouncer.stop();
      await database.drop();
    });

    it('answers every call, however many are made at once', async () => {
      const answers = new Map<number, number>();
      const call = async (method: string, path: string, body?: object) => {
        const { status } = await shop.rest(method, path, body);
        answers.set(status, (answers.get(status) ?? 0) + 1);
      };
      const caller = async () => {
        for (let round = 0; round < ROUNDS; round += 1) {
          await call('POST', '/payments', USDT_PAYMENT);
          await call('GET', '/payments?limit=20');
          await call('GET', '/wallet/balance');
        }
      };
      await Promise.all(Array.from({ length: CALLERS }, caller));
      expect(Object.fromEntries(answers)).toEqual({ 200: 2 * CALLERS * ROUNDS, 201: CALLERS * ROUNDS });
    });

    it('has its time zone in each transaction, whatever the one of the server is', async () => {
      // Each takes a moment, so that several are under way at once.
      const zone = `select current_setting('TimeZone') as zone, pg_backend_pid() as process, pg_sleep(0.05)::text`;
      const processes = new Set<number>();
      await until(async () => {
        const rows = await Promise.all(
          Array.from({ length: CALLERS }, () => gateway.sql<{ zone: string; process: number }>(zone)),
        );
        expect(new Set(rows.map(([row]) => row?.zone))).toEqual(new Set(['UTC']));
        for (const [row] of rows) if (row) processes.add(row.process);
        return processes.size > 1;
      });
    });

    it('takes a payment to its end, and its webhooks and ledger with it', async () => {
      const { orderId } = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201) as { orderId: string };
      dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/deposit`, {}), 200);
      const ended = await until(async () => {
        const payment = dataOf(await shop.rest('GET', `/payments/${orderId}`), 200) as { status: string };
        return payment.status === 'SUCCEEDED' ? payment : null;
      });
      expect(ended.status).toBe('SUCCEEDED');
      const errors = gateway.logged.filter(({ level }) => Number(level) >= 50);
      expect(errors).toEqual([]);
    });

    it('is told when the role has no limit for idle transactions, which it cannot set itself there', () => {
      expect(gateway.logged.map(({ msg }) => msg)).toContainEqual(
        expect.stringMatching(/alter the role: set idle_in_transaction_session_timeout = 30s$/),
      );
    });

    it('is refused without the setting, with the setting in the message', async () => {
      const refused = connectDatabase({ url: bouncer.url, poolMax: 2, log: pino({ level: 'silent' }) });
      const message = await refused.then(
        (db) => db.close().then(() => 'connected'),
        (error: unknown) => (error as Error).message,
      );
      // From 1.20 on, PgBouncer takes the parameter.
      if (version.startsWith('1.18')) expect(message).toMatch(/behind PgBouncer set DATABASE_POOLER=true$/);
    });
  });
}
