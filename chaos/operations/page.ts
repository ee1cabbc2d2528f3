// The table of bad days for operators, made from the results that are kept.

import type { BadDay } from './bad-day.ts';
import type { DayResult } from './rehearse.ts';

/** A result, and the day on which it was seen. */
export interface RecordedDay extends DayResult {
  /** As `2026-11-27`. */
  readonly on: string;
}

const BEGIN =
  '<!-- The table is written by `npm run chaos -- operations --record docs/operations/bad-days.json`. -->\n\n';
const END = '\n\n<!-- End of the table. -->';

interface Column {
  readonly title: string;
  readonly cell: (day: BadDay, result: RecordedDay) => string;
}

const seconds = (value: number): string => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} s`;
const answers = ({ seen: { counts } }: RecordedDay): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ');

const COLUMNS: readonly Column[] = [
  { title: 'Bad day', cell: ({ title, name }) => `${title} (\`${name}\`)` },
  { title: 'For', cell: (_day, { faultSeconds }) => seconds(faultSeconds) },
  { title: 'What callers saw', cell: (_day, result) => answers(result) },
  {
    title: 'Slowest answer',
    cell: (_day, { seen: { slowestMs, givenUpMs } }) => seconds(Math.max(slowestMs, givenUpMs) / 1_000),
  },
  // Where anything is, there is no result.
  { title: 'Acknowledged, and lost', cell: () => 'nothing' },
  { title: 'Right again after', cell: (_day, { rightSeconds }) => seconds(rightSeconds) },
  { title: 'Before the fault', cell: (_day, { calmSeconds }) => seconds(calmSeconds) },
  { title: 'What to do', cell: ({ remedy }) => remedy },
  { title: 'Alerts', cell: ({ alerts }) => alerts.map((name) => `[${name}](alerts/${name}.md)`).join(', ') },
  { title: 'Besides', cell: (_day, { notes }) => notes.join('; ') },
];

/** The table in Markdown, without padding; a day without a result is left out. */
export function tableOf(days: readonly BadDay[], results: readonly RecordedDay[]): string {
  const rows = days.flatMap((day) => {
    const result = results.find(({ name }) => name === day.name);
    return result ? [COLUMNS.map(({ cell }) => cell(day, result).replaceAll('|', '\\|'))] : [];
  });
  const lines = [COLUMNS.map(({ title }) => title), COLUMNS.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The part of a page between the marks. Throws if it has none. */
export function tableIn(page: string): string {
  const [from, to] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (from < 0 || to < 0) throw new Error('The page has no marks of where its table is');
  return page.slice(from + BEGIN.length, to);
}

/** The page with another table. */
export const withTable = (page: string, table: string): string => page.replace(tableIn(page), () => table);
