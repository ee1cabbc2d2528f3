// Random histories of payouts on a hostile TRON; hold-histories.fixture.ts says what must hold.

import { it } from '@jest/globals';
import { holdHistories } from './hold-histories.fixture.ts';
import { openHostileTron } from './tron.fixture.ts';

/** `HOSTILE_TRON_RUNS` sets a larger number of runs. */
const numRuns = Number(process.env['HOSTILE_TRON_RUNS'] ?? 3);

const story = holdHistories({ kind: 'tron', numRuns, open: openHostileTron });

it('tron: what was signed after the backup, and has expired, does not keep others from being signed', () =>
  story(1, [
    { kind: 'pay', order: 0 },
    { kind: 'pay', order: 1 },
    { kind: 'mine', blocks: 3 },
    { kind: 'watch' },
    { kind: 'withdraw', order: 0, parts: 1, to: 'plain' },
    { kind: 'backUp' },
    { kind: 'send', steps: 20 },
    { kind: 'restore', journal: 'lost' },
    { kind: 'send', steps: 20 },
    { kind: 'wait', minutes: 11 },
    { kind: 'watch' },
    { kind: 'send', steps: 1 },
  ]));

it('tron: a block replaced after a quiet hour leaves a chain that is not stale', () =>
  story(1, [
    { kind: 'pay', order: 3 },
    { kind: 'mine', blocks: 3 },
    { kind: 'watch' },
    { kind: 'backUp' },
    { kind: 'wait', minutes: 30 },
    { kind: 'wait', minutes: 30 },
    { kind: 'restore', journal: 'as old as the backup' },
    { kind: 'reorganise', depth: 1 },
    { kind: 'withdraw', order: 3, parts: 9, to: 'plain' },
  ]));
