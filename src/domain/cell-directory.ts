// Where people of other cells are, and how those cells are. Without a directory, or while it is away, a cell knows
// itself alone.

import type { CellReport, CellSite, ReportedCell } from '../database/queries/cells/directory.ts';
import { misdirected } from '../values/cells/bearer-cell.ts';

export interface CellDirectory {
  /**
   * Takes an address for this cell, where somebody is about to have it: as the last thing before the commit, so that
   * what is refused here takes nothing. Errors: 2009 if it is another cell's; 9503 while the directory is away.
   */
  take(email: string): Promise<void>;
  /**
   * The other cell that an address belongs to; null if it would be here. Of an address that nobody has, a cell is named
   * as well, always the same one: who asks learns of no account. Null while the directory is away.
   */
  elsewhere(email: string): Promise<CellSite | null>;
  /** Takes addresses of this cell's people; returns how many of them another cell has. */
  keep(emails: readonly string[]): Promise<number>;
  /** Frees addresses that this cell has not kept since a time; returns whether there may be more. */
  free(since: Date): Promise<boolean>;
  /** Records how this cell is. */
  report(report: CellReport): Promise<void>;
  /** All cells with their last reports, in their order. Errors: 9503 while the directory is away. */
  cells(): Promise<ReportedCell[]>;
}

/** Throws 9421, with the cell to go to and its URL, if there is one. */
export function refuseElsewhere(site: CellSite | null): void {
  if (site !== null) throw misdirected(site.cell, site.url);
}
