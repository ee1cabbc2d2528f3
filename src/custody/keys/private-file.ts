// Files that hold secrets: written whole or not at all, never over another, readable by their owner only.

import { randomBytes } from 'node:crypto';
import { link, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Windows has neither mode bits nor directories that can be synchronised; access there is the folder's. */
const HAS_MODES = process.platform !== 'win32';

/**
 * Writes a new file with mode 600 and waits until it is on disk. False, and nothing changed, when the path exists.
 * A link makes it appear at once and whole, where a rename would replace what another process wrote a moment before.
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

/** Waits until a folder knows its files, whatever happens to the machine. */
export async function syncFolder(path: string): Promise<void> {
  if (!HAS_MODES) return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
