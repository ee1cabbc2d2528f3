// Prints a report as a table, with what to do below each line that is not right.

import { VERSION } from '../../database/program.ts';
import type { Report, Row } from './examine.ts';
import type { State } from './finding.ts';

const STATES: Readonly<Record<State, string>> = { ok: 'ok', warning: 'WARNING', fault: 'FAULT' };
const STATE_WIDTH = Math.max(...Object.values(STATES).map(({ length }) => length));

export function linesOf({ environment, roles, at, rows, notMade, faults, warnings }: Report): string[] {
  const width = Math.max(...rows.map(({ check }) => check.length));
  const lineOf = ({ check, state, found }: Row) =>
    `${check.padEnd(width)}  ${STATES[state].padEnd(STATE_WIDTH)}  ${found}`;
  const remedyOf = ({ remedy }: Row) => (remedy === null ? [] : [`${' '.repeat(width + STATE_WIDTH + 4)}→ ${remedy}`]);
  const what = environment === null ? '' : ` ${environment}: ${roles.join(', ')}`;
  const missing = notMade.length === 0 ? [] : [`Not checked, because of the faults above: ${notMade.join(', ')}`];
  return [
    `Turnpike ${VERSION}${what}; ${at.toISOString()}`,
    '',
    ...rows.flatMap((row) => [lineOf(row), ...remedyOf(row)]),
    '',
    ...missing,
    `${count(faults, 'fault')}, ${count(warnings, 'warning')}, ${String(rows.length - faults - warnings)} ok`,
  ];
}

const count = (number: number, what: string): string => `${String(number)} ${what}${number === 1 ? '' : 's'}`;
