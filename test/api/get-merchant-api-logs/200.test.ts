// GET /merchant/api-logs: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { gateway, KEYS, read, shop } from '../fixtures/api-logs.fixture.ts';
import { connect, connectAs } from '../../server/graphql/ws/setup.fixture.ts';
import { openBrowser } from '../../support/browsers.ts';
import { PASSWORD, signUp } from '../../support/people.ts';
import { until, untilPasses } from '../../support/until.ts';
import { dataOf, expectKeys, ISO } from '../../support/expectations.ts';
import { graphql, type Json, newMerchant, rest, type TestMerchant, USDT_PAYMENT } from '../../support/clients.ts';

describe('GET /merchant/api-logs: 200', () => {
  it('has a row at once for each call that was answered: what it was, how it ended, over REST and GraphQL', async () => {
    await shop.rest('POST', '/payments', USDT_PAYMENT, { 'x-request-id': 'log-1' });
    await shop.rest('POST', '/payments', { ...USDT_PAYMENT, amount: '-1' }, { 'x-request-id': 'log-2' });
    await shop.graphql('query Mine { walletBalances { currency } }', {}, { 'x-request-id': 'log-3' });
    const { items: rows } = await read('?limit=100');
    const items = (rows as Json[]).filter(({ requestId }) => /^log-\d$/.test(requestId as string));
    expect(items).toHaveLength(3);
    for (const item of items) expectKeys(item as object, KEYS);
    const { keyId } = shop;
    expect(items).toMatchObject([
      { requestId: 'log-3', method: 'POST', path: '/graphql', operation: 'Mine', status: 200, errorCode: null, keyId },
      {
        requestId: 'log-2',
        method: 'POST',
        path: '/api/v1/payments',
        operation: 'createPayment',
        status: 400,
        errorCode: '2001',
      },
      { requestId: 'log-1', status: 201, errorCode: null, ip: '127.0.0.1' },
    ]);
    expect(items[0]?.['at']).toMatch(ISO);
  });

  it('has a row for each operation on a web socket, under the id that the socket was opened with', async () => {
    const client = await connectAs(`${gateway.url.replace('http', 'ws')}/graphql`, shop.token);
    client.subscribe('one', 'query OnSocket { walletBalances { currency } }');
    expect([(await client.next('one')).type, (await client.next('one')).type]).toEqual(['next', 'complete']);
    const { items } = await read('?limit=100');
    const { requestId } = client;
    expect((items as Json[]).filter((item) => item.requestId === requestId)).toMatchObject([
      { method: 'WS', path: '/graphql', operation: 'OnSocket', status: 200, errorCode: null, keyId: shop.keyId },
    ]);
    client.socket.close();
    await client.closed;
  });

  it('has none of what the console asks for, over HTTP or its socket, and all that its owner calls by a token', async () => {
    const owner = await signUp(gateway);
    const browser = openBrowser(gateway);
    await browser.graphql(
      'mutation ($email: String!, $password: String!) { signIn(email: $email, password: $password) { token { expiresIn } } }',
      { email: owner.email, password: PASSWORD },
    );
    const seen = await browser.graphql('query FromConsole { settings { companyName } }');
    expect(seen.body.data).toEqual({ settings: { companyName: 'Shop' } });
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, origin: gateway.url };
    const client = await connect(`${gateway.url.replace('http', 'ws')}/graphql`, { headers });
    client.send({ type: 'connection_init', payload: { session: 'cookie' } });
    await client.next('connection_ack');
    const { payload } = await client.run('query OnItsSocket { settings { companyName } }');
    expect(payload.data).toEqual({ settings: { companyName: 'Shop' } });
    client.socket.close();
    await client.closed;
    await owner.graphql('query ByToken { settings { companyName } }');
    const log = dataOf(await rest(gateway, owner.token)('GET', '/merchant/api-logs?limit=100')).items as Json[];
    expect(log.map(({ operation, keyId }) => [operation, keyId])).toEqual([['ByToken', null]]);
  });

  it("has the merchant's own calls and nobody else's", async () => {
    const other = await newMerchant(gateway);
    await other.rest('GET', '/payments', undefined, { 'x-request-id': 'others' });
    await untilPasses(async () => expect(JSON.stringify(await read('?limit=100', other))).toContain('others'));
    expect(JSON.stringify(await read())).not.toContain('others');
  });

  it('is paged by keyset, each call once, also where several came in one instant', async () => {
    const other = await newMerchant(gateway);
    await gateway.sql(
      `insert into api_log (merchant_id, request_id, at, method, path, status, duration_ms, ip)
       select $1, 'row-' || n, '2026-01-01T00:00:00.123456Z'::timestamptz - (n / 3) * interval '1 microsecond', 'GET', '/', 200, 1, '::1'
       from generate_series(1, 25) n`,
      [other.id],
    );
    const seen = await readAll('endDate=2026-01-01&limit=4', other);
    expect(seen).toHaveLength(25);
    expect(new Set(seen).size).toBe(25);
  });

  it('keeps the order of what came in one instant where the number of its rows gains a digit', async () => {
    const other = await newMerchant(gateway);
    const rows = [99_998, 100_003, 100_000, 100_001, 99_999, 100_002, 99_997];
    await gateway.sql(
      `insert into api_log (id, merchant_id, request_id, at, method, path, status, duration_ms, ip) overriding system value
       select n, $1, 'row-' || n, '2026-01-01T00:00:00.123456Z', 'GET', '/', 200, 1, '::1' from unnest($2::bigint[]) n`,
      [other.id, rows],
    );
    const newestFirst = rows.toSorted((one, two) => two - one).map((row) => `row-${row}`);
    for (const limit of [1, 2, 3, 7])
      expect(await readAll(`endDate=2026-01-01&limit=${limit}`, other)).toEqual(newestFirst);
  });

  it('is narrowed by dates, the last day included', async () => {
    const other = await newMerchant(gateway);
    for (const at of ['2026-02-01T00:00:00Z', '2026-02-02T23:59:59.999Z', '2026-02-03T00:00:00Z'])
      await gateway.sql(
        `insert into api_log (merchant_id, request_id, at, method, path, status, duration_ms, ip) values ($1, $2::text, $2::text::timestamptz, 'GET', '/', 200, 1, '::1')`,
        [other.id, at],
      );
    const days = async (query: string) =>
      ((await read(query, other)).items as Json[]).map(({ requestId }) => (requestId as string).slice(8, 10));
    expect(await days('?startDate=2026-02-01&endDate=2026-02-02')).toEqual(['02', '01']);
    expect(await days('?startDate=2026-02-02T00:00:00Z&endDate=2026-02-03T00:00:00Z')).toEqual(['02']);
  });
});

describe('GET /merchant/api-logs: what is looked for', () => {
  it('is narrowed by key, method, status class, path, error code and source, alone and together', async () => {
    const other = await newMerchant(gateway);
    const { orderId } = dataOf(await other.rest('POST', '/payments', USDT_PAYMENT), 201);
    await other.rest('GET', `/payments/${orderId}`);
    await other.rest('GET', '/payments/ord_none');
    await other.rest('POST', '/payments', {});
    await other.graphql('query Mine { walletBalances { currency } }');
    const operations = async (query: string) =>
      ((await read(`?${query}`, other)).items as Json[]).map(({ operation, status }) => `${operation} ${status}`);
    const [made, refused] = ['createPayment 201', 'createPayment 400'];
    const [shown, missing, mine] = ['payment 200', 'payment 404', 'Mine 200'];
    const all = [mine, refused, missing, shown, made];
    expect(await operations(`keyId=${other.keyId}&endDate=2100-01-01`)).toEqual(expect.arrayContaining(all));
    expect(await operations('keyId=pk_test_none')).toEqual([]);
    expect(await operations('method=POST&path=/api/')).toEqual([refused, made]);
    expect(await operations('statusClass=4')).toEqual([refused, missing]);
    expect(await operations(`path=/api/v1/payments/${orderId}`)).toEqual([shown]);
    expect(await operations('path=/graphql&source=KEY')).toEqual([mine]);
    expect(await operations('errorCode=2004')).toEqual([missing]);
    expect(await operations('errorCode=2004&method=POST')).toEqual([]);
    expect(await operations('source=SESSION')).toEqual([]);
  });

  it('is found page by page among very many, and pages may be empty until then', async () => {
    const other = await newMerchant(gateway);
    await gateway.sql(
      `insert into api_log (merchant_id, request_id, at, method, path, status, duration_ms, ip)
       select $1, 'row-' || n, '2026-01-01T00:00:00Z'::timestamptz - n * interval '1 second',
         case n when 12345 then 'PUT' else 'GET' end, '/', 200, 1, '::1' from generate_series(1, 15000) n`,
      [other.id],
    );
    expect(await readAll('endDate=2026-01-01&method=PUT', other)).toEqual(['row-12345']);
    const { items, pagination } = await read('?endDate=2026-01-01&method=PUT', other);
    expect([items, pagination.hasMore]).toEqual([[], true]);
  });
});

/** The request ids of a whole list, read page by page. */
async function readAll(query: string, by: TestMerchant): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | null = null; ;) {
    const { items, pagination } = await read(`?${query}${cursor === null ? '' : `&cursor=${cursor}`}`, by);
    seen.push(...(items as Json[]).map(({ requestId }) => requestId as string));
    expect(pagination.hasMore).toBe(pagination.nextCursor !== null);
    cursor = pagination.nextCursor as string | null;
    if (cursor === null) return seen;
  }
}

describe('the log behind it', () => {
  const LONGEST_NAME = 'n'.repeat(100);
  const rowOf = (requestId: string) =>
    until(async () => (await gateway.sql('select * from api_log where request_id = $1', [requestId]))[0]);

  const countUnowned = async (status: string, code: string): Promise<number> => {
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    const counted = new RegExp(`^turnpike_anonymous_calls_total{status="${status}",code="${code}"} (\\d+)$`, 'm');
    return Number(counted.exec(metrics)?.[1] ?? 0);
  };

  it('has a row for every call of a merchant, answered or refused, and no secret in it', async () => {
    await shop.rest('GET', '/payments?limit=1', undefined, { 'x-request-id': 'logged-1' });
    expect(await rowOf('logged-1')).toMatchObject({
      ...{ merchant_id: shop.id, key_id: shop.keyId, method: 'GET', path: '/api/v1/payments', operation: 'payments' },
      ...{ status: 200, error_code: null, ip: '127.0.0.1' },
    });
    await shop.rest('GET', '/payments/ord_none', undefined, { 'x-request-id': 'logged-2' });
    expect(await rowOf('logged-2')).toMatchObject({ merchant_id: shop.id, status: 404, error_code: '2004' });
    await shop.graphql('{ payments { nodes { id } } }', {}, { 'x-request-id': 'logged-3' });
    expect(await rowOf('logged-3')).toMatchObject({ merchant_id: shop.id, method: 'POST', path: '/graphql' });
    const all = JSON.stringify([await gateway.sql('select * from api_log'), gateway.logged]);
    for (const secret of [shop.secret, shop.token]) expect(all).not.toContain(secret);
  });

  it('has none for calls of nobody known, which are counted by what they were answered', async () => {
    const headers = { 'x-request-id': 'nobodys' };
    const path = `/${'none/'.repeat(2_000)}`;
    const before = [
      await countUnowned('404', '2004'),
      await countUnowned('401', '1005'),
      await countUnowned('200', ''),
    ] as const;
    for (let nth = 0; nth < 20; nth += 1) await rest(gateway)('GET', path, undefined, headers);
    await rest(gateway)('POST', '/auth/token', { keyId: shop.keyId, secret: 'x' }, headers);
    await graphql(gateway)(`query ${LONGEST_NAME} { currencies { name } }`, {}, headers);
    await untilPasses(async () => {
      expect(await countUnowned('404', '2004')).toBeGreaterThanOrEqual(before[0] + 20);
      expect(await countUnowned('401', '1005')).toBeGreaterThanOrEqual(before[1] + 1);
      expect(await countUnowned('200', '')).toBeGreaterThanOrEqual(before[2] + 1);
    });
    // Rows are written in the order of the calls, so the missing ones would be there by now.
    await shop.rest('GET', '/payments', undefined, { 'x-request-id': 'after-nobodys' });
    await rowOf('after-nobodys');
    expect(await gateway.sql(`select from api_log where request_id = 'nobodys' or merchant_id is null`)).toEqual([]);
  });

  it('has a bounded row for whatever a merchant asks for', async () => {
    const headers = { 'x-request-id': 'long' };
    await shop.rest('GET', `/payments/${'a/'.repeat(4_000)}`, undefined, headers);
    await shop.graphql(`query ${'n'.repeat(50_000)} { currencies { name } }`, {}, headers);
    await shop.graphql(`query ${LONGEST_NAME} { currencies { name } }`, {}, headers);
    const rows = await until(async () => {
      const found = await gateway.sql<{ path: string; operation: string | null }>(
        `select path, operation from api_log where request_id = 'long' order by id`,
      );
      return found.length === 3 ? found : null;
    });
    for (const { path, operation } of rows) {
      expect(path.length).toBeLessThanOrEqual(200);
      expect(operation?.length ?? 0).toBeLessThanOrEqual(200);
    }
    expect(rows[2]?.operation).toBe(LONGEST_NAME);
  });
});
