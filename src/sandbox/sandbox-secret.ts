// The sandbox's own secret, created at its first start. Live is never run with it: there the configuration sets one.

import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Reads the secret of a data folder, creating it if there is none. Only the file's owner can read it. */
export async function openOrCreateSecret({ dataDir }: { dataDir: string }): Promise<string> {
  const path = join(dataDir, 'secret');
  await mkdir(dataDir, { recursive: true });
  try {
    await writeFile(path, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
  }
  const secret = await readFile(path, 'utf8');
  if (secret.length < 32) throw new Error(`${path} is damaged: it must hold at least 32 characters`);
  return secret;
}
