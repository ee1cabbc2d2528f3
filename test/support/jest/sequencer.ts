// The order of the test files: those that wait for browsers, nodes and killed processes come first, so that none of
// them starts when the rest is done. jest knows durations only from earlier runs, which a fresh clone has not had.

import TestSequencer from '@jest/test-sequencer';

/** The package's types describe its CommonJS form; its ECMAScript form exports the class itself. */
const ByDuration = TestSequencer as unknown as typeof TestSequencer.default;
type Tests = Parameters<TestSequencer.default['sort']>[0];

/** Folders of `test` by the time their files take, the longest first; others come in between. */
const FIRST = ['web', 'sandbox', 'custody', 'gateway', 'cli', 'server', 'observe', 'docs'];
const LAST = ['values', 'api'];

/** Sorts by folder, and within a folder as jest would. */
export default class LongestFirst extends ByDuration {
  override sort(tests: Tests): Tests {
    const sorted = super.sort(tests) as Tests;
    return [...sorted].sort((one, other) => rankOf(one.path) - rankOf(other.path));
  }
}

function rankOf(path: string): number {
  const [, folder = ''] = /\/dist\/test\/([^/]+)\//.exec(path) ?? [];
  if (FIRST.includes(folder)) return FIRST.indexOf(folder);
  return FIRST.length + 1 + LAST.indexOf(folder);
}
