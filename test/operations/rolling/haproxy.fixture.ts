// HAProxy with the configuration of deploy/haproxy, of which only the addresses are replaced.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ROOT } from '../../support/sources.ts';
import { makeTestFolder } from '../../support/database/database.ts';
import { findFreePort } from '../../support/gateway/gateway.ts';
import { RECEIVER_CERTIFICATE, RECEIVER_KEY } from '../../support/tls.ts';
import { until } from '../../support/until.ts';

const EXAMPLE = join(ROOT, 'deploy/haproxy/haproxy.cfg');
const ENVIRONMENT = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };
/** Minutes, for a machine that is busy with other work. */
const LONG_MS = 180_000;

export interface HaProxy {
  /** Where callers reach it, with the tests' certificate. */
  readonly url: string;
  /** Resolves when it sends calls to the server, named as in the configuration. */
  untilUp(server: string): Promise<void>;
  /** Stops sending new calls to the server, as an operator does by the socket. */
  drain(server: string): Promise<void>;
  /** Sends calls to it again, once it is healthy. */
  admit(server: string): Promise<void>;
  stop(): Promise<void>;
}

/** Replaces what stands in the text once, or throws. */
function replaceOnce(config: string, from: string, to: string): string {
  if (config.split(from).length !== 2) throw new Error(`${from} is not in deploy/haproxy/haproxy.cfg once`);
  return config.replace(from, to);
}

/** Starts it in front of two API processes, `api1` and `api2`. */
export async function startHaProxy(ports: readonly [number, number]): Promise<HaProxy> {
  const folder = await makeTestFolder('haproxy');
  const [port, plainPort, exporterPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const [certificate, socket, file] = ['pay.pem', 'admin.sock', 'haproxy.cfg'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(certificate, RECEIVER_CERTIFICATE + RECEIVER_KEY, { mode: 0o600 });
  const replacements: readonly (readonly [string, string])[] = [
    ['log /dev/log local0 info', 'log stdout format raw local0 notice'],
    // More than 20,000 connections need more descriptors than this shell may have.
    ['maxconn 20000', 'maxconn 500'],
    ['/run/haproxy/admin.sock', socket],
    ['bind :443 ssl crt /etc/haproxy/certs/', `bind 127.0.0.1:${String(port)} ssl crt ${certificate}`],
    ['bind :80', `bind 127.0.0.1:${String(plainPort)}`],
    ['127.0.0.1:8405', `127.0.0.1:${String(exporterPort)}`],
    ['10.0.0.11:3000', `127.0.0.1:${String(ports[0])}`],
    ['10.0.0.12:3000', `127.0.0.1:${String(ports[1])}`],
  ];
  const example = await readFile(EXAMPLE, 'utf8');
  await writeFile(
    file,
    replacements.reduce((config, [from, to]) => replaceOnce(config, from, to), example),
  );
  const checked = spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8', env: ENVIRONMENT });
  if (checked.status !== 0 || /WARNING/.test(checked.stderr)) throw new Error(`haproxy -c: ${checked.stderr}`);
  const child = spawn('haproxy', ['-db', '-f', file], { env: ENVIRONMENT, stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += String(chunk)));

  /** One command to its runtime API. */
  async function tell(command: string): Promise<string> {
    const client = connect(socket);
    await once(client, 'connect');
    client.end(`${command}\n`);
    return text(client);
  }
  /** The state of a server, such as `UP`; null while it cannot be asked. */
  async function stateOf(server: string): Promise<string | null> {
    if (child.exitCode !== null) throw new Error(`haproxy has ended: ${said}`);
    const rows = (await tell('show stat').catch(() => '')).split('\n').map((line) => line.split(','));
    const column = rows[0]?.indexOf('status') ?? -1;
    return rows.find(([backend, name]) => backend === 'turnpike_api' && name === server)?.[column] ?? null;
  }
  return {
    url: `https://127.0.0.1:${String(port)}`,
    untilUp: async (server) => void (await until(async () => (await stateOf(server)) === 'UP', LONG_MS)),
    drain: async (server) => void (await tell(`set server turnpike_api/${server} state drain`)),
    admit: async (server) => void (await tell(`set server turnpike_api/${server} state ready`)),
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
