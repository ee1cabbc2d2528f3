// Answers that are made while they are sent: for a caller who reads nothing little is made, and a caller can tell if an
// answer broke off midway.

import { afterEach, expect, it } from '@jest/globals';
import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as rest } from 'node:timers/promises';
import { pino } from 'pino';
import type { OperationContext } from '../../src/access/caller.ts';
import type { Endpoint } from '../../src/rest/endpoint.ts';
import { ROUTES } from '../../src/rest/routes/routes.ts';
import { createHttpServer } from '../../src/server/http-server.ts';
import { registerRest } from '../../src/server/rest-routes.ts';
import { createLargeBodies } from '../../src/server/admission/large-bodies.ts';
import { GatewayError } from '../../src/values/errors.ts';
import { until } from '../support/until.ts';

const PART = 'x'.repeat(200_000);

let close: (() => Promise<unknown>) | undefined;
afterEach(() => close?.());

/** A server whose reports have these parts; returns how to ask for them. */
async function serve(parts: () => AsyncIterable<string>) {
  const server = createHttpServer({
    ...{ log: pino({ level: 'silent' }), trustProxy: [], httpsOnly: false, tls: null },
    onAnswered: () => undefined,
  });
  const route = ROUTES.find(({ path }) => path === '/reports');
  if (!route) throw new Error('There is no such row');
  const endpoint: Endpoint = {
    ...{ route, operation: 'report', isThrottled: false, authorize: () => undefined },
    run: () => Promise.resolve({ status: 200, parts: parts(), type: 'text/csv; charset=utf-8' }),
  };
  registerRest(server, {
    identify: () => Promise.resolve({} as OperationContext),
    endpoints: [endpoint],
    largeBodies: createLargeBodies(),
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  close = () => server.close();
  const { port } = server.server.address() as AddressInfo;
  return async () => {
    const request = get({ port, path: '/api/v1/reports', agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response;
  };
}

it('parts are made as they are taken: a caller who takes none has few made for them', async () => {
  let made = 0;
  let ended = false;
  const ask = await serve(async function* () {
    try {
      for (; made < 500; made += 1) yield await Promise.resolve(PART);
    } finally {
      ended = true;
    }
  });
  const response = await ask();
  // It comes to rest, however often the machine stands still.
  for (let before = 0; before === 0 || before !== made; await rest(300)) before = made;
  // What the buffers of two sockets hold, out of 100 MB.
  expect(made).toBeLessThan(100);
  response.destroy();
  await until(() => ended);
  expect([ended, made < 100]).toEqual([true, true]);
});

it('what fails midway ends the connection, without the end that a whole answer has', async () => {
  const ask = await serve(async function* () {
    yield await Promise.resolve('head\r\n');
    yield await Promise.resolve('line\r\n');
    throw new GatewayError('INTERNAL');
  });
  const response = await ask();
  expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
  let text = '';
  const read = async () => {
    for await (const chunk of response) text += String(chunk);
  };
  await expect(read()).rejects.toThrow('aborted');
  expect(response.complete).toBe(false);
  expect('head\r\nline\r\n'.startsWith(text)).toBe(true);
});
