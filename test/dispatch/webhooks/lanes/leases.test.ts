// A claim ends when all of its deliveries are done, and only once that is known to be recorded.

import { expect, it } from '@jest/globals';
import { createLeases } from '../../../../src/dispatch/webhooks/lanes/leases.ts';

const keys = (lease: string, count: number) => Array.from({ length: count }, () => ({ lane: 'lane', lease }));
const leases = (claims: readonly { readonly lease: string }[]) => claims.map(({ lease }) => lease);

it('the batch with the last of a claim takes it away, no earlier one', () => {
  const open = createLeases();
  open.take(keys('a', 3));
  expect(open.overAfter(keys('a', 2))).toEqual([]);
  open.done(keys('a', 2));
  const over = open.overAfter(keys('a', 1));
  expect(leases(over)).toEqual(['a']);
  open.done(keys('a', 1), over);
  expect(open.overAfter([])).toEqual([]);
});

it('of two batches under way neither takes away what both have a part of; the next one does', () => {
  const open = createLeases();
  open.take([...keys('a', 2), ...keys('b', 2)]);
  expect(open.overAfter(keys('a', 1))).toEqual([]);
  expect(open.overAfter(keys('a', 1))).toEqual([]);
  open.done(keys('a', 1), []);
  open.done(keys('a', 1), []);
  expect(leases(open.overAfter(keys('b', 1)))).toEqual(['a']);
});

it('what was given back counts as done; a claim with something lost is left to its lease', () => {
  const open = createLeases();
  open.take([...keys('a', 2), ...keys('b', 2)]);
  open.done(keys('a', 1));
  open.abandon({ lane: 'lane', lease: 'b' });
  const batch = [...keys('a', 1), ...keys('b', 1)];
  expect(leases(open.overAfter(batch))).toEqual(['a']);
  open.done(batch, keys('a', 1));
  expect(open.overAfter([])).toEqual([]);
});
