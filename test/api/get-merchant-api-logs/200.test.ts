// GET /merchant/api-logs, as far as it answers 200.

import { describe, expect, it } from '@jest/globals';
import { gateway, KEYS, read, shop } from '../fixtures/api-logs.ts';
import { connectAs } from '../../server/socket-fixture.ts';
import { until, untilPasses } from '../../support/until.ts';
import { expectKeys, ISO } from '../../support/expectations.ts';
import { type Json, newMerchant, rest, USDT_PAYMENT } from '../../support/clients.ts';

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
    const seen: string[] = [];
    let cursor = '';
    do {
      const { items, pagination } = await read(`?endDate=2026-01-01&limit=4${cursor && `&cursor=${cursor}`}`, other);
      seen.push(...(items as Json[]).map(({ requestId }) => requestId as string));
      expect(pagination.hasMore).toBe(pagination.nextCursor !== null);
      cursor = (pagination.nextCursor as string | null) ?? '';
    } while (cursor !== '');
    expect(seen).toHaveLength(25);
    expect(new Set(seen).size).toBe(25);
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

describe('the log behind it', () => {
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
