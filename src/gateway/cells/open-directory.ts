// The directory of cells (CELL_DIRECTORY_URL), whose code is loaded only where there is one. A cell lives without it:
// who is signed in notices nothing, and people of this cell sign in; addresses are taken once it is back.

import { hkdfSync } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import {
  connectDatabase,
  type Database,
  type DatabasePatience,
  type EntityManager,
} from '../../database/connection.ts';
import {
  enterCell,
  freeUnseen,
  keepAddresses,
  listCells,
  readCellOf,
  takeAddress,
  type CellEntry,
  type CellSite,
} from '../../database/queries/cells/directory.ts';
import type { CellDirectory } from '../../domain/cell-directory.ts';
import { GatewayError } from '../../values/errors.ts';
import { keyedDigest } from '../../values/secrets/keyed-digest.ts';
import { sameDigest } from '../../values/secrets/keys.ts';
import { StartError, type Stops } from '../lifecycle.ts';

/** A sign-in waits no longer for it. */
export const DIRECTORY_PATIENCE: DatabasePatience = { connection: 2_000, answer: 2_000 };
/** After it could not be reached, it is not tried for as long. */
const AGAIN_AFTER_MS = 1_000;
/** How long an answer is known, and of how many addresses. */
const KNOWN_FOR_MS = 60_000;
const MOST_KNOWN = 10_000;
const CONNECTIONS = 3;
/** Each that waits to take an address holds a connection to this cell's own database. */
const MOST_TAKING = 4;

/** What the directory is opened with. */
export interface DirectoryOptions {
  readonly url: string;
  /** The same in all cells. */
  readonly secret: string;
  readonly own: CellSite;
  readonly log: Logger;
  /** `DIRECTORY_PATIENCE` by default. */
  readonly patience?: DatabasePatience | undefined;
}

export interface OpenDirectory extends CellDirectory {
  /** Connects and enters this cell, or throws why not. It is done by the first use as well. */
  enter(): Promise<void>;
  close(): Promise<void>;
}

const keyOf = (secret: string) => new Uint8Array(hkdfSync('sha256', secret, '', 'turnpike directory of cells', 32));

/** What a cell enters of its secret, by which others see whether they have the same. */
export const keyCheckOf = (secret: string): Buffer => keyedDigest(keyOf(secret), 'check');

/** The directory has another key: what one cell writes, another would not find. */
class OtherKey extends Error {}

/** Opens the directory of this process; undefined if none is configured. Throws `StartError` if its key is another. */
export async function startDirectory(
  { cell, cellDirectory, baseUrl }: Config,
  { log, patience, stops }: Pick<DirectoryOptions, 'log' | 'patience'> & { readonly stops: Stops },
): Promise<OpenDirectory | undefined> {
  if (cell === null || cellDirectory === null) return undefined;
  const directory = createDirectory({ ...cellDirectory, own: { cell, url: baseUrl }, log, patience });
  stops.push(() => directory.close());
  await directory.enter().catch((error: unknown) => {
    if (error instanceof OtherKey) throw new StartError(`CELL_DIRECTORY_SECRET: ${error.message}`);
  });
  return directory;
}

/** Makes the directory of a cell. It connects when it is first used, and again after it was away. */
export function createDirectory(options: DirectoryOptions): OpenDirectory {
  const { url, secret, own, log, patience = DIRECTORY_PATIENCE } = options;
  const key = keyOf(secret);
  const digestOf = (email: string) => keyedDigest(key, `address ${email.toLowerCase()}`);
  const entry: CellEntry = { ...own, keyCheck: keyCheckOf(secret) };
  const known = new Map<string, { readonly site: CellSite | null; readonly until: number }>();
  let opening: Promise<Database> | null = null;
  let closedUntil = 0;
  let taking = 0;

  async function connect(): Promise<Database> {
    const variable = 'CELL_DIRECTORY_URL';
    const db = await connectDatabase({ url, variable, poolMax: CONNECTIONS, log, patience, contextName: 'directory' });
    try {
      // Looked at first: what a cell with another secret enters would keep all others from starting.
      const other = (await listCells(db.em)).find(
        ({ cell, keyCheck }) => cell !== own.cell && !sameDigest(keyCheck, entry.keyCheck),
      );
      if (other) throw new OtherKey(`cell ${String(other.cell)} has another one`);
      await enterCell(db.em, entry);
      return db;
    } catch (error) {
      await db.close();
      throw error;
    }
  }

  /** Works on the directory's database, for as long as somebody may wait. */
  async function using<Result>(work: (em: EntityManager) => Promise<Result>): Promise<Result> {
    if (performance.now() < closedUntil) throw away();
    opening ??= connect();
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
  }

  function remember(digest: string, site: CellSite | null): CellSite | null {
    if (known.size >= MOST_KNOWN) for (const first of known.keys()) if (known.delete(first)) break;
    known.set(digest, { site, until: performance.now() + KNOWN_FOR_MS });
    return site;
  }

  return {
    enter: () => using(() => Promise.resolve()),
    async take(email) {
      if (taking >= MOST_TAKING) throw away();
      const digest = digestOf(email);
      taking += 1;
      const cell = await using((em) => takeAddress(em, digest, own.cell)).finally(() => (taking -= 1));
      known.delete(digest.toString('hex'));
      if (cell !== own.cell) throw new GatewayError('EMAIL_TAKEN');
    },
    async elsewhere(email) {
      const digest = digestOf(email);
      const before = known.get(digest.toString('hex'));
      if (before && performance.now() < before.until) return before.site;
      try {
        const [found, sites] = await using((em) => Promise.all([readCellOf(em, digest), listCells(em)]));
        const site = sites.find(({ cell }) => cell === (found ?? anyOf(sites, digest)));
        return remember(
          digest.toString('hex'),
          site && site.cell !== own.cell ? { cell: site.cell, url: site.url } : null,
        );
      } catch {
        return null;
      }
    },
    keep: (emails) => using((em) => keepAddresses(em, emails.map(digestOf), own.cell)),
    free: (since) => using((em) => freeUnseen(em, own.cell, since)),
    async close() {
      await opening?.then(
        (db) => db.close(),
        () => undefined,
      );
    },
  };
}

/** Of an address that nobody has: any cell, but always the same one. */
const anyOf = (sites: readonly CellSite[], digest: Buffer): number | undefined =>
  sites[digest.readUInt32BE(0) % Math.max(1, sites.length)]?.cell;

const away = (cause?: unknown) =>
  new GatewayError('OVERLOADED', { message: 'The directory of cells is away', retryAfterSeconds: 1, cause });

async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${String(ms)} ms`)), ms);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
