// Plain HTTP that comes to a port of HTTPS in live.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { request } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { createHttpServer, PATIENCE } from '../../src/server/http-server.ts';
import { listenTogether, type Listeners } from '../../src/server/listen.ts';
import { onUpgrade } from '../../src/server/upgrades.ts';
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from '../support/tls.ts';

let server: FastifyInstance;
let listeners: Listeners;
let port: number;
const open = new Set<Socket>();
let answered = 0;

beforeAll(async () => {
  server = createHttpServer({
    ...{ log: pino({ level: 'silent' }), trustProxy: ['loopback'], httpsOnly: true },
    tls: { cert: Buffer.from(LOCALHOST_CERTIFICATE), key: Buffer.from(LOCALHOST_KEY) },
    patience: { ...PATIENCE, head: 300, request: 600 },
    onAnswered: () => (answered += 1),
  });
  server.get('/here', () => Promise.resolve('here'));
  onUpgrade(server, (_request, socket) => socket.destroy());
  listeners = await listenTogether(server, { host: '127.0.0.1', port: 0 });
  ({ port } = server.server.address() as AddressInfo);
});
afterAll(async () => {
  await Promise.all([server.close(), listeners.close()]);
});

/** Writes bytes to the port without TLS; resolves with all that came back once the connection has ended. */
async function plain(...bytes: readonly string[]): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port });
  open.add(socket);
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  for (const part of bytes) {
    socket.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await once(socket, 'close');
  return text;
}

/** Status and body of an answer. */
function parsed(text: string) {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body: JSON.parse(body) as object };
}

function secure(): Promise<{ status: number | undefined; hsts: unknown }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, path: '/here', rejectUnauthorized: false, agent: false }, (incoming) => {
      incoming.resume();
      resolve({ status: incoming.statusCode, hsts: incoming.headers['strict-transport-security'] });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

const REFUSED = { success: false, error: { code: '1008', message: 'Use HTTPS' } };

describe('plain HTTP on a port of HTTPS', () => {
  it.each([
    ['a call', 'GET /here HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a call with a body', 'POST /here HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}'],
    ['one that claims a proxy ended TLS', 'GET /here HTTP/1.1\r\nHost: x\r\nX-Forwarded-Proto: https\r\n\r\n'],
    ['an upgrade', 'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
    ['a tunnel', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('%s is answered 403 with 1008, and the connection ends', async (_, text) => {
    const { status, head, body } = parsed(await plain(text));
    expect([status, body]).toEqual([403, REFUSED]);
    expect(head).toMatch(/x-request-id: /);
    expect(head).toMatch(/connection: close/);
    expect(head).not.toMatch(/strict-transport-security/);
  });

  it('is heard byte by byte, answered in the form of its path, and in the API log', async () => {
    const before = answered;
    const text = await plain(...'POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n');
    expect(parsed(text).body).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    expect(answered).toBe(before + 1);
  });

  it('what is no HTTP either is answered 400', async () => {
    expect(parsed(await plain('NONSENSE\r\n\r\n')).status).toBe(400);
  });

  it('HTTPS is served as before, at once and by several connections', async () => {
    for (const { status, hsts } of await Promise.all([secure(), secure(), secure()]))
      expect([status, hsts]).toEqual([200, expect.stringContaining('max-age')]);
  });

  it('who says nothing, or drips a request, is not waited for', async () => {
    expect(await plain()).toBe('');
    expect(await plain('GET /here HTTP/1.1\r\n')).toBe('');
  });
});
