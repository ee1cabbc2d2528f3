// The pages of a list whose first page is read anew: nothing is missing between them.

import { describe, expect, it } from '@jest/globals';
import { contiguous } from '../../../../../web/console/components/lists/contiguous.ts';

const pageOf = (rows: string, hasNextPage = true) => ({
  nodes: rows.split('').map((key) => ({ key })),
  pageInfo: { hasNextPage, endCursor: rows.slice(-1) },
});
const after = (before: string, now: string, further: readonly string[], hasNextPage = true) =>
  contiguous(
    pageOf(before),
    pageOf(now, hasNextPage),
    further.map((rows) => pageOf(rows)),
    ({ key }) => key,
  ).map(({ nodes, pageInfo }) => [nodes.map(({ key }) => key).join(''), pageInfo.endCursor]);

describe('what follows a first page that was read anew', () => {
  it.each([
    [
      'is what followed it',
      'hgf',
      'hgf',
      ['edc', 'ba'],
      [
        ['edc', 'c'],
        ['ba', 'a'],
      ],
    ],
    [
      'begins with what was pushed out of it',
      'hgf',
      'jih',
      ['edc'],
      [
        ['gf', 'f'],
        ['edc', 'c'],
      ],
    ],
    ['is what followed it where it reaches into that', 'hgf', 'hfe', ['edc'], [['edc', 'c']]],
    ['is what was pushed out, while the next page is being loaded', 'hgf', 'ihg', [], [['f', 'f']]],
    ['is nothing where a whole page is new', 'hgf', 'zyx', ['edc'], []],
    ['is what was loaded, under a first page without rows', 'hgf', '', ['edc'], [['edc', 'c']]],
  ])('%s', (_, before, now, further, following) => {
    expect(after(before, now, further)).toEqual(following);
  });

  it('is nothing where it has become the only one', () => {
    expect(after('hgf', 'hf', ['edc'], false)).toEqual([]);
  });
});
