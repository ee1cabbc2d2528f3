// A MariaDB of a test's own: a folder, a socket, and a process that ends with the test. No service, no port.

import { execFile, spawn } from 'node:child_process';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '../../support/until.ts';

export interface MariaDb {
  readonly socket: string;
  stop(): Promise<void>;
}

/** Starts a server with an empty database `shop`, whose user root needs no password on its socket. */
export async function startMariaDb(folder: string): Promise<MariaDb> {
  const data = join(folder, 'mariadb');
  const socket = join(folder, 'mariadb.sock');
  const { username } = userInfo();
  const common = ['--no-defaults', `--datadir=${data}`, `--user=${username}`];
  const method = '--auth-root-authentication-method=normal';
  await promisify(execFile)('mariadb-install-db', [...common, method, '--skip-test-db']);
  const child = spawn('mariadbd', [...common, `--socket=${socket}`, '--skip-networking'], { stdio: 'ignore' });
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    for (const event of ['exit', 'error']) child.once(event, () => resolve());
  }).then(() => void (hasEnded = true));
  const ask = (sql: string) =>
    promisify(execFile)('mariadb', ['--no-defaults', `--socket=${socket}`, '--user=root', '-e', sql]);
  await until(async () => {
    if (hasEnded) throw new Error('mariadbd has ended');
    return ask('create database if not exists shop character set utf8mb4').then(
      () => true,
      () => false,
    );
  });
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  return { socket, stop };
}
