// The files that the documents name in backticks are there. Decisions and the changelog tell of their own time.

import { expect, it } from '@jest/globals';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/sources.ts';

const DOCUMENTS = globSync(['*.md', '{docs,bench,test,deploy}/**/*.md'], { cwd: ROOT }).filter(
  (path) => path !== 'CHANGELOG.md' && !path.startsWith('docs/decisions/') && !path.includes('node_modules'),
);
const NAMED = /`((?:src|web|test|bench|chaos|fuzz|scripts|demo|deploy|docs|mutations)\/[\w./-]*)`/g;
/** Written by a run. */
const isMade = (path: string) => path.startsWith('bench/results/');

it.each(DOCUMENTS)('%s', (path) => {
  const named = [...readFileSync(join(ROOT, path), 'utf8').matchAll(NAMED)].map(([, name = '']) => name);
  expect(named.filter((name) => !isMade(name) && !existsSync(join(ROOT, name)))).toEqual([]);
});

it('at least the architecture names some', () => {
  expect(readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8').match(NAMED)?.length).toBeGreaterThan(20);
});
