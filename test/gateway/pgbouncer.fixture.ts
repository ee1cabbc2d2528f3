// A PgBouncer in transaction mode in front of a test's database, with fewer connections than the gateway has.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { isRoot } from '../../src/sandbox/postgres/os-account.ts';
import { makeTestFolder } from '../support/database/database.ts';
import { findFreePort } from '../support/gateway/gateway.ts';
import { until } from '../support/until.ts';

export interface PgBouncer {
  /** The same database, through it. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Its version, such as `1.18.0`; null where it is not installed. */
export function versionOfPgBouncer(): string | null {
  const { stdout } = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8', env: withSystemFolders() });
  return /PgBouncer (\d+\.\d+\.\d+)/.exec(stdout ?? '')?.[1] ?? null;
}

/** Debian installs it where only root looks. */
const withSystemFolders = () => ({ ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` });

export async function startPgBouncer(databaseUrl: string, poolSize = 3): Promise<PgBouncer> {
  const { hostname, port: databasePort, pathname, username } = new URL(databaseUrl);
  const folder = await makeTestFolder('pgbouncer');
  await chmod(folder, 0o755); // It refuses to run as root, too.
  const port = await findFreePort();
  const name = pathname.slice(1);
  const target = `host=${decodeURIComponent(hostname)} port=${databasePort} user=${username}`;
  const lines = [
    '[databases]',
    `${name} = ${target}`,
    '[pgbouncer]',
    ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = any'],
    ...['pool_mode = transaction', `default_pool_size = ${poolSize}`, 'max_client_conn = 200'],
  ];
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o644 });
  const child = spawn('pgbouncer', [...(isRoot() ? ['-u', 'postgres'] : []), file], {
    env: withSystemFolders(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += String(chunk)));
  const exited = once(child, 'exit');
  const url = `postgresql://${username}@127.0.0.1:${port}/${name}`;
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`pgbouncer did not start: ${said}`);
    const client = new Client({ connectionString: url });
    const isThere = await client.connect().then(
      () => true,
      () => false,
    );
    await client.end().catch(() => undefined);
    return isThere;
  });
  return {
    url,
    stop: async () => {
      child.kill('SIGINT');
      await exited;
    },
  };
}
