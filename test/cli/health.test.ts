// The health check of containers: it finds the port of its process by the same variables, and fails if that is silent.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from '@jest/globals';
import { findFreePort } from '../support/gateway/gateway.ts';
import { RECEIVER_CERTIFICATE, RECEIVER_KEY } from '../support/tls.ts';

const HEALTH = fileURLToPath(new URL('../../src/cli/health.js', import.meta.url));
const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function listen(server: Server): Promise<string> {
  const port = await findFreePort();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(port, 'localhost', resolve));
  return String(port);
}

/** Answers this path, and nothing else, with this status. */
const answering =
  (status: number, path = '/healthz'): RequestListener =>
  (request, response) =>
    response.writeHead(request.url === path ? status : 404).end();

async function check(env: Readonly<Record<string, string>>, ...options: readonly string[]) {
  const child = spawn(process.execPath, [HEALTH, ...options], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += String(chunk)));
  const [code] = (await once(child, 'close')) as [number];
  return { code, said };
}

const TLS = { TLS_CERT_PATH: 'cert.pem', TLS_KEY_PATH: 'key.pem' };

describe('the health check', () => {
  it.each([
    ['api,observer', 'PORT', {}],
    ['signer', 'METRICS_PORT', {}],
    ['signer', 'METRICS_PORT', TLS], // Its certificate is for calls, which this role has none of.
  ])('asks a process with the roles %s on its %s', async (ROLES, variable, more) => {
    const port = await listen(createServer(answering(200)));
    expect(await check({ ROLES, HOST: '0.0.0.0', [variable]: port, ...more })).toEqual({ code: 0, said: '' });
  });

  it('asks by TLS where the process serves it', async () => {
    const identity = { cert: RECEIVER_CERTIFICATE, key: RECEIVER_KEY };
    const PORT = await listen(createSecureServer(identity, answering(200)));
    expect(await check({ ROLES: 'api', PORT, ...TLS })).toEqual({ code: 0, said: '' });
  });

  it('asks whether the process takes calls, with --ready', async () => {
    const PORT = await listen(createServer(answering(200, '/readyz')));
    expect(await check({ PORT }, '--ready')).toEqual({ code: 0, said: '' });
    expect(await check({ PORT })).toMatchObject({ code: 1 });
  });

  it('fails, and says why, if the process answers something else or nothing', async () => {
    const PORT = await listen(createServer(answering(503)));
    expect(await check({ PORT })).toMatchObject({ code: 1, said: expect.stringContaining('answered 503') });
    expect(await check({ PORT: String(await findFreePort()) })).toMatchObject({
      ...{ code: 1, said: expect.stringContaining('ECONNREFUSED') },
    });
    expect(await check({ ROLES: 'signer' })).toMatchObject({ code: 1, said: expect.stringMatching(/^METRICS_PORT/) });
  });
});
