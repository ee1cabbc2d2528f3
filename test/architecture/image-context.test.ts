// The image is built from what .containerignore lets through: all that the build reads has to be there.

import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/sources.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

it('every source of the build is in the context of the image', () => {
  const lists = [...read('scripts/build.js').matchAll(/^const (?:SOURCES|TOOLS|SDK|CLI) = (.+);$/gm)];
  const sources = lists.flatMap(([, list = '']) => [...list.matchAll(/'([^'/]+)[^']*'/g)].map((match) => match[1]));
  expect(sources).toEqual(expect.arrayContaining(['package.json', 'src', 'bench', 'sdk', 'cli']));
  const letThrough = read('.containerignore').split('\n');
  expect(sources.filter((source) => !letThrough.includes(`!${source}`))).toEqual([]);
});
