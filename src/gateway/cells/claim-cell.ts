// Makes the database and the signer's journal those of the configured cell, or refuses to start on those of another:
// two cells on one account would hand out the same addresses and spend each other's money.

import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/connection.ts';
import { readCell, recordCell } from '../../database/queries/deployment.ts';
import { useCell } from '../../values/cells/own-cell.ts';
import { StartError } from '../lifecycle.ts';

const named = (cell: number | null) => (cell === null ? 'no cell' : `cell ${String(cell)}`);

/** From then on this process makes its identifiers, keys and addresses in the cell. Throws `StartError`. */
export async function claimCell({ em }: Pick<Database, 'em'>, { cell }: Pick<Config, 'cell'>): Promise<void> {
  if (cell !== null && !(await recordCell(em, cell)))
    throw new StartError(
      'CELL: this database has addresses of the first account, which is that of cell 0: it can be no other cell',
    );
  const recorded = await readCell(em);
  if ((recorded?.cell ?? null) !== cell)
    throw new StartError(`CELL: this database is of ${named(recorded?.cell ?? null)}, and CELL says ${named(cell)}`);
  useCell(recorded);
}

/** The same for the folder of the journal, in the process that signs. */
export async function claimJournal({ em }: Pick<Database, 'em'>, config: Config): Promise<void> {
  if (!config.roles.has('signer')) return;
  const { JournalOfOther, takeJournal } = await import('../../custody/witness/journal-cell.ts');
  try {
    await takeJournal(config.journalDir, await readCell(em));
  } catch (error) {
    throw error instanceof JournalOfOther ? new StartError(`JOURNAL_DIR: ${error.message}`) : error;
  }
}
