// Large answers that callers do not read, or read slowly: over HTTP, sockets and streams they share one memory budget.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { pino } from 'pino';
import { createHttpServer } from '../../../src/server/http-server.ts';
import { createSharedMemory, type SharedMemory } from '../../../src/server/admission/shared-memory.ts';
import { boundUnreadAnswers } from '../../../src/server/admission/unread-answers.ts';
import { until } from '../../support/until.ts';
import { connectAs, openSocketFixture, type SocketFixture, type TestClient } from '../graphql/ws/setup.fixture.ts';
import { serveStreams } from '../graphql/sse/setup.fixture.ts';

/** More than the system buffers for both sides of a connection. */
const ANSWER = 'x'.repeat(9_000_000);
const MOST = 40_000_000;
const CALLERS = 20;
const LITTLE = 100;

const open = new Set<Socket>();
afterAll(() => open.forEach((socket) => void socket.destroy()));

/** Asks, and reads a little. */
async function ask(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  open.add(socket);
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'readable');
  socket.read(LITTLE);
  return socket;
}

describe('over HTTP', () => {
  let server: FastifyInstance;
  let memory: SharedMemory;

  beforeAll(async () => {
    server = createHttpServer({
      ...{ log: pino({ level: 'silent' }), trustProxy: ['127.0.0.1'], httpsOnly: false, tls: null },
      onAnswered: () => undefined,
    });
    memory = createSharedMemory({ most: MOST, free: 65_536 });
    boundUnreadAnswers(server, memory);
    server.get('/large', () => ANSWER);
    server.get('/held', (_request, reply) => void reply.hijack());
    await server.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(() => {
    server.server.closeAllConnections();
    return server.close();
  });

  const askAs = (address: string) =>
    ask(
      (server.server.address() as AddressInfo).port,
      `GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Forwarded-For: ${address}\r\n\r\n`,
    );

  /** Reads all that comes; returns whether that was the whole answer. */
  async function take(socket: Socket): Promise<boolean> {
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
    if (!socket.closed) await once(socket, 'close');
    return bytes > ANSWER.length - LITTLE;
  }

  it('what waits stays below its bound, the oldest of the caller with most are cut, and others are answered', async () => {
    const patient = await askAs('192.0.2.2');
    const greedy: Socket[] = [];
    for (let n = 0; n < CALLERS; n += 1) {
      greedy.push(await askAs('192.0.2.1'));
      expect(memory.taken()).toBeLessThanOrEqual(MOST);
    }
    expect(memory.givenUp()).toBeGreaterThanOrEqual(CALLERS - 4);
    const taken = await Promise.all([...greedy, patient].map(take));
    expect(taken.filter(Boolean)).toHaveLength(4);
    expect(taken.at(-1)).toBe(true);
    await until(() => memory.taken() === 0);
  });

  it('what waits behind another answer on its connection is given back when the connection is gone', async () => {
    const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
    open.add(socket);
    socket.on('error', () => undefined);
    socket.write(['held', 'large'].map((path) => `GET /${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
    await until(() => memory.taken() >= ANSWER.length);
    socket.resetAndDestroy();
    await until(() => memory.taken() === 0);
  });
});

describe('for live updates', () => {
  let fixture: SocketFixture;
  let token: string;

  beforeAll(async () => {
    fixture = await openSocketFixture(20);
    ({ token } = await fixture.newKey(await fixture.newMerchant()));
  });
  afterAll(() => fixture.stop());

  const execute = async () => ({ data: { text: ANSWER } });
  const socketLimits = { unreadBytesOfAll: MOST };

  it('one answer each on many sockets that read nothing is too much, and others are answered', async () => {
    const server = await fixture.serve({ execute, socketLimits });
    const greedy: TestClient[] = [];
    for (let n = 0; n < CALLERS; n += 1) {
      const client = await connectAs(server.url);
      client.socket.pause();
      client.subscribe('a', '{ __typename }');
      greedy.push(client);
    }
    const other = await connectAs(server.url, token);
    expect((await other.run('{ __typename }')).payload.data.text).toHaveLength(ANSWER.length);
    await until(() => server.sockets.size() <= 1 + Math.ceil(MOST / ANSWER.length));
    for (const { socket } of [...greedy, other]) socket.terminate();
    await server.stop();
  });

  it('an answer larger than what may wait on a socket is sent where nothing waits, and closes it with 1013 else', async () => {
    const server = await fixture.serve({ execute });
    const client = await connectAs(server.url);
    expect((await client.run('{ __typename }')).payload.data.text).toHaveLength(ANSWER.length);
    for (const id of ['a', 'b', 'c']) client.subscribe(id, '{ __typename }');
    expect(await client.closed).toBe(1013);
    await server.stop();
  });

  it('so it is on event streams', async () => {
    const server = await serveStreams(fixture, { execute, socketLimits });
    const { port } = new URL(server.url);
    const head = (more = '') =>
      `POST /graphql/stream HTTP/1.1\r\nHost: a\r\n${more}Content-Type: application/json\r\nContent-Length: 24\r\n\r\n`;
    const body = '{"query":"{__typename}"}';
    for (let n = 0; n < CALLERS; n += 1) await ask(Number(port), head() + body);
    await until(() => server.streams.size() <= Math.ceil(MOST / ANSWER.length));
    const other = await ask(Number(port), head(`Authorization: Bearer ${token}\r\n`) + body);
    let bytes = 0;
    other.on('data', (chunk: Buffer) => (bytes += chunk.length));
    await until(() => bytes > ANSWER.length);
    await server.stop();
  });

  it('streams behind another one on their connection are gone with it', async () => {
    let asked = 0;
    let end: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    const server = await serveStreams(fixture, {
      execute: async () => {
        asked += 1;
        if (asked === 1) await held;
        return { data: { text: 'short' } };
      },
    });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    open.add(socket);
    socket.on('error', () => undefined);
    const body = '{"query":"{__typename}"}';
    const head = `POST /graphql/stream HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 24\r\n\r\n`;
    socket.write((head + body).repeat(3));
    await until(() => asked === 3);
    socket.resetAndDestroy();
    // The other two are gone while the first is still at work.
    await until(() => server.streams.size() === 1);
    end();
    await until(() => server.streams.size() === 0);
    await server.stop();
  });
});
