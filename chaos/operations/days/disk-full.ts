// The disk of the database is full, until there is room again.

import { execFile } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isRoot } from '../../../src/sandbox/postgres/os-account.ts';
import type { BadDay } from '../bad-day.ts';
import type { Setting } from '../setting.ts';

const run = promisify(execFile);
/** A cluster and its write-ahead log take a third of it. */
const DISK_MIB = 256;

/** The database has a disk of its own, in memory; the tool is the folder where it is mounted. */
const SMALL_DISK: Setting<string> = {
  missing: () => (isRoot() ? null : 'only root may mount a disk of its own for the database'),
  prepare: async ({ databaseDir, onClose }) => {
    await mkdir(databaseDir, { mode: 0o711 }); // PostgreSQL runs as another user if we are root.
    await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=711`, 'tmpfs', databaseDir]);
    onClose(() => run('umount', ['--lazy', databaseDir]));
    return { tools: databaseDir };
  },
};

const DISK_FULL: BadDay<string> = {
  name: 'disk-full',
  title: "The disk of the database's server is full",
  remedy: 'Give it room: a larger disk, or old files elsewhere; never delete anything in `pg_wal`',
  alerts: ['DatabaseAway', 'CallsFailing'],
  setting: SMALL_DISK,
  cause: async (_scene, disk) => {
    const ballast = join(disk, 'ballast');
    await fill(ballast);
    return { mend: () => rm(ballast) };
  },
};

const PIECE_BYTES = 64 * 1024;

/** Writes to a file until its disk is full. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (const piece = Buffer.alloc(PIECE_BYTES); ;) await file.write(piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await file.close();
  }
}

export const DISK_DAYS: readonly BadDay[] = [DISK_FULL];
