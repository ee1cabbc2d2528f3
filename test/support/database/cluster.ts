// The PostgreSQL cluster of a test run: one for all test files, in a temporary folder, without durability.

import { chmod, mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startPostgres } from '../../../src/sandbox/postgres/supervisor.ts';

export interface TestCluster {
  /** The URL of the database `turnpike`; other databases of the cluster differ in the name only. */
  readonly url: string;
  /** Stops the server and removes its folder. */
  stop(): Promise<void>;
}

const PREFIX = 'turnpike-test-';
/**
 * In memory, creating a database from a template takes 25 ms instead of 150 ms. Containers often have only 64 MB of it.
 */
const MEMORY = '/dev/shm';

/** Starts the cluster for jest's globalSetup, and cleans up after test runs that were killed. */
export async function startTestCluster(): Promise<TestCluster> {
  for (const parent of [MEMORY, tmpdir()]) await removeAbandoned(parent);
  if (await hasRoom(MEMORY)) {
    const cluster = await startIn(MEMORY).catch(() => undefined);
    if (cluster !== undefined) return cluster;
  }
  return startIn(tmpdir());
}

async function startIn(parent: string): Promise<TestCluster> {
  const dataDir = await mkdtemp(join(parent, `${PREFIX}${process.pid}-`));
  await chmod(dataDir, 0o711); // As root, PostgreSQL runs as another user.
  const log = pino({ level: 'silent' });
  try {
    const postgres = await startPostgres({ dataDir, log, durable: false });
    const stop = async (): Promise<void> => {
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    };
    return { url: postgres.url, stop };
  } catch (error) {
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  }
}

async function hasRoom(folder: string): Promise<boolean> {
  const room = await statfs(folder).catch(() => undefined);
  return room !== undefined && room.bavail * room.bsize > 4 * 2 ** 30;
}

async function removeAbandoned(parent: string): Promise<void> {
  const names = (await readdir(parent).catch(() => [])).filter((name) => name.startsWith(PREFIX));
  for (const name of names) {
    const owner = Number(name.slice(PREFIX.length).split('-')[0]);
    if (Number.isSafeInteger(owner) && owner > 0 && !(await isAlive(owner))) await removeCluster(join(parent, name));
  }
}

async function isAlive(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')) !== '';
}

/** Kills the server that may still run in the folder. Its data is not needed, so no clean shutdown. */
async function removeCluster(folder: string): Promise<void> {
  const [pid = '', , , , socketFolder = ''] = await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8').then(
    (text) => text.split('\n'),
    () => [],
  );
  const command = await readFile(`/proc/${Number(pid)}/cmdline`, 'utf8').catch(() => '');
  try {
    if (command.includes(`${folder}/`)) process.kill(Number(pid), 'SIGKILL');
    if (/\/turnpike-[^/]+$/.test(socketFolder)) await rm(socketFolder, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  } catch {
    // It belongs to another user of this machine, who will remove it.
  }
}
