import { holdHistories } from './hold-histories.fixture.ts';
import { openHostileSolana } from './solana.fixture.ts';

/** More by `HOSTILE_RUNS`. */
const numRuns = Number(process.env['HOSTILE_RUNS'] ?? 3);

holdHistories({ kind: 'solana', numRuns, open: openHostileSolana });
