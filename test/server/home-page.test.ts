// The root of the site, and paths with a slash at the end.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request, type IncomingMessage } from 'node:http';
import { placesOf } from '../../src/server/pages/home-page.ts';
import { newMerchant, send, USDT_PAYMENT, type Json, type TestMerchant } from '../support/clients.ts';
import { dataOf, expectRefusal } from '../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../support/gateway/borrowed-gateway.ts';

let gateway: BorrowedGateway;
let shop: TestMerchant;

beforeAll(async () => {
  gateway = await borrowGateway();
  shop = await newMerchant(gateway);
});
afterAll(() => gateway.stop());

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const get = (path: string, headers = {}) => send({ method: 'GET', url: gateway.url + path, headers });

describe('the root', () => {
  it('tells a program where everything is, and each is there', async () => {
    const answer = await get('/');
    const { name, environment, links } = dataOf(answer) as Record<string, Json>;
    expect([name, environment, answer.headers['vary']]).toEqual(['Turnpike', 'sandbox', 'Accept']);
    expect(Object.keys(links ?? {})).toEqual([
      ...['api', 'graphql', 'console', 'docs', 'graphiql', 'mailbox', 'openapi', 'operator', 'health', 'readiness'],
    ]);
    const { api, graphql, ...pages } = links as Record<string, string>;
    expect([api, graphql]).toEqual([`${gateway.url}/api/v1`, `${gateway.url}/graphql`]);
    for (const url of Object.values(pages))
      expect([url, (await send({ method: 'GET', url, headers: BROWSER })).status]).toEqual([url, 200]);
  });

  it('shows a browser the same as a page without scripts, which nothing can frame', async () => {
    const { status, headers, text } = await get('/', BROWSER);
    expect([status, headers['content-type'], headers['vary']]).toEqual([200, 'text/html; charset=utf-8', 'Accept']);
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    const links = [...text.matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href);
    expect(links).toEqual(placesOf({ explorers: true, mailbox: true }).map(({ path }) => path));
    expect(text).not.toContain('<script');
  });

  it('offers neither the explorers nor the mailbox where there are none, as in live', () => {
    const names = placesOf({ explorers: false, mailbox: false }).map(({ name }) => name);
    expect(names).toEqual(['console', 'openapi', 'operator', 'health', 'readiness']);
  });

  it('takes GET alone', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
      expectRefusal(await send({ method, url: `${gateway.url}/` }), 404, '2004');
  });
});

describe('a slash at the end of a path', () => {
  it('changes nothing of a call, whose body and parameters arrive', async () => {
    const { orderId } = dataOf(await shop.rest('POST', '/payments/', USDT_PAYMENT), 201);
    expect(dataOf(await shop.rest('GET', `/payments/${String(orderId)}/`))).toMatchObject({ orderId });
    expect(dataOf(await shop.rest('GET', '/payments/?limit=1')).items).toHaveLength(1);
    for (const method of ['PATCH', 'DELETE']) expectRefusal(await shop.rest(method, '/payments/'), 405, '2005');
    expectRefusal(await shop.rest('GET', '/nowhere/'), 404, '2004');
  });

  it('changes nothing of GraphQL, whose refusals keep their form', async () => {
    const url = `${gateway.url}/graphql/`;
    const headers = { 'content-type': 'application/json' };
    const answer = await send({ method: 'POST', url, headers, body: '{"query":"{ currencies { network } }"}' });
    expect(answer.body.data.currencies).not.toEqual([]);
    expect((await send({ method: 'POST', url, headers, body: '{' })).body.errors).toHaveLength(1);
  });

  it('nor of web sockets', async () => {
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = {
        ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
        ...{
          'sec-websocket-key': Buffer.alloc(16).toString('base64'),
          'sec-websocket-protocol': 'graphql-transport-ws',
        },
      };
      const outgoing = request(`${gateway.url}/graphql/`, { headers, agent: false });
      outgoing.on('upgrade', (answer, socket) => resolve((socket.destroy(), answer)));
      outgoing.on('response', resolve).on('error', reject);
      outgoing.end();
    });
    expect(incoming.statusCode).toBe(101);
  });

  it('leads browsers to pages whose links are relative', async () => {
    for (const [path, location] of [
      ['/docs/', '../docs'],
      ['/graphql/?x=1', '../graphql?x=1'],
    ] as const) {
      const { status, headers } = await get(path, BROWSER);
      expect([path, status, headers['location']]).toEqual([path, 308, location]);
    }
    for (const path of ['/console/', '/operator/', '/sandbox/mailbox/'])
      expect([path, (await get(path, BROWSER)).status]).toEqual([path, 200]);
  });

  it('makes another path of a probe, and so do two slashes', async () => {
    for (const path of ['/healthz/', '/readyz/', '/metrics/', '//', '/docs//', '/api/v1/payments//'])
      expectRefusal(await get(path), 404, '2004');
  });
});
