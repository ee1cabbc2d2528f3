// What holds for every call: request ids, media types, sizes, methods, paths, masked errors, and the API log.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import {
  newMerchant,
  rest,
  send,
  USDT_PAYMENT,
  type Answer,
  type Json,
  type TestMerchant,
} from '../support/clients.ts';
import { CLUSTER_VARIABLE, createTestDatabase, runSql, type TestDatabase } from '../support/database.ts';
import { dataOf, expectFaults, expectRefusal } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

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

const get = (path: string, headers: Record<string, string> = {}) =>
  send({ method: 'GET', url: gateway.url + path, headers });
const post = (body: string, headers: Record<string, string> = {}) => shop.rest('POST', '/payments', body, headers);
const PAYMENT = JSON.stringify(USDT_PAYMENT);

describe('X-Request-Id', () => {
  const PATHS = [
    ...['/api/v1/payments', '/api/v1/wallet/balance', '/api/v1/nowhere', '/nowhere', '/graphql', '/graphql?query=%7B'],
    ...['/healthz', '/readyz', '/metrics', '/pay/nothing', '/pay/assets/client.js', '/api/v1/payments/%', '/'],
  ];

  it.each(PATHS)("is on the answer of %s, and is the caller's own where he sent one", async (path) => {
    expect((await get(path)).headers['x-request-id']).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect((await get(path, { 'x-request-id': 'My-own_1' })).headers['x-request-id']).toBe('My-own_1');
  });

  it.each(['', 'a b', 'a.b', 'ä', 'x'.repeat(65), '<script>', 'a,b'])('%j is replaced', async (own) => {
    const id = (await get('/healthz', { 'x-request-id': own })).headers['x-request-id'];
    expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(id).not.toBe(own);
  });

  it('64 characters are kept, and no two answers without one share theirs', async () => {
    expect((await get('/healthz', { 'x-request-id': 'x'.repeat(64) })).headers['x-request-id']).toBe('x'.repeat(64));
    const ids = await Promise.all([1, 2, 3].map(async () => (await get('/healthz')).headers['x-request-id']));
    expect(new Set(ids).size).toBe(3);
  });

  it('is even on the answer to what is no HTTP, which is JSON as well', async () => {
    const { port } = new URL(gateway.url);
    const answerTo = (bytes: string) =>
      new Promise<string>((resolve, reject) => {
        let text = '';
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes));
        socket.on('data', (chunk) => (text += chunk.toString()));
        socket.on('error', reject);
        socket.on('close', () => resolve(text));
      });
    for (const [bytes, status] of [
      ['rubbish\r\n\r\n', 400],
      [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ] as const) {
      const text = await answerTo(bytes);
      expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(text).toMatch(/\r\nX-Request-Id: [\w-]+\r\n/);
      expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ success: false, error: { code: '2008' } });
    }
  });
});

describe('400', () => {
  it.each(['{', '{"amount":"25",}', "{'amount':'25'}", 'amount=25', '{"a":1}{"b":2}', '\u0000', '{"a":NaN}'])(
    'a body that is %j and not JSON is 2008',
    async (body) => {
      expectRefusal(await post(body), 400, '2008');
    },
  );

  it('JSON as deep as a body can be is refused like any other (2001)', async () => {
    const depth = 40_000;
    const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expectFaults(await post(deep), ['']);
    expectFaults(await post(PAYMENT.replace('{', `{"metadata":${deep},`)), ['metadata']);
  });

  it('an unknown query parameter is a fault beside those of the body (2001)', async () => {
    const answer = await shop.rest('POST', '/payments?dryRun=1&test=1', { ...USDT_PAYMENT, amount: 1 });
    expectFaults(answer, ['amount', 'dryRun', 'test']);
    expectFaults(await shop.rest('GET', '/wallet/balance?currency=USDT'), ['currency']);
  });
});

describe('404', () => {
  it.each(['/', '/api', '/api/v1', '/api/v1/', '/api/v1/payment', '/api/v2/payments', '/API/V1/payments'])(
    '%s is no path of ours (2004)',
    async (path) => {
      for (const method of ['GET', 'POST', 'DELETE'])
        expectRefusal(await send({ method, url: gateway.url + path }), 404, '2004');
    },
  );
});

describe('405', () => {
  it.each([
    ['/payments', ['PUT', 'PATCH', 'DELETE'], 'POST, GET'],
    ['/payments/ord_1', ['POST', 'PUT', 'PATCH'], 'GET, DELETE'],
    ['/merchant/register', ['GET', 'PUT', 'PATCH', 'DELETE'], 'POST'],
    ['/merchant', ['GET', 'DELETE'], 'POST'],
    ['/auth/token', ['GET', 'PUT'], 'POST'],
    ['/wallet/balance', ['POST', 'DELETE'], 'GET'],
    ['/merchant/webhook', ['GET', 'POST', 'DELETE'], 'PUT'],
    ['/webhooks/deliveries/evt_1', ['POST', 'DELETE'], 'GET'],
    ['/sandbox/payments/ord_1/deposit', ['GET'], 'POST'],
  ])('%s does not take %j, and says what it takes (2005)', async (path, methods, allow) => {
    for (const method of methods) {
      const answer = await rest(gateway)(method, path);
      expectRefusal(answer, 405, '2005');
      expect(answer.headers.allow?.split(', ').sort()).toEqual(allow.split(', ').sort());
    }
  });
});

describe('413', () => {
  it('a body over 100 KB is 2006, and one of 100 KB is read', async () => {
    const fill = (bytes: number) => `${PAYMENT}${' '.repeat(bytes - PAYMENT.length)}`;
    dataOf(await post(fill(102_400)), 201);
    expectRefusal(await post(fill(102_401)), 413, '2006');
    expectRefusal(await post(fill(102_401), { 'transfer-encoding': 'chunked' }), 413, '2006');
  });
});

describe('415', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    '',
  ])('Content-Type: %j is 2007', async (type) => {
    expectRefusal(await post(PAYMENT, { 'content-type': type }), 415, '2007');
    expectRefusal(await shop.rest('PUT', '/merchant/webhook', '{}', { 'content-type': type }), 415, '2007');
  });

  it('JSON with a charset is JSON', async () => {
    dataOf(await post(PAYMENT, { 'content-type': 'application/json; charset=utf-8' }), 201);
    dataOf(await post(PAYMENT, { 'content-type': 'Application/JSON' }), 201);
  });
});

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

  it('while the database is away nothing is told but that, and afterwards all is well again', async () => {
    const cluster = process.env[CLUSTER_VARIABLE] ?? '';
    const name = new URL(database.url).pathname.slice(1);
    const allow = (allowed: boolean) => runSql(cluster, `alter database ${name} allow_connections ${String(allowed)}`);
    await allow(false);
    try {
      await runSql(cluster, 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
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

describe('outside the API', () => {
  it('/healthz, /readyz and /metrics need no token', async () => {
    expect((await get('/healthz')).body).toEqual({ status: 'ok' });
    expect((await get('/readyz')).body).toEqual({ status: 'ready', faults: {} });
    const metrics = await get('/metrics');
    expect(metrics.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(metrics.text).toMatch(
      /turnpike_http_requests_total\{route="\/api\/v1\/payments",method="POST",status="201"\} \d/,
    );
    expect(metrics.text).not.toContain(shop.id);
  });

  it('/pay/{id} is a page of its own, without a token, that nobody may frame or write into', async () => {
    const productName = '</title><script>alert(1)</script>';
    const { orderId } = dataOf(await shop.rest('POST', '/payments', { ...USDT_PAYMENT, productName }), 201);
    const page = await get(`/pay/${orderId}`);
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toMatch(/default-src 'none'.*script-src 'nonce-[^']+'.*frame-ancestors 'none'/);
    expect(page.text).not.toContain('<script>alert');
    expect(page.text).toContain('&lt;script&gt;');
    const again = await get(`/pay/${orderId}`);
    expect(again.headers['content-security-policy']).not.toBe(policy);
  });

  it.each(['nothing', 'ord_00000000000000000000000000000000', '%00'])(
    '/pay/%s is a page that says so (404)',
    async (id) => {
      const page = await get(`/pay/${id}`);
      expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    },
  );
});

describe('the API log', () => {
  const rowOf = (requestId: string) =>
    until(async () => (await gateway.sql('select * from api_log where request_id = $1', [requestId]))[0]);

  it('has a row for every call, answered or refused, and no secret in it', async () => {
    await shop.rest('GET', '/payments?limit=1', undefined, { 'x-request-id': 'logged-1' });
    expect(await rowOf('logged-1')).toMatchObject({
      ...{ merchant_id: shop.id, key_id: shop.keyId, method: 'GET', path: '/api/v1/payments', operation: 'payments' },
      ...{ status: 200, error_code: null, ip: '127.0.0.1' },
    });
    await rest(gateway)('POST', '/auth/token', { keyId: shop.keyId, secret: 'x' }, { 'x-request-id': 'logged-2' });
    expect(await rowOf('logged-2')).toMatchObject({ merchant_id: null, key_id: null, status: 401, error_code: '1005' });
    await shop.graphql('{ payments { nodes { id } } }', {}, { 'x-request-id': 'logged-3' });
    expect(await rowOf('logged-3')).toMatchObject({ merchant_id: shop.id, method: 'POST', path: '/graphql' });
    const all = JSON.stringify([await gateway.sql('select * from api_log'), gateway.logged]);
    for (const secret of [shop.secret, shop.token]) expect(all).not.toContain(secret);
  });
});

describe('while it stops', () => {
  it('every call that is taken is answered, or refused in the usual form (9503)', async () => {
    const second = await startTestGateway();
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const call = () =>
      new Promise<Answer>((resolve, reject) => {
        const outgoing = request(`${second.url}/api/v1/payments`, { agent }, (incoming) => {
          let text = '';
          incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
          incoming.on('error', reject);
          incoming.on('end', () => {
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: JSON.parse(text), text });
          });
        });
        outgoing.on('error', reject).end();
      });
    const answers: Answer[] = [await call()];
    let stopped = false;
    const stopping = second.stop().finally(() => (stopped = true));
    const caller = async () => {
      while (!stopped) answers.push(await call());
    };
    // A connection that the server closed between two calls is no answer at all.
    await Promise.allSettled([caller(), caller(), stopping]);
    agent.destroy();
    for (const answer of answers) {
      if (answer.status === 503) expectRefusal(answer, 503, '9503');
      else expectRefusal(answer, 401, '1001');
    }
  });
});
