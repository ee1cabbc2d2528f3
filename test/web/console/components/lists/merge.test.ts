// What a list shows that stands still while it changes.

import { describe, expect, it } from '@jest/globals';
import { merge } from '../../../../../web/console/components/lists/merge.ts';

const rows = (text: string) => text.split(' ').filter((row) => row !== '').map((row) => ({ key: row.slice(0, 1), is: row })); // prettier-ignore
const merged = (known: string, now: string, isFrozen = false) => {
  const { rows: shown, news } = merge(rows(known), rows(now), ({ key }) => key, isFrozen);
  return [shown.map(({ is }) => is).join(' '), news];
};

describe('a list that stands still', () => {
  it.each([
    ['has what it had', 'c b a', 'c b a', 'c b a', 0],
    ['counts those above it', 'c b a', 'e d c b a', 'c b a', 2],
    ['counts one among its rows', 'c a', 'c b a', 'c a', 1],
    ['shows what its rows have become', 'c b a', 'd c b1 a', 'c b1 a', 1],
    ['keeps those that match no more', 'c b a', 'c a', 'c b a', 0],
    ['has further rows at its end', 'c b', 'c b a', 'c b a', 0],
    ['has further rows at its end, and new ones above', 'c b', 'd c b a', 'c b a', 1],
    ['counts all of another list', 'c b a', 'f e d', 'c b a', 3],
    ['of nothing counts everything', '', 'b a', '', 2],
    ['may become empty', 'b a', '', 'b a', 0],
  ])('%s', (_, known, now, shown, news) => {
    expect(merged(known, now)).toEqual([shown, news]);
  });

  it('says nothing of what its rows have become if it is frozen', () => {
    expect(merged('c b', 'd c1 b1 a', true)).toEqual(['c b a', 1]);
  });
});
