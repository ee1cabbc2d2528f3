// Where a listener is in the event log, and the secret that it signs with: kept for each key and URL.

import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unsafe } from '../failure.ts';
import { readPrivate, stateFolder, writePrivate } from '../profile/private-files.ts';
import type { Profile } from '../profile/profiles.ts';
import { newSecret } from './delivery.ts';

/** How often a lock is asked for that others are about to leave. */
const MOST_TRIES = 10;

/** What is kept. */
export interface Position {
  /** The sequence of the last event that is done with; null before the first. */
  readonly after: number | null;
  readonly secret: string;
  readonly forwardTo: string;
}

/** The file of a listener. Another gateway, merchant's key or URL is another one: their numbers differ. */
export function positionPath({ baseUrl, keyId }: Profile, forwardTo: string): string {
  const digest = createHash('sha256').update([baseUrl, keyId, forwardTo].join('\n')).digest('hex');
  return join(stateFolder(), `listen-${digest.slice(0, 24)}.json`);
}

/** The position that was kept, or one with a new secret. */
export async function readPosition(path: string, forwardTo: string): Promise<Position> {
  const kept = (await readPrivate(path)) as Partial<Position> | null;
  const { after, secret } = kept ?? {};
  const isNumber = typeof after === 'number' && Number.isSafeInteger(after) && after >= 0;
  return { after: isNumber ? after : null, secret: typeof secret === 'string' ? secret : newSecret(), forwardTo };
}

/** Keeps it, on the disk: a power cut after this forgets nothing. */
export const keepPosition = (path: string, position: Position): Promise<void> => writePrivate(path, position);

/**
 * Makes this process the only listener of its position, until the function that is returned is called. Two would each
 * move it past what the other has not forwarded. What a killed listener left is taken over, by one of those that try.
 */
export async function lockPosition(path: string): Promise<() => Promise<void>> {
  const lock = `${path}.lock`;
  const nonce = randomBytes(8).toString('hex');
  const own = `${lock}.${nonce}`;
  await mkdir(dirname(lock), { recursive: true, mode: 0o700 });
  await writeFile(own, `${process.pid} ${nonce}`, { flag: 'wx', mode: 0o600 });
  try {
    for (let tries = 0; ; tries += 1) {
      if (await isLinked(own, lock)) return () => rm(lock, { force: true });
      const held = await readFile(lock, 'utf8').catch(() => null);
      const holder = parseInt(held ?? '', 10);
      if (tries >= MOST_TRIES || isRunning(holder))
        throw unsafe(`process ${holder || '?'} listens for this URL already (if it does not: remove ${lock})`);
      if (held !== null) await removeLeft(lock, held, `${own}.left`);
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** A link comes with its content, so that nobody ever finds a lock without its holder. */
async function isLinked(own: string, lock: string): Promise<boolean> {
  try {
    await link(own, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes what a listener that is gone has left. What another one has made of it meanwhile is put back. */
async function removeLeft(lock: string, held: string, aside: string): Promise<void> {
  try {
    await rename(lock, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) !== held) await isLinked(aside, lock);
  await rm(aside);
}

function isRunning(pid: number): boolean {
  if (!pid || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
