// Random histories of payouts on a hostile TRON; hold-histories.fixture.ts says what must hold.

import { holdHistories } from './hold-histories.fixture.ts';
import { openHostileTron } from './tron.fixture.ts';

/** `HOSTILE_RUNS` sets a larger number of runs. */
const numRuns = Number(process.env['HOSTILE_RUNS'] ?? 3);

holdHistories({ kind: 'tron', numRuns, open: openHostileTron });
