import { holdHistories } from './hold-histories.ts';
import { openHostileEvm } from './evm.ts';

/** More by `HOSTILE_RUNS`. */
const numRuns = Number(process.env['HOSTILE_RUNS'] ?? 3);

holdHistories({ kind: 'evm', numRuns, open: openHostileEvm });
