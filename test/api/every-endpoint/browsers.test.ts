// Calls from pages of other origins (CORS): which are allowed, what they may send, and what they may read.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newMerchant, send, type Answer, type TestMerchant } from '../../support/clients.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';

const SHOP = 'https://shop.example';
/** Origins of a developer's own machine. */
const OWN = 'http://localhost:5173';
const OTHER = 'https://other.example';
let sandbox: TestGateway;
let named: TestGateway;
let closed: TestGateway;
let shop: TestMerchant;

beforeAll(async () => {
  [sandbox, named, closed] = await Promise.all([
    startTestGateway(),
    startTestGateway({ CORS_ORIGINS: `${SHOP}, https://till.example` }),
    startTestGateway({ CORS_ORIGINS: 'none' }),
  ]);
  shop = await newMerchant(sandbox);
});
afterAll(async () => {
  await Promise.all([sandbox.stop(), named.stop(), closed.stop()]);
});

const PATHS = ['/api/v1/payments', '/api/v1/currencies', '/graphql', '/graphql/stream', '/openapi.json'];

const preflight = (gateway: TestGateway, path: string, origin = SHOP): Promise<Answer> =>
  send({
    method: 'OPTIONS',
    url: gateway.url + path,
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  });

const corsOf = ({ headers }: Answer) => Object.keys(headers).filter((name) => name.startsWith('access-control-'));

describe('in the sandbox, unless configured', () => {
  it.each(PATHS)('a page of this machine may ask before it calls %s, and no other', async (path) => {
    for (const origin of [SHOP, 'null', 'http://localhost.evil.example']) {
      const refused = await preflight(sandbox, path, origin);
      expect([refused.status, corsOf(refused)]).toEqual([403, []]);
    }
    const { status, headers, text } = await preflight(sandbox, path, OWN);
    expect([status, text]).toEqual([204, '']);
    expect(headers).toMatchObject({ 'access-control-allow-origin': OWN, 'access-control-max-age': '600' });
    expect(headers['access-control-allow-methods']).toBe('GET, HEAD, POST, PUT, DELETE');
    expect(headers['access-control-allow-headers']).toMatch(
      /Authorization, Content-Type, Idempotency-Key, X-Request-Id, Turnpike-Cell/,
    );
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  });

  it('it reads answers and refusals, and the headers that say something of them', async () => {
    const called = await shop.rest('GET', '/payments', undefined, { origin: OWN });
    dataOf(called);
    const refused = await send({ method: 'GET', url: `${sandbox.url}/api/v1/payments`, headers: { origin: OWN } });
    expectRefusal(refused, 401, '1001');
    const missing = await send({ method: 'GET', url: `${sandbox.url}/api/v1/nowhere`, headers: { origin: OWN } });
    expectRefusal(missing, 404, '2004');
    for (const { headers } of [called, refused, missing]) {
      expect(headers['access-control-allow-origin']).toBe(OWN);
      expect(headers['access-control-expose-headers']).toMatch(/X-Request-Id, Idempotent-Replayed, Retry-After/);
    }
  });

  it.each(['/pay/nothing', '/healthz', '/metrics', '/docs'])('%s is not for other pages to read', async (path) => {
    for (const origin of [SHOP, OWN]) {
      const answer = await send({ method: 'GET', url: sandbox.url + path, headers: { origin } });
      expect(corsOf(answer)).toEqual([]);
    }
  });

  it('a call from no page has none of it', async () => {
    expect(corsOf(await shop.rest('GET', '/payments'))).toEqual([]);
  });
});

describe('with CORS_ORIGINS', () => {
  it.each(PATHS)('pages of the named origins may call %s, and no others', async (path) => {
    const may = await preflight(named, path);
    expect([may.status, may.headers['access-control-allow-origin'], may.headers.vary]).toEqual([204, SHOP, 'Origin']);
    for (const origin of [OTHER, 'null', 'https://shop.example.evil', 'http://shop.example'])
      expect(corsOf(await preflight(named, path, origin))).toEqual([]);
  });

  it('"none" lets no page call; programs call as ever', async () => {
    const currencies = { method: 'GET', url: `${closed.url}/api/v1/currencies` };
    for (const origin of [SHOP, OWN]) {
      for (const path of PATHS) expect(corsOf(await preflight(closed, path, origin))).toEqual([]);
      expectRefusal(await send({ ...currencies, headers: { origin } }), 403, '1003');
    }
    dataOf(await send(currencies));
  });
});
