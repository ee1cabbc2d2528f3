// Writes files that hold secrets: whole or not at all, never over an existing file, readable by their owner only.

import { randomBytes } from 'node:crypto';
import { link, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Windows has no mode bits and cannot sync folders; access there depends on the folder. */
const HAS_MODES = process.platform !== 'win32';

/**
 * Writes a new file with mode 600 and waits until it is on disk. False, with nothing changed, if the path exists. A
 * hard link makes the whole file appear at once; a rename would replace what another process just wrote.
 */
export async function writeNewPrivateFile(path: string, text: string): Promise<boolean> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeSynced(temporary, text);
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(dirname(path));
  return true;
}

/** Throws when the file's mode lets anyone but its owner read or write it. */
export async function refuseIfShared(path: string): Promise<void> {
  if (!HAS_MODES) return;
  const mode = (await stat(path)).mode & 0o777;
  if ((mode & 0o077) === 0) return;
  throw new Error(`${path} can be read by others (mode ${mode.toString(8)}); run: chmod 600 ${path}`);
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Syncs a folder, so that its entries survive a crash of the machine. */
export async function syncFolder(path: string): Promise<void> {
  if (!HAS_MODES) return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
