// Slow callers, on every port: too slow with the head of a request, with its body, or with reading the answer.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pino } from 'pino';
import { listenTogether, type Listeners } from '../../../src/server/listen.ts';
import { createHttpServer, PATIENCE } from '../../../src/server/http-server.ts';

/** The shorter limits must be over long before the others. */
const SHORT = { head: 300, request: 1_500, look: 50, takesNothing: 500 };
/** For callers who are slow but in time, on a machine that may stand still for seconds. */
const LONG = { head: 4_000, request: 60_000, look: 50, takesNothing: 5_000 };
const PART = Buffer.alloc(256 * 1_024);
const PARTS = 400;
/** The pause of a slow reader, after each 8 MB. */
const REST_MS = 500;
const CALLERS = 24;

interface Place {
  readonly server: FastifyInstance;
  readonly listeners: Listeners;
  readonly port: number;
}

let hasty: Place;
let patient: Place;
let given: { parts: number; ended: boolean };

async function open(patience: typeof SHORT): Promise<Place> {
  const server = createHttpServer({
    ...{ log: pino({ level: 'silent' }), trustProxy: [], httpsOnly: false, tls: null },
    ...{ onAnswered: () => undefined, patience },
  });
  server.post('/echo', (request) => ({ success: true, data: request.body }));
  server.get('/large', (_request, reply) => {
    const answer = { parts: 0, ended: false };
    given = answer;
    const parts = (function* () {
      for (; answer.parts < PARTS; answer.parts += 1) yield PART;
    })();
    const stream = Readable.from(parts);
    stream.on('close', () => (answer.ended = true));
    return reply.send(stream);
  });
  const listeners = await listenTogether(server, { host: '127.0.0.1', port: 0 });
  return { server, listeners, port: (server.server.address() as AddressInfo).port };
}

beforeAll(async () => void ([hasty, patient] = await Promise.all([open(SHORT), open(LONG)])));
afterAll(() => Promise.all([hasty, patient].flatMap(({ server, listeners }) => [server.close(), listeners.close()])));

/** When a socket began to connect, in milliseconds: the server's time starts no earlier. */
const begun = new WeakMap<Socket, number>();

async function call({ port }: Place): Promise<Socket> {
  const start = performance.now();
  const socket = connect(port, '127.0.0.1');
  begun.set(socket, start);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** What came until the server closed the connection, and after how many milliseconds it did. */
async function answerTo(socket: Socket): Promise<{ text: string; ms: number }> {
  const start = begun.get(socket) ?? NaN;
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += String(chunk)));
  await once(socket, 'close');
  return { text, ms: performance.now() - start };
}

/** Sends one character of a text now and then, until the connection is closed. */
async function dribble(socket: Socket, text: string): Promise<void> {
  for (const character of text) {
    if (!socket.writable) return;
    socket.write(character);
    await new Promise((resolve) => setTimeout(resolve, SHORT.look));
  }
}

function expectTimeout(text: string): void {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  expect(head).toMatch(/\r\nX-Request-Id: \S+/);
  expect(JSON.parse(body)).toMatchObject({ success: false, error: { code: '2008' } });
}

describe('callers who take too long', () => {
  it('a head that does not end is answered 408 by each door, however steadily it comes', async () => {
    const heads = Array.from({ length: CALLERS }, async () => {
      const socket = await call(hasty);
      const answer = answerTo(socket);
      socket.write('GET /large HTTP/1.1\r\n');
      await dribble(socket, 'X-Word: ' + 'a'.repeat(60));
      return answer;
    });
    for (const { text, ms } of await Promise.all(heads)) {
      expectTimeout(text);
      expect(ms).toBeGreaterThan(SHORT.head * 0.9);
    }
  });

  it('a body that does not end is answered 408, later than a head would be', async () => {
    const socket = await call(hasty);
    const answer = answerTo(socket);
    socket.write('POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n');
    await dribble(socket, '{"a":"' + 'a'.repeat(80));
    const { text, ms } = await answer;
    expectTimeout(text);
    expect(ms).toBeGreaterThan(SHORT.request * 0.9);
  });

  it('a body that comes in time is answered, though it dribbles for longer than a head may', async () => {
    const socket = await call(patient);
    const answer = answerTo(socket);
    socket.write('POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n');
    socket.write('Content-Length: 100\r\n\r\n');
    await dribble(socket, `{"a":"${'a'.repeat(92)}"}`);
    const { text, ms } = await answer;
    expect(text).toMatch(/^HTTP\/1\.1 200 [^]*"data":\{"a":"a{92}"\}/);
    expect(ms).toBeGreaterThan(LONG.head);
  });

  it('an answer of which nothing is taken is given up, and no more of it is made', async () => {
    const socket = await call(hasty);
    socket.pause();
    socket.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
    const start = performance.now();
    while (!(given as { ended: boolean } | undefined)?.ended) {
      expect(performance.now() - start).toBeLessThan(PATIENCE.takesNothing);
      await new Promise((resolve) => setTimeout(resolve, SHORT.look));
    }
    expect(performance.now() - start).toBeGreaterThan(SHORT.takesNothing * 0.9);
    expect(given.parts).toBeLessThan(PARTS);
    socket.destroy();
  });

  it('an answer that is taken slowly but steadily is given whole', async () => {
    const socket = await call(patient);
    const start = performance.now();
    socket.write('GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    let taken = 0;
    let rests = 0;
    socket.on('data', (chunk: Buffer) => {
      taken += chunk.length;
      if (rests * 8_000_000 > taken) return;
      rests += 1;
      socket.pause();
      setTimeout(() => socket.resume(), REST_MS);
    });
    await once(socket, 'close');
    expect(taken).toBeGreaterThan(PART.length * PARTS);
    expect(performance.now() - start).toBeGreaterThan(LONG.takesNothing);
  });

  it('the product waits 10 s for a head, 20 s for a request and 30 s for somebody to take an answer', () => {
    expect(PATIENCE).toEqual({ head: 10_000, request: 20_000, look: 1_000, takesNothing: 30_000 });
  });
});
