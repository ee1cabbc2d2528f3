// HAProxy in front of two cells, with the configuration of deploy/cells, of which only the addresses are replaced.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../support/sources.ts';
import { makeTestFolder } from '../../support/database/database.ts';
import { findFreePort } from '../../support/gateway/gateway.ts';
import { RECEIVER_CERTIFICATE, RECEIVER_KEY } from '../../support/tls.ts';

const ENVIRONMENT = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };

/** The lines of the map for these cells, as deploy/cells/make-map prints them. */
export const makeMap = (...cells: readonly number[]): string =>
  execFileSync(join(ROOT, 'deploy/cells/make-map'), cells.map(String), { encoding: 'utf8' });

export interface CellsProxy {
  /** Where callers reach it, with the tests' certificate. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts it on a port, in front of the cells 0 and 1. */
export async function startCellsProxy(port: number, cells: readonly [number, number]): Promise<CellsProxy> {
  const folder = await makeTestFolder('cells-proxy');
  const [plainPort, exporterPort, nobody] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const [certificate = '', map = '', file = ''] = ['pay.pem', 'cells.map', 'haproxy.cfg'].map((name) =>
    join(folder, name),
  );
  await writeFile(certificate, RECEIVER_CERTIFICATE + RECEIVER_KEY, { mode: 0o600 });
  await writeFile(map, makeMap(0, 1));
  const local = (one: number) => `127.0.0.1:${String(one)}`;
  const replacements: readonly (readonly [string, string])[] = [
    ['log /dev/log local0 info', 'log stdout format raw local0 notice'],
    // More than 20,000 connections need more descriptors than this shell may have.
    ['maxconn 20000', 'maxconn 500'],
    ['bind :443 ssl crt /etc/haproxy/certs/', `bind ${local(port)} ssl crt ${certificate}`],
    ['bind :80', `bind ${local(plainPort)}`],
    ['127.0.0.1:8405', local(exporterPort)],
    ['/etc/haproxy/cells.map', map],
    ['10.0.0.11:3000', local(cells[0])],
    ['10.0.0.12:3000', local(nobody)],
    ['10.0.1.11:3000', local(cells[1])],
    ['10.0.1.12:3000', local(nobody)],
  ];
  let config = await readFile(join(ROOT, 'deploy/cells/haproxy.cfg'), 'utf8');
  for (const [from, to] of replacements) {
    if (config.split(from).length !== 2) throw new Error(`${from} is not in deploy/cells/haproxy.cfg once`);
    config = config.replace(from, to);
  }
  await writeFile(file, config);
  const checked = spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8', env: ENVIRONMENT });
  if (checked.status !== 0 || /WARNING/.test(checked.stderr)) throw new Error(`haproxy -c: ${checked.stderr}`);
  const child = spawn('haproxy', ['-db', '-f', file], { env: ENVIRONMENT, stdio: 'ignore' });
  const exited = once(child, 'exit');
  return {
    url: `https://127.0.0.1:${String(port)}`,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
