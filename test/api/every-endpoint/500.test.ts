// Internal errors: masked for the caller (9500), complete in the log, and gone once their cause is.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newMerchant, send, type Json, type TestMerchant } from '../../support/clients.ts';
import { CLUSTER_VARIABLE, createTestDatabase, runSql, type TestDatabase } from '../../support/database/database.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';

let database: TestDatabase;
let gateway: TestGateway;
let shop: TestMerchant;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startTestGateway({ DATABASE_URL: database.url });
  shop = await newMerchant(gateway);
});
afterAll(async () => {
  await gateway.stop();
  await database.drop();
});

const get = (path: string) => send({ method: 'GET', url: gateway.url + path });

describe('500', () => {
  const LEAKS = /select|relation|wallet|ledger|posting|column|\.ts|\.js|node_modules|\/|\bat\b|postgres/i;

  it('an internal error tells the caller nothing, and the log everything, under its request id (9500)', async () => {
    await gateway.sql('alter table ledger_account rename to ledger_account_gone');
    try {
      const answer = await shop.rest('GET', '/wallet/balance', undefined, { 'x-request-id': 'broken-rest' });
      const error = expectRefusal(answer, 500, '9500');
      expect(error.message).not.toMatch(LEAKS);
      const second = await shop.graphql('{ walletBalances { available } }', {}, { 'x-request-id': 'broken-graphql' });
      const [{ message, extensions }] = second.body.errors as Json[];
      expect(second.status).toBe(200);
      expect(extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR', errorCode: '9500', requestId: 'broken-graphql' });
      expect(message).not.toMatch(LEAKS);
    } finally {
      await gateway.sql('alter table ledger_account_gone rename to ledger_account');
    }
    for (const requestId of ['broken-rest', 'broken-graphql']) {
      const lines = gateway.logged.filter((line) => line['requestId'] === requestId);
      expect(JSON.stringify(lines)).toMatch(/ledger_account.*does not exist/);
      expect(JSON.stringify(lines)).toContain('stack');
    }
    dataOf(await shop.rest('GET', '/wallet/balance'));
  });

  it('while the database is away the answer says only that, and afterwards all is well again', async () => {
    const cluster = process.env[CLUSTER_VARIABLE] ?? '';
    const name = new URL(database.url).pathname.slice(1);
    const allow = (allowed: boolean) => runSql(cluster, `alter database ${name} allow_connections ${String(allowed)}`);
    await allow(false);
    try {
      // Each connection ends in its own time; until then the gateway may still use it.
      const end = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1';
      await until(async () => (await runSql(cluster, end, [name])).length === 0);
      const notReady = await until(async () => {
        const answer = await get('/readyz');
        return answer.status === 503 && answer;
      });
      expect(notReady.body).toEqual({ status: 'not ready', faults: { database: 'does not work' } });
      const answer = await shop.rest('GET', '/payments');
      expect(expectRefusal(answer, 500, '9500').message).not.toMatch(LEAKS);
      expect((await get('/healthz')).status).toBe(200);
    } finally {
      await allow(true);
    }
    await until(async () => (await get('/readyz')).status === 200);
    dataOf(
      await until(async () => {
        const answer = await shop.rest('GET', '/payments');
        return answer.status === 200 && answer;
      }),
    );
  });
});
