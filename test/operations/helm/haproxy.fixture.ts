// Starts HAProxy in front of the API's pods: it terminates TLS, forwards the caller's address, and checks readiness.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { send } from '../../support/clients.ts';
import { makeTestFolder } from '../../support/database/database.ts';
import { findFreePort } from '../../support/gateway/gateway.ts';
import { RECEIVER_CERTIFICATE, RECEIVER_KEY } from '../../support/tls.ts';
import { until } from '../../support/until.ts';

export interface Proxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts it for pods at these addresses; resolves once a call gets through. */
export async function startProxy(addresses: readonly string[]): Promise<Proxy> {
  const folder = await makeTestFolder('proxy');
  const port = await findFreePort();
  const certificate = join(folder, 'certificate.pem');
  await writeFile(certificate, RECEIVER_CERTIFICATE + RECEIVER_KEY);
  const lines = [
    'defaults',
    ...['mode http', 'timeout connect 10s', 'timeout client 120s', 'timeout server 120s', 'option forwardfor'],
    ...['timeout check 60s', 'option redispatch', 'retries 3'],
    'frontend callers',
    `bind 127.0.0.1:${String(port)} ssl crt ${certificate}`,
    'http-request set-header X-Forwarded-Proto https',
    'default_backend pods',
    'backend pods',
    ...['balance roundrobin', 'option httpchk GET /readyz', 'default-server check inter 500 fall 1 rise 1'],
    ...addresses.map((address, place) => `server pod${String(place)} ${address}:8080`),
  ];
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, `${lines.join('\n')}\n`);
  const child = spawn('haproxy', ['-db', '-f', file], {
    env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += String(chunk)));
  const exited = once(child, 'exit');
  const url = `https://127.0.0.1:${String(port)}`;
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`haproxy did not start: ${said}`);
    return send({ method: 'GET', url: `${url}/api/v1/currencies` }).then(
      ({ status }) => status === 200,
      () => false,
    );
  }, 300_000);
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
