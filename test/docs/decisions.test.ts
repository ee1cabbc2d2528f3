// Checks that the decisions and their index fit together: every file is listed once, has its number, its day and its
// sections.

import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/sources.ts';

const FOLDER = join(ROOT, 'docs/decisions');
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');

const names = readdirSync(FOLDER)
  .filter((name) => name !== 'README.md')
  .sort();
const listed = [...read('README.md').matchAll(/^- \[(\d{4})\]\(([^)]+)\) (.+)$/gm)];

const FORM =
  /^# \d{4}\. .+\n\nDate: \d{4}-\d\d-\d\d( \(first parts: \d{4}-\d\d-\d\d\))?\n(\nStatus: .+\n)?\n## Context\n[^]+\n## Decision\n[^]+\n## Consequences\n[^]+$/;

/** The day of a file's newest part. */
const dayOf = (name: string) => /^Date: (\S+)/m.exec(read(name))?.[1] ?? '';

describe('the decisions', () => {
  it('are each listed in the index once, under their number and title', () => {
    expect(listed.map((match) => match[2]).sort()).toEqual(names);
    for (const [, number, name = '', title] of listed) {
      expect(name.slice(0, 4)).toBe(number);
      expect(read(name).split('\n')[0]).toBe(`# ${number}. ${title}`);
    }
  });

  it('are numbered from 0001 without a gap', () => {
    expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, at) => at + 1));
  });

  it.each(names)('%s has a date, a context, a decision and its consequences', (name) => {
    expect(read(name)).toMatch(FORM);
    expect(new Date(dayOf(name)).toISOString().slice(0, 10)).toBe(dayOf(name));
  });
});
