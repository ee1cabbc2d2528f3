// The connection to the database with the directory of cells, which may be away: nobody waits for it for long, and it
// is not tried again at once.

import type { Logger } from 'pino';
import {
  connectDatabase,
  type Database,
  type DatabasePatience,
  type EntityManager,
} from '../../database/connection.ts';
import { enterCell, listCells, type CellEntry } from '../../database/queries/cells/directory.ts';
import { GatewayError } from '../../values/errors.ts';
import { sameDigest } from '../../values/secrets/keys.ts';

/** A sign-in waits no longer for it. */
const DIRECTORY_PATIENCE: DatabasePatience = { connection: 2_000, answer: 2_000 };
/** After it could not be reached, it is not tried for as long. */
const AGAIN_AFTER_MS = 1_000;
const CONNECTIONS = 3;

interface DirectoryConnectionOptions {
  readonly url: string;
  /** What this cell enters when it connects. */
  readonly entry: CellEntry;
  readonly log: Logger;
  readonly patience?: DatabasePatience | undefined;
}

interface DirectoryConnection {
  /** Works on the directory's database. Errors: 9503 while it is away; `OtherKey`. */
  using<Result>(work: (em: EntityManager) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** The directory has another key: what one cell writes, another would not find. */
export class OtherKey extends Error {}

export const away = (cause?: unknown): GatewayError =>
  new GatewayError('OVERLOADED', { message: 'The directory of cells is away', retryAfterSeconds: 1, cause });

/** A connection that is made when it is first used, and again after the database was away. */
export function createDirectoryConnection(options: DirectoryConnectionOptions): DirectoryConnection {
  const { log, patience = DIRECTORY_PATIENCE } = options;
  let opening: Promise<Database> | null = null;
  let closedUntil = 0;
  return {
    async using(work) {
      if (performance.now() < closedUntil) throw away();
      opening ??= connect(options);
      const opened = opening;
      try {
        return await within(
          patience.answer,
          opened.then(({ em }) => work(em)),
        );
      } catch (error) {
        closedUntil = performance.now() + AGAIN_AFTER_MS;
        // One that was never there is connected anew; the connections of one that went away mend themselves.
        opened.catch(() => {
          if (opening === opened) opening = null;
        });
        log.warn({ err: error }, 'the directory of cells is away: nobody registers or is sent to their cell meanwhile');
        throw error instanceof OtherKey ? error : away(error);
      }
    },
    async close() {
      await opening?.then(
        (db) => db.close(),
        () => undefined,
      );
    },
  };
}

/** Connects, and enters the cell. */
async function connect({
  url,
  entry,
  log,
  patience = DIRECTORY_PATIENCE,
}: DirectoryConnectionOptions): Promise<Database> {
  const variable = 'CELL_DIRECTORY_URL';
  const db = await connectDatabase({ url, variable, poolMax: CONNECTIONS, log, patience, contextName: 'directory' });
  try {
    // Looked at first: what a cell with another secret enters would keep all others from starting.
    const other = (await listCells(db.em)).find(
      ({ cell, keyCheck }) => cell !== entry.cell && !sameDigest(keyCheck, entry.keyCheck),
    );
    if (other) throw new OtherKey(`cell ${String(other.cell)} has another one`);
    await enterCell(db.em, entry);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${String(ms)} ms`)), ms);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
