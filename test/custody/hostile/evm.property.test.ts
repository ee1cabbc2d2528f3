// Random histories of payouts on a hostile EVM chain; hold-histories.fixture.ts says what must hold.

import { holdHistories } from './hold-histories.fixture.ts';
import { openHostileEvm } from './evm.fixture.ts';

/** `HOSTILE_EVM_RUNS` sets a larger number of runs. */
const numRuns = Number(process.env['HOSTILE_EVM_RUNS'] ?? 3);

holdHistories({ kind: 'evm', numRuns, open: openHostileEvm });
