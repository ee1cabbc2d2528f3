// Two cells behind HAProxy, each a program on a database of its own with secrets of its own: every call reaches the
// cell of its token, key or id, and what becomes of one cell is nothing to the other.

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { WebSocket } from 'ws';
import { cellOf, newId } from '../../../src/values/id.ts';
import { cellOfKey } from '../../../src/values/cells/bearer-cell.ts';
import { useCell } from '../../../src/values/cells/own-cell.ts';
import { startProgram, type Program } from '../../gateway/programs.fixture.ts';
import { graphql, newEmail, rest, send, TLS, USDT_PAYMENT, type Rest } from '../../support/clients.ts';
import { createTestDatabase, makeTestFolder, type TestDatabase } from '../../support/database/database.ts';
import { dataOf } from '../../support/expectations.ts';
import { findFreePort } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { makeMap, startCellsProxy, type CellsProxy } from './haproxy.fixture.ts';

jest.setTimeout(600_000);
const LONG = 180_000;
const CELLS = [0, 1] as const;
const MERCHANTS = 12;
const CALLS = 5;

interface Shop {
  readonly cell: number;
  readonly id: string;
  readonly key: { readonly keyId: string; readonly secret: string };
  readonly token: string;
  readonly rest: Rest;
}

let proxy: CellsProxy;
let databases: TestDatabase[] = [];
let shops: Shop[] = [];
const cells: Program[] = [];
/** Called last first. */
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  databases = await Promise.all(CELLS.map(() => createTestDatabase()));
  stops.push(() => Promise.all(databases.map((database) => database.drop())));
  const ports = [await findFreePort(), await findFreePort()] as const;
  const port = await findFreePort();
  for (const cell of CELLS) {
    const folder = await makeTestFolder(`cell-${String(cell)}`);
    stops.push(() => rm(folder, { recursive: true, force: true }));
    const program = startProgram({
      ...{ CELL: String(cell), PORT: String(ports[cell]), HOST: '127.0.0.1', TRUST_PROXY: '127.0.0.1' },
      BASE_URL: `https://cell-${String(cell)}.pay.example`,
      PAY_URL: `https://127.0.0.1:${String(port)}/pay`,
      ...{ SANDBOX_NETWORKS: 'ETH', LOG_LEVEL: 'error' },
      ...{ DATABASE_URL: databases[cell]?.url ?? '', DATA_DIR: folder, DATABASE_POOL_MAX: '5' },
      TURNPIKE_SECRET: `only-for-this-test-of-cell-${String(cell)}-0000000000`,
      ...{ RATE_LIMIT_AUTH_PER_MINUTE: '0', RATE_LIMIT_PER_SECOND: '100000', RATE_LIMIT_BURST: '100000' },
    });
    cells.push(program);
    stops.push(() => program.stop());
    await program.ready;
  }
  proxy = await startCellsProxy(port, ports);
  stops.push(() => proxy.stop());
  for (const cell of CELLS) await until(async () => (await reach(cell)) === 200, LONG);
  shops = await Promise.all(Array.from({ length: MERCHANTS }, (_, index) => openShop(index % 2)));
});
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

const to = (cell: number) => ({ 'turnpike-cell': String(cell) });
const reach = async (cell: number) =>
  (await rest(proxy)('GET', '/currencies', undefined, to(cell)).catch(() => null))?.status ?? null;

/** Registers where the header says; what it gets leads there from then on. */
async function openShop(cell: number): Promise<Shop> {
  const body = { email: newEmail(), companyName: 'Shop' };
  const made = dataOf(await rest(proxy)('POST', '/merchant', body, to(cell)), 201);
  const { keyId, key: secret } = made.apiKey as { keyId: string; key: string };
  const { accessToken } = dataOf(await rest(proxy)('POST', '/auth/token', { keyId, secret })) as {
    accessToken: string;
  };
  const id = (made.merchant as { id: string }).id;
  return { cell, id, key: { keyId, secret }, token: accessToken, rest: rest(proxy, accessToken) };
}

async function order(shop: Shop): Promise<string> {
  return dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201).orderId as string;
}

it('make-map writes cells as identifiers and keys do', () => {
  for (const cell of [0, 1, 31, 32, 517, 999]) {
    useCell({ cell, since: 0 });
    const [code, key] = makeMap(cell).split('\n');
    expect([code, key]).toEqual([
      `${newId('mer').slice(12, 14)} cell_${String(cell)}`,
      `u${String(cell).padStart(3, '0')} cell_${String(cell)}`,
    ]);
  }
  useCell(null);
});

describe('every call reaches its cell', () => {
  it(`${String(MERCHANTS * CALLS)} calls of ${String(MERCHANTS)} merchants by their tokens`, async () => {
    for (const shop of shops) {
      expect([cellOf(shop.id), cellOfKey(shop.key.keyId)]).toEqual([shop.cell, shop.cell]);
      const ids = await Promise.all(Array.from({ length: CALLS }, () => order(shop)));
      expect(ids.map(cellOf)).toEqual(ids.map(() => shop.cell));
    }
    for (const cell of CELLS) {
      const rows = await databases[cell]?.sql('select count(*)::int as count from payment');
      expect(rows).toEqual([{ count: (MERCHANTS / 2) * CALLS }]);
    }
  });

  it('by an API key, as a bearer and as that of the Greenfield API', async () => {
    for (const { key } of shops.slice(0, 2)) {
      const url = 'https://hooks.example.com/turnpike';
      const asBearer = await rest(proxy, key.secret)('PUT', '/merchant/webhook', { url, enabled: true });
      const asToken = await send({
        ...{ method: 'GET', url: `${proxy.url}/api/v1/api-keys/current` },
        headers: { authorization: `token ${key.secret}` },
      });
      expect([asBearer.status, asToken.status]).toEqual([200, 200]);
    }
  });

  it('the pages of customers, and what they follow, by the id alone', async () => {
    for (const shop of shops.slice(0, 2)) {
      const id = await order(shop);
      const page = await send({ method: 'GET', url: `${proxy.url}/pay/${id}` });
      expect(page.status).toBe(200);
      const path = `/graphql?cell=${String(shop.cell)}`;
      expect(page.text).toContain(`data-graphql="${path}"`);
      const query = 'query ($id: ID!) { checkout(id: $id) { id } }';
      const asked = await send({
        ...{ method: 'POST', url: `${proxy.url}${path}`, headers: { 'content-type': 'application/json' } },
        body: JSON.stringify({ query, variables: { id } }),
      });
      expect(asked.body).toMatchObject({ data: { checkout: { id } } });
      expect(await follow(path, id)).toContain(id);
    }
  });

  it('what says nothing, or names a cell that there is not, reaches the first', async () => {
    expect((await rest(proxy)('GET', '/currencies')).status).toBe(200);
    expect((await rest(proxy)('GET', '/currencies', undefined, to(7))).status).toBe(200);
  });

  it('by the name of a cell, where nothing else says it', async () => {
    for (const cell of CELLS) {
      const body = { email: newEmail(), companyName: 'Shop' };
      const host = { host: `cell-${String(cell)}.pay.example` };
      const made = dataOf(await rest(proxy)('POST', '/merchant', body, host), 201) as { merchant: { id: string } };
      expect(cellOf(made.merchant.id)).toBe(cell);
    }
  });

  it('a caller who is sent to the wrong one is told where to go', async () => {
    const id = await order(shops[1] as Shop);
    const answer = await graphql(proxy)('query ($id: ID!) { checkout(id: $id) { id } }', { id });
    expect([answer.status, answer.body.errors[0].extensions.details]).toEqual([421, [{ path: 'cell', message: '1' }]]);
  });
});

/** The first message that a customer's page would hear over its web socket. */
function follow(path: string, id: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${proxy.url.replace('https', 'wss')}${path}`, 'graphql-transport-ws', TLS);
    const query = 'subscription ($id: ID!) { checkoutUpdated(id: $id) { id } }';
    socket.on('error', reject);
    socket.on('open', () => socket.send(JSON.stringify({ type: 'connection_init' })));
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      if (text.includes('connection_ack'))
        socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query, variables: { id } } }));
      else if (!text.includes('"ping"')) {
        socket.close();
        resolve(text);
      }
    });
  });
}

it('a cell that is killed takes nothing of the other along', async () => {
  const [first, second] = shops as [Shop, Shop];
  await cells[1]?.kill();
  await until(async () => (await second.rest('GET', '/payments')).status === 503, LONG);
  for (let count = 0; count < CALLS; count += 1) expect(cellOf(await order(first))).toBe(0);
});
