// The operator sees all cells of a deployment, as each reported itself last.

import type { ReportedCell } from '../../database/queries/cells/directory.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { recordLook, type Operator } from './log.ts';

/** The cells of the directory; none without one. Errors: 9503 while the directory is away. */
export async function listCells(operator: Operator, directory: Deps['directory']): Promise<readonly ReportedCell[]> {
  if (!directory) return [];
  const cells = await directory.cells();
  await inTransaction(operator.deps, (em) => recordLook(em, operator, { action: 'CELLS_READ' }));
  return cells;
}
