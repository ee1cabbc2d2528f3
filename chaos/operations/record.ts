// Keeps the results of bad days in a file, and writes the table of the page beside it.

import { readFile, writeFile } from 'node:fs/promises';
import { formatted } from '../../scripts/generate/format.ts';
import { BAD_DAYS } from './days/all.ts';
import { tableOf, withTable, type RecordedDay } from './page.ts';
import type { DayResult } from './rehearse.ts';

/** Results in the order of the days; none if there is no such file. */
export const readRecord = async (path: string): Promise<RecordedDay[]> =>
  JSON.parse((await readIfThere(path)) ?? '[]') as RecordedDay[];

/** Puts a result into the file, in place of an earlier one of the same day, and into the page of the same name. */
export async function recordResult(path: string, result: DayResult): Promise<void> {
  const on = new Date().toISOString().slice(0, 10);
  const all = new Map([...(await readRecord(path)), { ...result, on }].map((one) => [one.name, one]));
  const kept = BAD_DAYS.flatMap(({ name }) => all.get(name) ?? []);
  await writeFile(path, await formatted(path, JSON.stringify(kept)));
  const pagePath = path.replace(/\.json$/, '.md');
  const page = pagePath === path ? null : await readIfThere(pagePath);
  if (page !== null) await writeFile(pagePath, await formatted(pagePath, withTable(page, tableOf(BAD_DAYS, kept))));
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
