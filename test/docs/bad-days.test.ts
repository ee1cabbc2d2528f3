// The page of bad days: its table is what was seen, of every day that is rehearsed, and its links lead somewhere.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { BAD_DAYS } from '../../chaos/operations/days/all.ts';
import { tableIn, tableOf, type RecordedDay } from '../../chaos/operations/page.ts';
import { ROOT } from '../support/sources.ts';

const FOLDER = join(ROOT, 'docs/operations');
const page = readFileSync(join(FOLDER, 'bad-days.md'), 'utf8');
const results = JSON.parse(readFileSync(join(FOLDER, 'bad-days.json'), 'utf8')) as RecordedDay[];

/** Cells without the padding that makes columns even. */
const cellsOf = (table: string) =>
  table.split('\n').map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replace(/^-+$/, '---')));

describe('the table of bad days', () => {
  it('has a result of every day that is rehearsed, and of no other', () => {
    expect(results.map(({ name }) => name)).toEqual(BAD_DAYS.map(({ name }) => name));
    expect(new Set(results.map(({ name }) => name)).size).toBe(results.length);
  });

  it('is what the results say', () => {
    expect(cellsOf(tableIn(page))).toEqual(cellsOf(tableOf(BAD_DAYS, results)));
  });

  it('names alerts that have pages', () => {
    const named = BAD_DAYS.flatMap(({ alerts }) => alerts);
    expect(named.length).toBeGreaterThan(BAD_DAYS.length / 2);
    for (const name of named) expect([name, existsSync(join(FOLDER, 'alerts', `${name}.md`))]).toEqual([name, true]);
  });
});

it('the tests and tools that the page names are there', () => {
  const named = [...page.matchAll(/`((?:test|chaos|bench)\/[\w./-]+)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(10);
  for (const path of named) expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
});
