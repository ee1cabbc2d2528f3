// Keeps this cell's addresses in the directory of cells: those of before there was one, and those that a restored
// directory has lost. What belongs to nobody any more is free after a month.

import type { Deps } from '../domain/deps.ts';
import type { CellDirectory } from '../domain/cell-directory.ts';
import { listAddresses } from '../database/queries/cells/own-entries.ts';

const EVERY_MS = 6 * 3_600_000;
/** Longer than a link in a mail can bring an address back. */
const UNSEEN_FOR_MS = 30 * 24 * 3_600_000;

/** A loop that goes through all people, a batch at a time. */
export function createDirectoryUpkeep(
  { db, clock, log }: Pick<Deps, 'db' | 'clock' | 'log'>,
  directory: Pick<CellDirectory, 'keep' | 'free'>,
) {
  let after: string | null = '';
  let elsewhere = 0;
  let nextAt = 0;
  return {
    name: 'cell-directory',
    /** Returns whether there is more to do at once. */
    async processNext(): Promise<boolean> {
      const now = clock.now();
      if (now.getTime() < nextAt) return false;
      if (after === null) {
        if (await directory.free(new Date(now.getTime() - UNSEEN_FOR_MS))) return true;
        if (elsewhere > 0)
          log.warn(
            { people: elsewhere },
            'people of this cell have an e-mail address that the directory gives to another cell',
          );
        [after, elsewhere, nextAt] = ['', 0, now.getTime() + EVERY_MS];
        return false;
      }
      const people = await listAddresses(db.em, after);
      if (people.length > 0) elsewhere += await directory.keep(people.map(({ email }) => email));
      after = people.at(-1)?.id ?? null;
      return true;
    },
  };
}
