// The guide's table of the reasons for which payouts are held matches the code.

import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { HELD_REASONS } from '../../src/values/held-reasons.ts';

test('the guide names every reason for which a payout waits, in the words of the code', () => {
  const guide = readFileSync('docs/guide/payments.md', 'utf8');
  const rows = [...guide.matchAll(/^\| `([A-Z_]+)` +\| (.+?) +\|$/gm)].map(([, code, text]) => [code, text]);
  const told = rows.filter(([code = '']) => code in HELD_REASONS);
  expect(Object.fromEntries(told)).toEqual(HELD_REASONS);
});
