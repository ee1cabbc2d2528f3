// Large answers of JSON come as gzip to those who take it, with the same data; all others as they are.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { randomBytes } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { pino } from 'pino';
import { createOriginRules } from '../../src/server/admission/allowed-origins.ts';
import type { SharedMemory } from '../../src/server/admission/shared-memory.ts';
import { boundUnreadAnswers } from '../../src/server/admission/unread-answers.ts';
import { compressAnswers } from '../../src/server/compression.ts';
import { createHttpServer } from '../../src/server/http-server.ts';

const LIST = JSON.stringify({
  items: Array.from({ length: 100 }, (_, at) => ({ id: `ord_${at}`, status: 'PENDING' })),
});
/** It stays large. */
const RANDOM = JSON.stringify(randomBytes(150_000).toString('base64'));

let server: FastifyInstance;
const counted: number[] = [];

beforeAll(async () => {
  server = createHttpServer({
    ...{ log: pino({ level: 'silent' }), trustProxy: [], httpsOnly: false, tls: null },
    origins: createOriginRules({
      ...{ ownUrls: [], corsOrigins: [], corsLoopback: false, allowedHosts: [], refusesPages: false },
      refusesHosts: false,
    }),
    onAnswered: () => undefined,
  });
  compressAnswers(server);
  const hold: SharedMemory['hold'] = () => ({
    grow: (size) => counted.push(size) > 0,
    shrink: () => undefined,
    release: () => undefined,
  });
  boundUnreadAnswers(server, { hold } as SharedMemory);
  const answers = { list: LIST, random: RANDOM, small: '{"success":true}' };
  for (const [name, answer] of Object.entries(answers))
    server.get(`/api/v1/${name}`, (_request, reply) =>
      reply.type('application/json; charset=utf-8').header('Content-Length', Buffer.byteLength(answer)).send(answer),
    );
  server.get('/page', (_request, reply) => reply.type('text/html').send(LIST));
  await server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close());

async function ask(path: string, headers: Readonly<Record<string, string>>) {
  const { port } = server.server.address() as AddressInfo;
  const request = get({ port, path, headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const body = await buffer(response);
  const { vary, 'content-encoding': encoding, 'content-length': length } = response.headers;
  expect(Number(length)).toBe(body.length);
  return { vary, encoding, body };
}

describe('a long list', () => {
  it.each(['gzip', 'gzip, deflate, br', 'br;q=1.0, gzip;q=0.5', '*'])('is compressed for %s', async (accepted) => {
    const { vary, encoding, body } = await ask('/api/v1/list', { 'accept-encoding': accepted });
    expect([encoding, vary]).toEqual(['gzip', 'Origin, Accept-Encoding']);
    expect(gunzipSync(body).toString()).toBe(LIST);
    expect(body.length).toBeLessThan(LIST.length / 5);
  });

  it.each(['', 'identity', 'br', 'gzip;q=0', 'gzip;q=0.000, *'])('is sent as it is for %s', async (accepted) => {
    const { vary, encoding, body } = await ask('/api/v1/list', { 'accept-encoding': accepted });
    expect([encoding, vary, body.toString()]).toEqual([undefined, 'Origin, Accept-Encoding', LIST]);
  });
});

it.each(['/api/v1/small', '/page'])('what is small, or not JSON, is sent as it is: %s', async (path) => {
  expect((await ask(path, { 'accept-encoding': 'gzip' })).encoding).toBeUndefined();
});

it('one that is still large counts while nobody reads it', async () => {
  const { body } = await ask('/api/v1/random', { 'accept-encoding': 'gzip' });
  expect(body.length).toBeGreaterThan(100_000);
  expect(counted).toEqual([body.length]);
});
