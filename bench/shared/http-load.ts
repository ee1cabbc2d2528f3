// The load generator, in a process of its own: a closed loop of requests over keep-alive connections. It writes and
// parses HTTP itself, because a client library would use too much CPU on a machine that it shares with the server.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createMeter, serveRuns } from './run-process.ts';

/**
 * The request, and the start of a successful answer. Each POST gets its own Idempotency-Key unless `keyed` is false.
 */
export interface HttpTask {
  /** POST by default. */
  readonly method?: 'GET' | 'POST';
  readonly keyed?: boolean;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly connections: number;
  readonly expectStatus: number;
  readonly expectBody: string;
}

type Meter = ReturnType<typeof createMeter>;

serveRuns<HttpTask>(async (task, seconds) => {
  const sockets = await Promise.all(Array.from({ length: task.connections }, () => open(task.port)));
  const meter = createMeter(seconds);
  await Promise.all(sockets.map((socket) => loop(socket, task, meter)));
  return meter.sample();
});

async function open(port: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  await once(socket, 'connect');
  return socket;
}

/** One connection: sends the next request when the previous answer is complete, until the time is over. */
function loop(socket: Socket, task: HttpTask, meter: Meter): Promise<void> {
  const nextRequest = requests(task);
  let sentMs = 0;
  let received: Buffer | null = null;
  const send = () => {
    sentMs = performance.now();
    socket.write(nextRequest(), 'latin1');
  };
  return new Promise((resolve) => {
    socket.on('data', (chunk) => {
      received = received === null ? chunk : Buffer.concat([received, chunk]);
      const bodyAt = completeBodyOf(received);
      if (bodyAt === null) return;
      if (isExpected(received, bodyAt, task)) meter.succeed(sentMs);
      else meter.fail(received.toString());
      received = null;
      if (meter.open()) send();
      else socket.end();
    });
    socket.on('error', (error) => meter.fail(error.message));
    socket.on('close', () => {
      if (received !== null) meter.fail('a connection was closed in the middle of an answer');
      if (meter.open()) meter.fail('a connection was closed early');
      resolve();
    });
    send();
  });
}

/** Returns a function that builds one request after another. The body is ASCII. */
function requests({ method = 'POST', keyed = method === 'POST', path, headers, body }: HttpTask): () => string {
  const length = method === 'POST' ? { 'Content-Length': String(body.length) } : {};
  const lines = Object.entries({ Host: '127.0.0.1', ...headers, ...length });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const head = `${method} ${path} HTTP/1.1\r\n${text}`;
  return () => `${head}${keyed ? `Idempotency-Key: ${randomUUID()}\r\n` : ''}\r\n${body}`;
}

/** The offset of the body in a complete answer; null while it is incomplete. Answers here have a Content-Length. */
function completeBodyOf(received: Buffer): number | null {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const length = /\r\ncontent-length: *(\d+)/i.exec(received.toString('latin1', 0, headEnd));
  if (!length) throw new Error(`An answer without a Content-Length: ${received.toString()}`);
  const bodyAt = headEnd + 4;
  return received.length >= bodyAt + Number(length[1]) ? bodyAt : null;
}

function isExpected(received: Buffer, bodyAt: number, { expectStatus, expectBody }: HttpTask): boolean {
  const status = Number(received.toString('latin1', 9, 12));
  return status === expectStatus && received.toString('latin1', bodyAt, bodyAt + expectBody.length) === expectBody;
}
