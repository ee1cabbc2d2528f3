// Keeps the files of the console where processes of other builds find them: during an upgrade a page of either build
// may meet a process of the other, and for a day after it there are pages of the build before.

import { createHmac } from 'node:crypto';
import {
  readConsoleFile,
  storeConsoleFiles,
  touchConsoleFiles,
  type ConsoleFile,
} from '../../database/queries/console-files.ts';
import { inTransaction } from '../../domain/deps.ts';
import type { Worker } from '../../loop.ts';
import type { Services } from '../../resolvers/services.ts';
import { sameDigest } from '../../values/secrets/keys.ts';

/** A file of this build. */
export interface OwnFile {
  readonly path: string;
  load(): Promise<Buffer>;
}

/** The files of this build are said to be in use this often; those that nobody says so of for a day are deleted. */
const TOUCH_EVERY_MS = 3_600_000;

type FileDeps = Pick<Services['deps'], 'db' | 'clock' | 'secrets'>;

interface ConsoleFiles {
  /** Reads a file of another build; null if there is none. */
  find(path: string): Promise<Buffer | null>;
  readonly worker: Worker;
}

/** Makes the reader of other builds' files, and the worker that stores this build's. */
export function createConsoleFiles(deps: FileDeps, own: readonly OwnFile[]): ConsoleFiles {
  let touchedAt = -Infinity;
  const sealed = ({ path, body }: Pick<ConsoleFile, 'path' | 'body'>): ConsoleFile => ({
    ...{ path, body, seal: sealOf(deps, path, body) },
  });
  return {
    find: async (path) => {
      const file = await readConsoleFile(deps.db.em, path);
      return file && sameDigest(file.seal, sealOf(deps, path, file.body)) ? file.body : null;
    },
    worker: {
      name: 'console-files',
      processNext: async () => {
        if (performance.now() - touchedAt < TOUCH_EVERY_MS) return false;
        const files = await Promise.all(own.map(async ({ path, load }) => sealed({ path, body: await load() })));
        await keep(deps, files);
        touchedAt = performance.now();
        return false;
      },
    },
  };
}

/** A file that another secret has sealed is stored anew. */
function keep(deps: FileDeps, files: readonly ConsoleFile[]): Promise<void> {
  return inTransaction(deps, async (em) => {
    const now = deps.clock.now();
    const stored = await touchConsoleFiles(
      em,
      files.map(({ path }) => path),
      now,
    );
    const seals = new Map(stored.map(({ path, seal }) => [path, seal]));
    const missing = files.filter(({ path, seal }) => seals.get(path)?.equals(seal) !== true);
    if (missing.length > 0) await storeConsoleFiles(em, missing, now);
  });
}

/** Over the path and the contents: a file cannot take the place of another one. */
function sealOf({ secrets }: Pick<FileDeps, 'secrets'>, path: string, body: Buffer): Buffer {
  return createHmac('sha256', secrets.fileKey).update(path).update('\0').update(body).digest();
}
