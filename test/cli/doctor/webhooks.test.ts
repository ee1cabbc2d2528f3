// What `npm run doctor` says of the sandbox, of webhooks' receivers, and of Redis; and its judgements of figures.

import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { bitsOf } from '../../../src/cli/doctor/configuration.ts';
import { judgeSpace } from '../../../src/cli/doctor/files.ts';
import { judgeEnd } from '../../../src/cli/doctor/public-address.ts';
import { findRedis, startRedis } from '../../server/admission/redis-server.fixture.ts';
import { newMerchant } from '../../support/clients.ts';
import { makeTestFolder } from '../../support/database/database.ts';
import { dataOf } from '../../support/expectations.ts';
import { findFreePort, startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { findingsOf, reportOf, runDoctor, type Variables } from './run.fixture.ts';

jest.setTimeout(300_000);

let gateway: TestGateway;
let receiver: Server;
let well: Variables;

beforeAll(async () => {
  gateway = await startTestGateway();
  const { dataDir, databaseUrl, port, baseUrl } = gateway.config;
  well = {
    ...{ DATA_DIR: dataDir, DATABASE_URL: databaseUrl ?? '', SANDBOX_NETWORKS: 'ETH' },
    ...{ HOST: '127.0.0.1', PORT: String(port), BASE_URL: baseUrl },
  };
  receiver = createServer((socket) => void socket.end());
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
});
afterAll(async () => {
  receiver.close();
  await gateway.stop();
});

it('a running sandbox: all of its parts are looked at', async () => {
  const { rows, notMade } = await reportOf(well);
  const states = Object.fromEntries(rows.map(({ check, state }) => [check, state]));
  expect(notMade).toEqual([]);
  // The tests' database is not durable.
  expect(states).toMatchObject({
    ...{ process: 'ok', nodes: 'ok', 'base-url': 'ok', journal: 'ok' },
    commits: 'fault',
  });
});

it('a sandbox that has never run: a warning, and no fault', async () => {
  const { code, out } = await runDoctor({ DATA_DIR: await makeTestFolder('never-run'), PORT: '1' });
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/^database +WARNING +the sandbox's own is not running/m),
  });
  expect(out).toMatch(/^Not checked, .*: schema, commits, /m);
});

describe('webhooks', () => {
  it('no endpoint; one that answers; one that does not; none that does; refused by the guard; failed before', async () => {
    expect(await findingsOf('webhooks', well)).toEqual(['ok: no merchant has an endpoint yet']);
    const shop = await newMerchant(gateway);
    const { port } = receiver.address() as AddressInfo;
    const add = async (url: string) => dataOf(await shop.rest('POST', '/webhooks', { url }), 201).id as string;
    await add(`http://127.0.0.1:${port}/hook`);
    expect(await findingsOf('webhooks', well)).toEqual([expect.stringMatching(/^ok: 1 hosts were connected to/)]);
    expect(await findingsOf('webhooks', { ...well, WEBHOOK_ALLOW_PRIVATE: 'false' })).toEqual([
      expect.stringMatching(/^fault: none of 1 hosts can be connected to: 127\.0\.0\.1:\d+ \(.*public/),
    ]);
    const closed = await findFreePort();
    await add(`http://127.0.0.1:${closed}/hook`);
    expect(await findingsOf('webhooks', well)).toEqual([
      expect.stringMatching(/^warning: 1 of 2 hosts cannot be connected to: 127\.0\.0\.1:\d+ \(.*ECONNREFUSED/),
    ]);
    await gateway.sql(`update webhook_endpoint set enabled = false where url like '%:${port}/%'`);
    expect(await findingsOf('webhooks', well)).toEqual([expect.stringMatching(/^fault: none of 1 hosts/)]);
  });

  it('those that wait for another attempt are counted by host', async () => {
    await gateway.sql('update webhook_endpoint set enabled = url like $1', [
      `%:${(receiver.address() as AddressInfo).port}/%`,
    ]);
    await gateway.sql(`insert into event (id, merchant_id, type, payload, created_at)
      select 'evt_doctor', id, 'payment.updated', '{}', now() from merchant limit 1`);
    await gateway.sql(`insert into webhook_delivery
        (id, event_id, merchant_id, is_primary, lane, url, status, attempts, due_at, created_at)
      select 'dlv_' || n, e.id, e.merchant_id, false, 'lane', 'http://shop.example:81/' || n, 'RETRYING', 1,
        now() + interval '1 day', now()
      from (select id, merchant_id from event where id = 'evt_doctor') as e, generate_series(1, 3) as n`);
    expect(await findingsOf('webhooks', well)).toEqual([
      'warning: deliveries to 1 hosts failed and will be tried again: shop.example:81 (3)',
    ]);
  });
});

const redis = findRedis();
if (redis === undefined) {
  it('Redis was not tested: there is none here, and there must be one in CI', () => {
    expect(process.env['CI']).toBeUndefined();
  });
} else {
  it('Redis: it answers, unless it is frozen', async () => {
    const server = await startRedis(redis, await makeTestFolder('doctor-redis'));
    try {
      expect(await findingsOf('redis', { ...well, REDIS_URL: server.url })).toEqual([
        expect.stringMatching(/^(ok: answers within \d+ ms|warning: takes \d+ ms)/),
      ]);
      server.freeze();
      expect(await findingsOf('redis', { ...well, REDIS_URL: server.url })).toEqual([
        expect.stringMatching(/^fault: cannot be reached: /),
      ]);
      server.thaw();
    } finally {
      await server.stop();
    }
  });
}

describe('figures are judged', () => {
  const now = new Date('2026-11-26T00:00:00Z');
  it.each([
    ['2026-11-25', /^fault .*ended on 2026-11-25/],
    ['2026-11-28', /^fault .*ends on 2026-11-28, in 48 h|2 d/],
    ['2026-12-06', /^warning .*in 10 d/],
    ['2027-01-26', /^fine$/],
  ])('a certificate that ends on %s', (day, verdict) => {
    const finding = judgeEnd('it', new Date(`${day}T00:00:00Z`), now);
    expect(finding === null ? 'fine' : `${finding.state} ${finding.found}`).toMatch(verdict);
  });

  it.each([
    [50, 100, 'ok'],
    [5, 1_000, 'ok'],
    [1.9, 1_000, 'warning'],
    [0.9, 10, 'warning'],
    [0.1, 1_000, 'fault'],
    [0.1, 10, 'fault'],
  ])('a disk with %s of %s GB free', (free, size, state) => {
    expect(judgeSpace({ names: ['DATA_DIR'], free: free * 1e9, size: size * 1e9 }).state).toBe(state);
  });

  it('a secret by how much chance is in it', () => {
    expect(bitsOf('a'.repeat(64))).toBe(-0);
    expect(bitsOf('0123456789abcdef'.repeat(2))).toBe(128);
  });
});
