// The help of the program and of each command.

import { GLOBAL_OPTIONS, type Command, type Option } from './command.ts';

const rowsOf = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
};

const optionRow = ([name, { value, help }]: [string, Option]): readonly [string, string] => [
  value === undefined ? `--${name}` : `--${name} ${value}`,
  help,
];

/** What the program says of itself. */
export const generalHelp = (commands: readonly Command[]): string => `turnpike: a Turnpike gateway from the command line

Usage: turnpike COMMAND [OPTIONS]

${rowsOf(commands.map(({ name, operands, summary }) => [operands ? `${name} ${operands}` : name, summary]))}

${rowsOf(Object.entries(GLOBAL_OPTIONS).map(optionRow))}

Keys are taken from TURNPIKE_API_KEY and TURNPIKE_API_SECRET (with TURNPIKE_BASE_URL), or from what login kept.
Exit codes: 0 done, 1 a fault of this program, 2 wrong usage, 3 not signed in or not allowed, 4 refused by the gateway,
5 the gateway cannot be reached, 6 another outcome than the one waited for, 7 out of time, 8 not safe.`;

/** What a command says of itself. */
export const helpOf = ({ name, operands, summary, details, options }: Command): string =>
  [
    `turnpike ${name}: ${summary}`,
    `Usage: turnpike ${[name, operands].filter(Boolean).join(' ')} [OPTIONS]`,
    rowsOf(Object.entries({ ...options, ...GLOBAL_OPTIONS }).map(optionRow)),
    ...(details === undefined ? [] : [details]),
  ].join('\n\n');
