// Random histories of payouts on a hostile Solana; hold-histories.fixture.ts says what must hold.

import { holdHistories } from './hold-histories.fixture.ts';
import { openHostileSolana } from './solana.fixture.ts';

/** `HOSTILE_SOLANA_RUNS` sets a larger number of runs. */
const numRuns = Number(process.env['HOSTILE_SOLANA_RUNS'] ?? 3);

holdHistories({ kind: 'solana', numRuns, open: openHostileSolana });
