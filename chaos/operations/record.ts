// Keeps the results of bad days in a file, which the page for operators is made from.

import { readFile, writeFile } from 'node:fs/promises';
import { BAD_DAYS } from './days/all.ts';
import type { DayResult } from './rehearse.ts';

/** A result, and the day on which it was seen. */
export interface RecordedDay extends DayResult {
  /** As `2026-11-27`. */
  readonly on: string;
}

/** Results in the order of the days. Throws if there is no such file. */
export async function readRecord(path: string): Promise<RecordedDay[]> {
  return JSON.parse(await readFile(path, 'utf8')) as RecordedDay[];
}

/** Puts a result into the file, in place of an earlier one of the same day. */
export async function recordResult(path: string, result: DayResult): Promise<void> {
  const before = await readRecord(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const on = new Date().toISOString().slice(0, 10);
  const all = new Map([...before, { ...result, on }].map((one) => [one.name, one]));
  const kept = BAD_DAYS.flatMap(({ name }) => all.get(name) ?? []);
  await writeFile(path, `${JSON.stringify(kept, null, 2)}\n`);
}
