// The trace id: every answer has an `X-Request-Id`, whichever part of the server answers.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'node:http';
import { connect } from 'node:net';
import { send, type Answer } from '../../support/clients.ts';
import { expectRefusal } from '../../support/expectations.ts';
import { borrowGateway, type BorrowedGateway } from '../../support/gateway/borrowed-gateway.ts';

let gateway: BorrowedGateway;

beforeAll(async () => {
  gateway = await borrowGateway();
});
afterAll(() => gateway.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  send({ method: 'GET', url: gateway.url + path, headers });

/** Requests a web socket; resolves with the answer that rejects it. */
function upgrade(path: string, headers: Record<string, string>): Promise<Answer> {
  const own = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'x' };
  return new Promise((resolve, reject) => {
    const outgoing = request(gateway.url + path, { headers: { ...own, ...headers }, agent: false }, (incoming) => {
      let text = '';
      incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: JSON.parse(text), text }),
      );
    });
    outgoing.on('error', reject).end();
  });
}

describe('X-Request-Id', () => {
  const PATHS = [
    ...['/api/v1/payments', '/api/v1/wallet/balance', '/api/v1/nowhere', '/nowhere', '/graphql', '/graphql?query=%7B'],
    ...['/healthz', '/readyz', '/metrics', '/pay/nothing', '/pay/assets/client.js', '/api/v1/payments/%', '/'],
    ...['/openapi.json', '/docs', '/docs/assets/page.css', '/favicon.ico', '/graphql/stream', '/docs/assets/none'],
  ];

  it.each(PATHS)("is on the answer of %s, and is the caller's own where they sent one", async (path) => {
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
      ['GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
      [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ] as const) {
      const text = await answerTo(bytes);
      expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(text).toMatch(/\r\nX-Request-Id: [\w-]+\r\n/i);
      expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ success: false, error: { code: '2008' } });
    }
  });

  it.each(['/nowhere', '/api/v1/payments'])('is on the answer to an upgrade of %s, which is refused', async (path) => {
    const answer = await upgrade(path, { 'x-request-id': 'My-own_2' });
    expectRefusal(answer, 404, '2004');
    expect(answer.headers['x-request-id']).toBe('My-own_2');
  });

  it('is on the answer to OPTIONS, and where an expectation is passed over', async () => {
    const options = await send({
      method: 'OPTIONS',
      url: `${gateway.url}/graphql`,
      headers: { 'x-request-id': 'mine' },
    });
    expect([options.status, options.headers['x-request-id'], options.headers.allow]).toEqual([
      204,
      'mine',
      'GET, POST',
    ]);
    expect((await get('/healthz', { expect: 'the unexpected', 'x-request-id': 'mine' })).headers['x-request-id']).toBe(
      'mine',
    );
  });
});
