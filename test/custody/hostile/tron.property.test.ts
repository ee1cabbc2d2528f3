import { holdHistories } from './hold-histories.fixture.ts';
import { openHostileTron } from './tron.fixture.ts';

/** More by `HOSTILE_RUNS`. */
const numRuns = Number(process.env['HOSTILE_RUNS'] ?? 3);

holdHistories({ kind: 'tron', numRuns, open: openHostileTron });
