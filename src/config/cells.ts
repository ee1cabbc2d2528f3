// Reads which cell of a deployment this is, and how to reach the directory that the cells share.

import type { Reader } from './reader.ts';
import { MOST_CELL } from '../values/cells/own-cell.ts';

export interface CellsConfig {
  /** Which cell of a deployment over several databases this is; null: there is but one. */
  readonly cell: number | null;
  /** Where it is kept which cell an e-mail address belongs to; null: nowhere. */
  readonly cellDirectory: { readonly url: string; readonly secret: string } | null;
}

export function readCells(read: Reader): CellsConfig {
  const cell = read.optional('CELL') === null ? null : read.integer('CELL', 0, 0, MOST_CELL);
  const url = read.databaseUrl('CELL_DIRECTORY_URL', false);
  const secret = read.secret('CELL_DIRECTORY_SECRET', false);
  if (url !== null && secret === null)
    read.fault('CELL_DIRECTORY_SECRET', 'is missing: CELL_DIRECTORY_URL is set, and both are needed');
  if (secret !== null && url === null)
    read.fault('CELL_DIRECTORY_URL', 'is missing: CELL_DIRECTORY_SECRET is set, and both are needed');
  if (url !== null && cell === null) read.fault('CELL_DIRECTORY_URL', 'is for cells: set CELL as well');
  return { cell, cellDirectory: url !== null && secret !== null ? { url, secret } : null };
}
