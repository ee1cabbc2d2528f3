// The directory of cells (CELL_DIRECTORY_URL), whose code is loaded only where there is one. A cell lives without it:
// who is signed in notices nothing, and people of this cell sign in; addresses are taken once it is back.

import { hkdfSync } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import type { DatabasePatience } from '../../database/connection.ts';
import {
  enterCell,
  freeUnseen,
  keepAddresses,
  listCells,
  readCellOf,
  readReports,
  recordReport,
  takeAddress,
  type CellEntry,
  type CellSite,
} from '../../database/queries/cells/directory.ts';
import type { CellDirectory } from '../../domain/cell-directory.ts';
import { GatewayError } from '../../values/errors.ts';
import { keyedDigest } from '../../values/secrets/keyed-digest.ts';
import { StartError, type Stops } from '../lifecycle.ts';
import { away, createDirectoryConnection, OtherKey } from './directory-connection.ts';

/** How long an answer is known, and of how many addresses. */
const KNOWN_FOR_MS = 60_000;
const MOST_KNOWN = 10_000;
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
  const { secret, own } = options;
  const key = keyOf(secret);
  const digestOf = (email: string) => keyedDigest(key, `address ${email.toLowerCase()}`);
  const entry: CellEntry = { ...own, keyCheck: keyCheckOf(secret) };
  const { using, close } = createDirectoryConnection({ ...options, entry });
  const known = new Map<string, { readonly site: CellSite | null; readonly until: number }>();
  let taking = 0;

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
    report: (report) =>
      using(async (em) => {
        // An older copy of the directory may be from before this cell.
        await enterCell(em, entry);
        await recordReport(em, own.cell, report);
      }),
    cells: () => using(readReports),
    close,
  };
}

/** Of an address that nobody has: any cell, but always the same one. */
const anyOf = (sites: readonly CellSite[], digest: Buffer): number | undefined =>
  sites[digest.readUInt32BE(0) % Math.max(1, sites.length)]?.cell;
