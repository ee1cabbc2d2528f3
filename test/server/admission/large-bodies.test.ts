// Large bodies: routes that take them, how many are read at once, and what becomes of their places.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { pino } from 'pino';
import { createHttpServer } from '../../../src/server/http-server.ts';
import { BODY_LIMIT, createLargeBodies, LARGE_BODY_LIMIT } from '../../../src/server/admission/large-bodies.ts';
import { until } from '../../support/until.ts';

const MOST = 3;
const opened = new Set<Socket>();
let server: FastifyInstance;

beforeAll(async () => {
  server = createHttpServer({
    ...{ log: pino({ level: 'silent' }), trustProxy: [], httpsOnly: false, tls: null },
    onAnswered: () => undefined,
  });
  server.post('/large', createLargeBodies(MOST), (request) => ({ length: JSON.stringify(request.body).length }));
  server.post('/usual', () => ({}));
  await server.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => {
  for (const socket of opened) socket.destroy();
  opened.clear();
});
afterAll(() => server.close());

const bodyOf = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));
const post = (url: string, body: string, headers = {}) =>
  server.inject({ method: 'POST', url, headers: { 'content-type': 'application/json', ...headers }, payload: body });

/** Begins a call whose body stops before its last byte. */
async function begin(body: string, isChunked = false): Promise<{ end(): void; answered(): Promise<string> }> {
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  opened.add(socket);
  let said = '';
  socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const size = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`;
  socket.write(`POST /large HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${size}\r\n\r\n`);
  if (isChunked) socket.write(`${body.length.toString(16)}\r\n${body}\r\n`);
  else socket.write(body.slice(0, -1));
  return {
    end: () => void socket.write(isChunked ? '0\r\n\r\n' : body.slice(-1)),
    answered: () => until(() => said.includes('\r\n\r\n') && said),
  };
}

describe('a large body', () => {
  it('is taken by the routes that say so, and bounded', async () => {
    expect((await post('/large', bodyOf(LARGE_BODY_LIMIT))).json()).toEqual({ length: LARGE_BODY_LIMIT });
    expect((await post('/large', bodyOf(LARGE_BODY_LIMIT + 1))).statusCode).toBe(413);
    expect((await post('/usual', bodyOf(BODY_LIMIT))).statusCode).toBe(200);
    expect((await post('/usual', bodyOf(BODY_LIMIT + 1))).statusCode).toBe(413);
  });

  it.each([false, true])('has one of few places until it was read; chunked: %s', async (isChunked) => {
    const body = bodyOf(BODY_LIMIT + 10);
    const begun = [];
    for (let nth = 0; nth < MOST; nth += 1) begun.push(await begin(body, isChunked));
    await until(async () => (await post('/large', body)).statusCode === 503);
    const refused = await post('/large', body);
    expect(refused.json()).toMatchObject({ success: false, error: { code: '9503' } });
    expect(refused.headers['retry-after']).toBe('1');
    const late = await begin(body, true);
    expect(await late.answered()).toMatch(/^HTTP\/1.1 503 /);
    // Others do not wait for it.
    expect((await post('/large', bodyOf(BODY_LIMIT))).statusCode).toBe(200);
    for (const call of begun) call.end();
    for (const call of begun) expect(await call.answered()).toMatch(/^HTTP\/1.1 200 /);
    expect((await post('/large', body)).statusCode).toBe(200);
  });

  it('gives its place back when its caller hangs up', async () => {
    const body = bodyOf(BODY_LIMIT + 10);
    for (let nth = 0; nth < MOST; nth += 1) await begin(body);
    await until(async () => (await post('/large', body)).statusCode === 503);
    for (const socket of opened) socket.destroy();
    await until(async () => (await post('/large', body)).statusCode === 200);
  });
});
