// Checks that docs/adapters.md lists the guarantees of the table in guarantees.fixture.ts.

import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { GUARANTEES } from './guarantees.fixture.ts';

it('the table of guarantees in docs/adapters.md is the one that adapters are held to', async () => {
  const text = await readFile('docs/adapters.md', 'utf8');
  const rows = [...text.matchAll(/^\| (.+?) +\|/gm)]
    .map(([, name]) => name)
    .filter((name) => !/^(Guarantee|-+)$/.test(name ?? ''));
  expect(rows).toEqual(GUARANTEES.map(({ name }) => name));
});
