import { holdHistories } from './hold-histories.fixture.ts';
import { openHostileEvm } from './evm.fixture.ts';

/** More by `HOSTILE_RUNS`. */
const numRuns = Number(process.env['HOSTILE_RUNS'] ?? 3);

holdHistories({ kind: 'evm', numRuns, open: openHostileEvm });
