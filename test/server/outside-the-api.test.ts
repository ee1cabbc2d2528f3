// The pages outside the API: health, metrics, and the payment page; none needs a token.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createMetrics, registerHealth } from '../../src/server/metrics/health.ts';
import { createHttpServer } from '../../src/server/http-server.ts';
import { newMerchant, send, USDT_PAYMENT, type TestMerchant } from '../support/clients.ts';
import { dataOf, expectRefusal } from '../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';
import { untilPasses } from '../support/until.ts';

let gateway: BorrowedGateway;
let shop: TestMerchant;

beforeAll(async () => {
  gateway = await borrowGateway();
  shop = await newMerchant(gateway);
});
afterAll(() => gateway.stop());

const get = (path: string) => send({ method: 'GET', url: gateway.url + path });

describe('readiness', () => {
  it('says that halts are not known where they cannot be read, and the log says why', async () => {
    const lines: string[] = [];
    const server = createHttpServer({
      ...{
        log: pino({}, { write: (line: string) => void lines.push(line) }),
        trustProxy: [],
        httpsOnly: false,
        tls: null,
      },
      onAnswered: () => undefined,
    });
    const readHalted = () => Promise.reject(new Error('no such table'));
    const checks = { database: () => Promise.resolve(null) };
    registerHealth(server, { checks, readHalted, metrics: createMetrics(new Set(['api'])) });
    const answer = await server.inject({ url: '/readyz' });
    expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ready', faults: {}, halted: null }]);
    expect(lines.filter((line) => line.includes('"check":"halted"') && line.includes('no such table'))).toHaveLength(1);
    await server.close();
  });
});

describe.each(['console', 'operator'])('the files of /%s', (name) => {
  it('are kept by browsers for good, as their names change with them; the page that names them is not', async () => {
    const page = await get(`/${name}`);
    expect(page.headers['cache-control']).toBe('no-cache');
    const [, script = ''] = /src="([^"]+-[\w-]{8}\.js)"/.exec(page.text) ?? [];
    const file = await get(script);
    expect([file.status, file.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
  });
});

describe('a path that cannot be decoded', () => {
  it('is counted, and answered with the protective headers', async () => {
    const counted: string[] = [];
    const server = createHttpServer({
      ...{ log: pino({ enabled: false }), trustProxy: [], httpsOnly: false, tls: null },
      onAnswered: ({ request, reply }) => void counted.push(`${request.url} ${reply.statusCode}`),
    });
    server.get('/pay/:id', () => 'a page');
    await server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.server.address() as AddressInfo;
    const answer = await send({ method: 'GET', url: `http://127.0.0.1:${port}/pay/%ff` });
    expectRefusal(answer, 404, '2004');
    expect(answer.headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
    await untilPasses(() => expect(counted).toEqual(['/pay/%ff 404']));
    await server.close();
  });
});

describe('outside the API', () => {
  it('/healthz, /readyz and /metrics need no token', async () => {
    expect((await get('/healthz')).body).toEqual({ status: 'ok' });
    // It is not ready while a loop is late, as on a machine that has just stood still.
    await untilPasses(async () => expect((await get('/readyz')).body).toEqual({ status: 'ready', faults: {} }));
    dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201);
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

  it('/pay/{id} is in the language of its address, else of the merchant, else of the browser', async () => {
    const { orderId } = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201);
    const ask = async (query: string) =>
      /<html[^>]*>/.exec(
        (
          await send({
            method: 'GET',
            url: `${gateway.url}/pay/${orderId}${query}`,
            headers: { 'accept-language': 'fr' },
          })
        ).text,
      )?.[0];
    expect(await ask('')).toBe('<html lang="fr" dir="ltr">');
    dataOf(await shop.rest('PUT', '/merchant/settings', { locale: 'ar' }));
    expect(await ask('')).toBe('<html lang="ar" dir="rtl">');
    expect(await ask('?lang=ja&lang=de')).toBe('<html lang="ar" dir="rtl">');
    expect(await ask('?lang=ja')).toBe('<html lang="ja" dir="ltr">');
    dataOf(await shop.rest('PUT', '/merchant/settings', { locale: null }));
  });

  it('/pay/{id}/logo is one transparent pixel (404) where there is none, and can do nothing', async () => {
    const { orderId } = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201);
    const logo = await get(`/pay/${orderId}/logo`);
    expect([logo.status, logo.headers['content-type'], logo.text.slice(0, 6)]).toEqual([404, 'image/gif', 'GIF89a']);
    expect(logo.headers['content-security-policy']).toBe("default-src 'none'; sandbox");
    expect((await get('/pay/nothing/logo')).status).toBe(404);
  });

  it.each(['nothing', 'ord_00000000000000000000000000000000', '%00'])(
    '/pay/%s is a page that says so (404)',
    async (id) => {
      const page = await get(`/pay/${id}`);
      expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    },
  );
});
