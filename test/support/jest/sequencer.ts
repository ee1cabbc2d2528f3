// The order of the test files: those that wait for browsers, nodes and killed processes first, so that none of them is
// begun when the rest is done. jest itself knows only what earlier runs took, and a fresh clone had none.

import TestSequencer from '@jest/test-sequencer';

/** The package's types describe its CommonJS form; what is imported is its ECMAScript form, the class itself. */
const ByDuration = TestSequencer as unknown as typeof TestSequencer.default;
type Tests = Parameters<TestSequencer.default['sort']>[0];

/** Folders of `test` by how long their files take, the longest first; one that is not named comes between. */
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
