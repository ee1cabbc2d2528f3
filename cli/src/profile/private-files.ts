// Files that hold secrets and positions: for their owner alone, and whole or not at all.

import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { unsafe, usage } from '../failure.ts';

/** Where the keys are: `turnpike` below XDG_CONFIG_HOME, or below `~/.config`. */
export const configFolder = (): string => join(baseFolder('XDG_CONFIG_HOME', '.config'), 'turnpike');

/** Where positions are: `turnpike` below XDG_STATE_HOME, or below `~/.local/state`. */
export const stateFolder = (): string => join(baseFolder('XDG_STATE_HOME', '.local/state'), 'turnpike');

/** A relative path in such a variable is to be ignored (XDG Base Directory specification 0.8). */
function baseFolder(name: string, fallback: string): string {
  const set = process.env[name];
  return set && isAbsolute(set) ? set : join(homedir(), fallback);
}

/**
 * Reads a file of ours as JSON; null if there is none. Throws if others can read or change it, or own it: what they
 * read is known to them, and what they write is where a key would be sent.
 */
export async function readPrivate(path: string): Promise<unknown> {
  try {
    const { mode, uid } = await stat(path);
    const isWindows = process.platform === 'win32';
    if (!isWindows && (mode & 0o077) !== 0)
      throw unsafe(
        `${path} can be read by others (mode ${(mode & 0o777).toString(8)}): chmod 600 it, and rotate its keys`,
      );
    if (!isWindows && uid !== process.getuid?.()) throw unsafe(`${path} belongs to somebody else`);
    return JSON.parse(await readFile(path, 'utf8')) as unknown;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    if (error instanceof SyntaxError) throw usage(`${path} is not JSON: remove it, and sign in again`);
    throw error;
  }
}

/** Writes a file of mode 600 in a folder of mode 700. A kill or a power cut leaves the old one or the new one. */
export async function writePrivate(path: string, value: unknown): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const unfinished = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    const file = await open(unfinished, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(value, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
