import { holdHistories } from './hold-histories.ts';
import { openHostileTron } from './tron.ts';

/** More by `HOSTILE_RUNS`. */
const numRuns = Number(process.env['HOSTILE_RUNS'] ?? 3);

holdHistories({ kind: 'tron', numRuns, open: openHostileTron });
