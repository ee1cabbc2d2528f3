// Allows one running program per data folder: a kernel lock that ends with its holder, however the holder ends.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as rest } from 'node:timers/promises';
import { createDataDir } from './postgres/os-account.ts';

/** Another running instance holds the data folder. The message is one line for the operator. */
export class AlreadyRunning extends Error {
  constructor(dataDir: string, pid: string | undefined) {
    super(`Another instance${pid === undefined ? '' : ` (process ${pid})`} is already running on ${dataDir}`);
    this.name = 'AlreadyRunning';
  }
}

export interface InstanceLock {
  /** Releases the folder; calling it again has no effect. */
  release(): Promise<void>;
}

/** How long to wait for a holder that is just ending, or has not written its pid yet. */
const PATIENCE_MS = 300;
const SQLITE_BUSY = 5;

/**
 * Takes the data folder, creating it if there is none; throws {@link AlreadyRunning} while another running instance has
 * it.
 *
 * Node has no flock, but its SQLite takes POSIX record locks, and the kernel drops those when the process dies. So
 * there is no stale lock to recognise after a `kill -9`, no reused pid to mistake for the holder, no race between two
 * that start at once, and, unlike a pid compared with /proc, it also holds between containers that share a volume. The
 * file beside the lock only tells people who has it.
 */
export async function acquireInstanceLock({ dataDir }: { dataDir: string }): Promise<InstanceLock> {
  const folder = await createDataDir(dataDir);
  const pidFile = join(folder, 'instance.pid');
  const lock = await lockWithin(join(folder, 'instance.lock'), PATIENCE_MS);
  if (lock === undefined) throw new AlreadyRunning(folder, await readPid(pidFile));
  try {
    await writeFile(pidFile, `${process.pid}\n`);
  } catch (error) {
    lock.close();
    throw error;
  }
  let held = true;
  return {
    release: async () => {
      if (!held) return;
      held = false;
      await rm(pidFile, { force: true });
      lock.close();
    },
  };
}

async function lockWithin(path: string, patienceMs: number): Promise<DatabaseSync | undefined> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const lock = tryLock(path);
    if (lock !== undefined || performance.now() > deadline) return lock;
    await rest(25);
  }
}

/** The open connection is the lock. Nothing is ever written through it, so the file stays empty. */
function tryLock(path: string): DatabaseSync | undefined {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}

async function readPid(pidFile: string): Promise<string | undefined> {
  const text = await readFile(pidFile, 'utf8').catch(() => '');
  return /^\d+$/.exec(text.trim())?.[0];
}
