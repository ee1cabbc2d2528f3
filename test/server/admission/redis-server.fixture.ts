// A real Redis for a test, on a free port and without persistence.

import { spawn, spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { findFreePort } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';

export interface RedisServer {
  readonly url: string;
  /** Stops it from answering; its connections stay open. */
  freeze(): void;
  thaw(): void;
  /** Kills it at once. */
  stop(): Promise<void>;
}

/**
 * Debian's redis-tools includes the server: one program that acts by the name it is called by. So CI need not install
 * the package that sets up a service.
 */
const PROGRAMS = ['redis-server', 'redis-check-rdb'];
const ARGV0 = 'redis-server';

/** The program to start as redis-server; undefined where none is installed. */
export function findRedis(): string | undefined {
  return PROGRAMS.find((program) => {
    const { status, stdout } = spawnSync(program, ['--version'], { argv0: ARGV0, encoding: 'utf8' });
    return status === 0 && stdout.startsWith('Redis server');
  });
}

/** Starts one in a folder; resolves when it answers. Without a port, it takes one that is free. */
export async function startRedis(program: string, folder: string, ownPort?: number): Promise<RedisServer> {
  const port = ownPort ?? (await findFreePort());
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const child = spawn(program, options, { argv0: ARGV0, stdio: 'ignore' });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await until(() => answers(port));
  return {
    url: `redis://127.0.0.1:${port}/3`,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString().startsWith('+PONG'));
    });
    socket.once('error', () => resolve(false));
    socket.write('PING\r\n');
  });
}
