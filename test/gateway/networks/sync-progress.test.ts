// The speed at which a network is read, as /metrics shows it, computed from successive observations.

import { expect, it } from '@jest/globals';
import { createSyncProgress } from '../../../src/gateway/networks/sync-progress.ts';

/** Observations as [second, cursor, tip], and what is reported for the last of them. */
it.each<[string, readonly (readonly [number, number, number])[], unknown]>([
  ['at the first look nothing is known', [[0, 100, 1_000]], null],
  [
    'a chain that stands still is caught up with',
    [
      [0, 0, 900],
      [10, 500, 900],
    ],
    { blocksPerSecond: 50, secondsLeft: 8 },
  ],
  [
    'what comes meanwhile is to be read, too',
    [
      [0, 0, 900],
      [10, 500, 1_000],
    ],
    { blocksPerSecond: 50, secondsLeft: 12.5 },
  ],
  [
    'at the tip there is nothing left',
    [
      [0, 90, 100],
      [5, 101, 101],
    ],
    { blocksPerSecond: 2.2, secondsLeft: 0 },
  ],
  [
    'one that comes no nearer has no end',
    [
      [0, 90, 100],
      [10, 100, 120],
    ],
    { blocksPerSecond: 1, secondsLeft: null },
  ],
  [
    'going back in a reorganisation is no pace',
    [
      [0, 100, 100],
      [10, 95, 101],
    ],
    { blocksPerSecond: 0, secondsLeft: null },
  ],
  [
    'the last minute counts',
    [
      [0, 0, 900],
      [30, 600, 900],
      [90, 720, 900],
    ],
    { blocksPerSecond: 2, secondsLeft: 90 },
  ],
  [
    'or the look before, where nobody looks as often',
    [
      [0, 0, 900],
      [300, 600, 900],
    ],
    { blocksPerSecond: 2, secondsLeft: 150 },
  ],
])('%s', (_what, looks, told) => {
  const pace = createSyncProgress();
  const said = looks.map(([second, cursorHeight, tipHeight]) =>
    pace({ readAtMs: 5_000 + second * 1_000, cursorHeight, tipHeight }),
  );
  expect(said.at(-1)).toEqual(told);
});
