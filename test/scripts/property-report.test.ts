// The summary that `npm run property` prints at its end.

import { expect, it } from '@jest/globals';
import { describeReport } from '../../scripts/property-report.ts';

const COUNTS = { HISTORY_RUNS: 300, CHAIN_RUNS: 20 };
const file = (name: string, source: string, ...results: readonly (readonly [string, string])[]) => ({
  ...{ name: `/somewhere/dist/test/${name}.property.test.js`, source },
  assertionResults: results.map(([title, status]) => ({ title, status })),
});

it('what held and what failed is counted, with the histories that it was tried on', () => {
  const files = [
    file('domain/books', 'HISTORY_RUNS', ['one', 'passed'], ['two', 'passed']),
    file('chain/anvil', 'CHAIN_RUNS', ['one', 'passed'], ['two', 'failed']),
  ];
  expect(describeReport(files, COUNTS)).toEqual([
    'chain/anvil: 1 properties held over 20 histories each; 1 failed, the smallest history is above',
    'domain/books: 2 properties held over 300 histories each',
    '2 files of properties ran.',
  ]);
});

it('what stands in for tests that were left out is no property that held', () => {
  const files = [
    file('domain/books', 'HISTORY_RUNS', ['one', 'passed']),
    file('observe/litecoin', 'CHAIN_RUNS', ['is left out without litecoind', 'passed']),
  ];
  expect(describeReport(files, COUNTS)).toEqual([
    'domain/books: 1 properties held over 300 histories each',
    'observe/litecoin: LEFT OUT, because litecoind is not installed: nothing was tried',
    '1 files of properties ran. 1 left out.',
  ]);
  expect(describeReport(files.slice(1), COUNTS).at(-1)).toBe('Nothing ran. 1 left out.');
});
