// Holds the checklist to what the doctor checks: each of its checks has one line, and no line names another.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { CHECKS } from '../../src/cli/doctor/checks.ts';
import { ROOT } from '../support/sources.ts';

const text = readFileSync(join(ROOT, 'docs/operations/checklist.md'), 'utf8');
/** The lines, each with what is indented below it. */
const lines = text
  .split(/^- \[ \] /m)
  .slice(1)
  .map((line) => (line.split(/\n\n|\n(?=#)/)[0] ?? '').trim());
/** The check that a line ends with. */
const named = lines.map((line) => /[.)]\s+`([a-z-]+)`$/.exec(line)?.[1]).filter((name) => name !== undefined);

it('the checklist names each check of the doctor once, and no other', () => {
  expect(lines.length).toBeGreaterThan(CHECKS.length);
  expect(named.toSorted()).toEqual(CHECKS.map(({ name }) => name).toSorted());
});
