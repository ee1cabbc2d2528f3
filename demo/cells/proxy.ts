// HAProxy from Debian in front of two cells, with the configuration and the map of deploy/cells. Only its addresses
// are replaced, and it speaks plain HTTP.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/free-port.ts';

/** Debian has it where not every account looks. */
const ENVIRONMENT = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };
const FILES = fileURLToPath(new URL('../../../deploy/cells/', import.meta.url));

export interface Proxy {
  /** Throws if it has ended by itself. */
  verify(): void;
  stop(): Promise<void>;
}

/** Why the story cannot be told here, or null. */
export function missingProxy(): string | null {
  const { error } = spawnSync('haproxy', ['-v'], { env: ENVIRONMENT });
  return error === undefined ? null : 'haproxy is not installed here (Debian: apt install haproxy)';
}

/** The address, without a port, that stands for a cell's own name: any of 127.0.0.0/8 is this machine. */
export const hostOf = (cell: number): string => `127.0.0.${String(cell + 2)}`;

/** Starts it on a port, at 127.0.0.1 and at the cells' own addresses, in front of these ports of the cells 0 and 1. */
export async function startProxy(port: number, cells: readonly [number, number]): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-demo-proxy-'));
  const file = join(folder, 'haproxy.cfg');
  const map = join(folder, 'cells.map');
  await writeFile(map, execFileSync(join(FILES, 'make-map'), ['0', '1']));
  await writeFile(file, await configure(port, cells, map));
  const child = spawn('haproxy', ['-db', '-f', file], {
    env: ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'pipe'],
    // In a process group of its own it does not receive Ctrl-C.
    detached: true,
  });
  const exited = once(child, 'exit');
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += String(chunk)));
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    verify: () => {
      if (!isRunning()) throw new Error(`haproxy has ended. It printed:\n${said}`);
    },
    stop: async () => {
      if (isRunning()) child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function configure(port: number, cells: readonly [number, number], map: string): Promise<string> {
  const local = (one: number) => `127.0.0.1:${String(one)}`;
  const addresses = ['127.0.0.1', hostOf(0), hostOf(1)].map((host) => `${host}:${String(port)}`);
  // Of the two processes that the file has for each cell, one runs here.
  const nobody = await freePort();
  const replacements: readonly (readonly [string, string])[] = [
    ['log /dev/log local0 info', 'log stdout format raw local0 notice'],
    // More than 20,000 connections need more descriptors than this shell may have.
    ['maxconn 20000', 'maxconn 500'],
    ['bind :443 ssl crt /etc/haproxy/certs/ alpn h2,http/1.1', `bind ${addresses.join(',')}`],
    ['X-Forwarded-Proto https', 'X-Forwarded-Proto http'],
    ['bind :80', `bind ${local(await freePort())}`],
    ['127.0.0.1:8405', local(await freePort())],
    ['/etc/haproxy/cells.map', map],
    ['cell-0.pay.example', hostOf(0)],
    ['cell-1.pay.example', hostOf(1)],
    ['10.0.0.11:3000', local(cells[0])],
    ['10.0.0.12:3000', local(nobody)],
    ['10.0.1.11:3000', local(cells[1])],
    ['10.0.1.12:3000', local(nobody)],
  ];
  let config = await readFile(join(FILES, 'haproxy.cfg'), 'utf8');
  for (const [from, to] of replacements) {
    if (config.split(from).length !== 2) throw new Error(`${from} is not in deploy/cells/haproxy.cfg once`);
    config = config.replace(from, to);
  }
  return config;
}
