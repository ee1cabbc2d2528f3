// The results of the settle bench: the median of each candidate's rounds, and its ratio to pgbench.

import { alignColumns, median, ratio, round } from '../shared/report.ts';
import type { SettledRun } from './environment.ts';

export interface SettleRun extends SettledRun {
  readonly round: number;
  readonly name: string;
}

interface Line {
  readonly name: string;
  /** Deposits per second: the median of the rounds. */
  readonly rate: number;
  readonly rates: readonly number[];
  /** The median of the ratios within each round; null without pgbench. */
  readonly toPgbench: number | null;
  /** Median CPU time per deposit of the process that applies blocks, in microseconds; null for pgbench. */
  readonly ownMicros: number | null;
}

export interface SettleReport {
  readonly bench: 'settle';
  readonly rounds: number;
  /** pgbench's connections. */
  readonly connections: number;
  readonly environment: Readonly<Record<string, string | number>>;
  /** The number of settled deposits found in each database. */
  readonly settled: { readonly ours: number; readonly reference: number };
  readonly candidates: readonly Line[];
}

/** Builds the report from the runs. */
export function summarizeSettle({
  runs,
  ...rest
}: Omit<SettleReport, 'bench' | 'candidates'> & { runs: readonly SettleRun[] }): SettleReport {
  const byName = Map.groupBy(runs, ({ name }) => name);
  const pgbench = byName.get('pgbench')?.map(rateOf) ?? null;
  const candidates = [...byName].map(([name, own]): Line => {
    const rates = own.map(rateOf);
    const micros = own.map(({ ownMicros }) => ownMicros).filter((each) => each !== undefined);
    return {
      name,
      rate: round(median(rates)),
      rates: rates.map((rate) => round(rate)),
      toPgbench: pgbench && round(ratio(rates, pgbench), 2),
      ownMicros: micros.length > 0 ? round(median(micros)) : null,
    };
  });
  return { bench: 'settle', ...rest, candidates };
}

const rateOf = ({ deposits, seconds }: SettledRun) => deposits / seconds;

/** The report as a table for the terminal. */
export function renderSettle({ candidates, rounds, connections, environment, settled }: SettleReport): string {
  const cells = candidates.map(({ name, rate, toPgbench, ownMicros }) => [
    name,
    String(rate),
    toPgbench?.toFixed(2) ?? '-',
    ownMicros?.toString() ?? '-',
  ]);
  return `
${alignColumns([['settle deposits', 'per second', '/ pgbench', 'own CPU µs'], ...cells])}

Median of ${rounds} interleaved round(s), pgbench over ${connections} connections; ${Object.entries(environment)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')}.
${settled.ours} deposits of ours and ${settled.reference} of pgbench are settled with all rows, and both ledgers verify.
`;
}
