// Whose the folder of the signer's journal is, where a deployment has cells: the cell and the mark of its database, in
// a file beside the journal. Signers that share a folder by mistake, or two databases that are the same cell, show
// here.

import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeNewPrivateFile } from '../keys/private-file.ts';

/** What the folder is of: `Config.cell`, and the mark in its database. */
export interface JournalOwner {
  readonly cell: number;
  readonly mark: string;
}

/** The folder is of another cell, or of another database. */
export class JournalOfOther extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JournalOfOther';
  }
}

const FILE = 'journal-cell.json';
const JOURNAL = /^journal-.+\.jsonl$/;

/**
 * Makes a folder that is of no cell one of this cell's. Throws `JournalOfOther` if it is another's; without an owner,
 * if it is of any cell.
 */
export async function takeJournal(folder: string, owner: JournalOwner | null): Promise<void> {
  if ((await verifyJournalOwner(folder, owner)) || owner === null) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { cell, mark } = owner;
  if (await writeNewPrivateFile(join(folder, FILE), `${JSON.stringify({ cell, mark })}\n`)) return;
  // Another signer was faster.
  await verifyJournalOwner(folder, owner);
}

/** Whether the folder is this cell's already. Throws where `takeJournal` does, and changes nothing. */
export async function verifyJournalOwner(folder: string, owner: JournalOwner | null): Promise<boolean> {
  const recorded = await readOwner(folder);
  if (owner === null) {
    if (recorded === null) return false;
    throw new JournalOfOther(`the journal in ${folder} is of cell ${String(recorded.cell)}, and the database of none`);
  }
  if (recorded !== null) {
    refuseOther(folder, recorded, owner);
    return true;
  }
  // What was signed before there were cells was signed with the first account, which is that of cell 0.
  if (owner.cell !== 0 && (await readdir(folder).catch(() => [])).some((name) => JOURNAL.test(name)))
    throw new JournalOfOther(`the journal in ${folder} is of a deployment without cells, and can only be of cell 0`);
  return false;
}

function refuseOther(folder: string, recorded: JournalOwner, { cell, mark }: JournalOwner): void {
  if (recorded.cell !== cell)
    throw new JournalOfOther(`the journal in ${folder} is of cell ${String(recorded.cell)}, not of ${String(cell)}`);
  if (recorded.mark !== mark)
    throw new JournalOfOther(
      `the journal in ${folder} belongs to another database that is cell ${String(cell)} as well: give one of them another CELL`,
    );
}

async function readOwner(folder: string): Promise<JournalOwner | null> {
  const path = join(folder, FILE);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  try {
    const { cell, mark } = JSON.parse(text) as Partial<JournalOwner>;
    if (typeof cell === 'number' && typeof mark === 'string') return { cell, mark };
  } catch {
    // Not JSON: said below.
  }
  throw new JournalOfOther(`${path} is damaged`);
}
