// HAProxy in front of two PostgreSQL servers, with the configuration that operators get.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTestFolder, runSql } from '../../support/database/database.ts';
import { findFreePort } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import type { DebianPostgres } from '../debian-postgres.fixture.ts';

const CONFIGURATION = readFileSync(new URL('../../../../deploy/haproxy/postgres.cfg', import.meta.url), 'utf8');

export interface DatabaseProxy {
  /** Of the database `turnpike`, by way of the server that is the primary. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Lets the role that HAProxy asks by in without a password, as its configuration says. */
export const CHECK_ACCESS = 'host postgres haproxy_check 127.0.0.1/32 trust';
export const CHECK_ROLE = 'create role haproxy_check login';

/** Starts it; only the addresses are the test's. */
export async function startDatabaseProxy(servers: readonly [DebianPostgres, DebianPostgres]): Promise<DatabaseProxy> {
  const port = await findFreePort();
  const [first, second] = servers.map((server) => `127.0.0.1:${server.port}`) as [string, string];
  const text = CONFIGURATION.replace('bind :5432', `bind 127.0.0.1:${port}`)
    .replace('10.0.0.11:5432', first)
    .replace('10.0.0.12:5432', second);
  const file = join(await makeTestFolder('haproxy'), 'postgres.cfg');
  await writeFile(file, text);
  const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };
  const child = spawn('haproxy', ['-db', '-f', file], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += String(chunk)));
  const exited = once(child, 'exit');
  const url = `postgresql://postgres@127.0.0.1:${port}/turnpike`;
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`HAProxy did not start: ${said}`);
    return runSql(url, 'select 1').then(
      () => true,
      () => false,
    );
  });
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
