// Calls whose bodies do not arrive: they have their own slots, and keep no other call's body out.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { pino } from 'pino';
import type { OperationContext } from '../../../src/access/caller.ts';
import { createHttpServer } from '../../../src/server/http-server.ts';
import {
  MOST_RECEIVING,
  registerLoadShedding,
  type LoadShedding,
} from '../../../src/server/admission/load-shedding.ts';
import { OVERLOAD_LIMITS } from '../../../src/server/admission/admission-queue.ts';
import { until } from '../../support/until.ts';

const BODY = '{"a":1}';
const opened = new Set<Socket>();
let server: FastifyInstance;
let overload: LoadShedding;
let done: unknown[];
const shed: string[] = [];
let endHeld: () => void = () => undefined;
const held = new Promise<object>((resolve) => (endHeld = () => resolve({})));

beforeAll(async () => {
  server = createHttpServer({
    ...{ log: pino({ level: 'silent' }), trustProxy: ['127.0.0.1'], httpsOnly: false, tls: null },
    onAnswered: () => undefined,
  });
  overload = registerLoadShedding(server);
  done = [];
  server.get('/held', () => held);
  server.addHook('onResponse', (request, _reply, finish) => {
    if (request.isShed) shed.push(request.method);
    finish();
  });
  // By the time its body arrives, its caller has been identified.
  const onRequest: onRequestHookHandler = (request, _reply, next) => {
    request.context = { caller: null } as OperationContext;
    next();
  };
  server.post('/echo', { onRequest }, (request) => {
    done.push(request.body);
    return { success: true };
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => {
  for (const socket of opened) socket.destroy();
  return server.close();
});

interface Call {
  readonly socket: Socket;
  readonly said: () => string;
}

/** Sends a head that promises a body, and resolves when the server has read it (100-continue). */
async function promise(address: string, path = '/echo'): Promise<Call> {
  const socket = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  opened.add(socket);
  let said = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => (said += String(chunk)));
  const head = [`POST ${path} HTTP/1.1`, 'Host: a', `X-Forwarded-For: ${address}`, 'Expect: 100-continue'];
  socket.write([...head, 'Content-Type: application/json', `Content-Length: ${BODY.length}`, '', ''].join('\r\n'));
  await once(socket, 'data');
  return { socket, said: () => said };
}

async function send({ socket, said }: Call): Promise<string> {
  socket.write(BODY);
  await until(() => /HTTP\/1.1 [2-5]/.test(said()));
  return said();
}

describe('a call that is refused once its body is there', () => {
  it('is rejected like one that is refused at its head, and has no row either', async () => {
    const late = await promise('192.0.2.10');
    const { port } = server.server.address() as AddressInfo;
    const others = Array.from({ length: OVERLOAD_LIMITS.underWay }, () => fetch(`http://127.0.0.1:${port}/held`));
    await until(() => overload.figures().underWay === OVERLOAD_LIMITS.underWay);
    expect(await send(late)).toMatch(/\r\n\r\nHTTP\/1.1 503 /);
    expect(shed).toEqual(['POST']);
    endHeld();
    await Promise.all(others);
  });
});

describe('calls that wait for their bodies', () => {
  it('of one or two callers keep out nobody: the oldest of the caller with most make way, and get 503', async () => {
    const greedy: Call[] = [];
    for (let n = 0; n < MOST_RECEIVING; n += 1) greedy.push(await promise(`192.0.2.${1 + (n % 2)}`));
    const others = await Promise.all(['192.0.2.3', '192.0.2.3', '192.0.2.4'].map((address) => promise(address)));
    for (const said of await Promise.all(others.map(send))) expect(said).toMatch(/\r\n\r\nHTTP\/1.1 200 /);
    const refused = greedy.filter(({ said }) => said().includes('HTTP/1.1 503'));
    expect(refused).toHaveLength(others.length);
    expect(greedy.slice(0, others.length + 1)).toEqual(expect.arrayContaining(refused));
    for (const { said } of refused) expect(said()).toMatch(/retry-after: 1\r\n.*"9503"/is);
  });

  it.each(['/echo', '/nowhere'])('at %s keep no place of those who are at work', async (path) => {
    for (let n = 0; n < 5; n += 1) await promise('192.0.2.8', path);
    expect(overload.figures()).toEqual({ underWay: 0, waiting: 0 });
  });

  it('are over once they were refused: a body that comes after all does nothing', async () => {
    const [first, next] = [await promise('192.0.2.9'), await promise('192.0.2.9')];
    await send(next);
    const before = done.length;
    const more: Call[] = [];
    for (let n = 0; n <= MOST_RECEIVING; n += 1) more.push(await promise('192.0.2.9'));
    await until(() => first.said().includes('HTTP/1.1 503'));
    first.socket.write(BODY);
    expect(await send(more.at(-1) as Call)).toMatch(/HTTP\/1.1 200 /);
    expect(done).toHaveLength(before + 1);
  });
});
