// The load generator, in a process of its own: a closed loop of requests over keep-alive connections. It writes and
// parses HTTP itself, because a client library would use too much CPU on a machine that it shares with the server.

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createMeter, serveRuns } from './run-process.ts';

/**
 * A request, and the start of a successful answer. Each POST gets its own Idempotency-Key unless `keyed` is false, and
 * `{number}` in its body a number of thirteen digits that no other has.
 */
export interface HttpStep {
  /** POST by default. */
  readonly method?: 'GET' | 'POST';
  readonly keyed?: boolean;
  readonly path: string;
  readonly body: string;
  readonly expectStatus: number;
  readonly expectBody: string;
}

/** What is sent over and over. With `next`, a call is both requests; `{id}` in its path is the first answer's id. */
export interface HttpTask extends HttpStep {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly next?: HttpStep;
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
  const steps = [task, ...(task.next ? [task.next] : [])].map((step) => ({ step, request: requests(step, task) }));
  let [sentMs, nth] = [0, 0];
  let received: Buffer | null = null;
  const send = (id = '') => {
    if (nth === 0) sentMs = performance.now();
    socket.write(steps[nth]?.request(id) ?? '', 'latin1');
  };
  return new Promise((resolve) => {
    socket.on('data', (chunk) => {
      received = received === null ? chunk : Buffer.concat([received, chunk]);
      const bodyAt = completeBodyOf(received);
      if (bodyAt === null) return;
      const [answer, { expectStatus, expectBody } = task] = [received, steps[nth]?.step];
      received = null;
      const isGood = isExpected(answer, bodyAt, { expectStatus, expectBody });
      nth = isGood ? (nth + 1) % steps.length : 0;
      if (nth > 0) {
        send(idOf(answer, bodyAt));
        return;
      }
      if (isGood) meter.succeed(sentMs);
      else meter.fail(answer.toString());
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

/** The last number given out: the milliseconds of the start, so that no run repeats those of another. */
let number = Date.now();

/** Returns a function that builds one request after another. The body is ASCII. */
function requests(
  { method = 'POST', keyed = method === 'POST', path, body }: HttpStep,
  { headers }: Pick<HttpTask, 'headers'>,
): (id: string) => string {
  const isNumbered = body.includes('{number}');
  const bodyOf = () => (isNumbered ? body.replace('{number}', String((number += 1))) : body);
  const length = method === 'POST' ? { 'Content-Length': String(bodyOf().length) } : {};
  const lines = Object.entries({ Host: '127.0.0.1', ...headers, ...length });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const headOf = (id: string) => `${method} ${path.replace('{id}', id)} HTTP/1.1\r\n${text}`;
  const head = headOf('');
  return (id) =>
    `${id === '' ? head : headOf(id)}${keyed ? `Idempotency-Key: ${randomUUID()}\r\n` : ''}\r\n${bodyOf()}`;
}

/** The first id in the body of an answer. */
function idOf(answer: Buffer, bodyAt: number): string {
  const [, id] = /"[a-zA-Z]*[iI]d":"([^"]+)"/.exec(answer.toString('latin1', bodyAt)) ?? [];
  if (id === undefined) throw new Error(`An answer without an id: ${answer.toString()}`);
  return id;
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

function isExpected(
  received: Buffer,
  bodyAt: number,
  { expectStatus, expectBody }: Pick<HttpStep, 'expectStatus' | 'expectBody'>,
): boolean {
  const status = Number(received.toString('latin1', 9, 12));
  return status === expectStatus && received.toString('latin1', bodyAt, bodyAt + expectBody.length) === expectBody;
}
