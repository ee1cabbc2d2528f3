// The results of the history bench: each task beside its reference, and both beside the smallest rung.

import { alignColumns, median, ratio, round } from '../shared/report.ts';
import type { Figures, Task } from './tasks.ts';

/** A task and its reference, measured once on one rung. */
export interface Measured {
  readonly task: string;
  readonly payments: number;
  readonly ours: Figures;
  readonly reference: Figures;
}

interface Conditions {
  readonly rungs: readonly number[];
  readonly rounds: number;
  /** How many events waited to be numbered. */
  readonly backlog: number;
  readonly environment: Readonly<Record<string, string | number>>;
}

interface Line {
  readonly task: string;
  readonly reference: string;
  readonly payments: number;
  /** Medians of the rounds. */
  readonly ms: number;
  readonly referenceMs: number;
  /** The median of the ratios within each round. */
  readonly toReference: number;
  /** To the smallest rung. */
  readonly growth: number;
  readonly referenceGrowth: number;
  /** Null where another process did the work. */
  readonly peakMb: number | null;
  readonly referencePeakMb: number | null;
}

export interface HistoryReport extends Conditions {
  readonly bench: 'history';
  readonly lines: readonly Line[];
}

/** Builds the report. */
export function summarizeHistory(
  conditions: Conditions,
  tasks: readonly Task[],
  measured: readonly Measured[],
): HistoryReport {
  const lines = tasks.flatMap(({ name, reference }) =>
    conditions.rungs.map((payments): Line => {
      const of = (rung: number) => measured.filter((one) => one.task === name && one.payments === rung);
      const msOf = (rung: number, side: 'ours' | 'reference') => of(rung).map((one) => one[side].ms);
      const peakOf = (side: 'ours' | 'reference') => {
        const peaks = of(payments).flatMap((one) => one[side].peakMb ?? []);
        return peaks.length > 0 ? round(Math.max(...peaks), 1) : null;
      };
      const growthOf = (side: 'ours' | 'reference') =>
        round(median(msOf(payments, side)) / median(msOf(conditions.rungs[0] ?? payments, side)), 2);
      return {
        ...{ task: name, reference, payments },
        ...{ ms: round(median(msOf(payments, 'ours')), 1), referenceMs: round(median(msOf(payments, 'reference')), 1) },
        toReference: round(ratio(msOf(payments, 'ours'), msOf(payments, 'reference')), 3),
        ...{ growth: growthOf('ours'), referenceGrowth: growthOf('reference') },
        ...{ peakMb: peakOf('ours'), referencePeakMb: peakOf('reference') },
      };
    }),
  );
  return { bench: 'history', ...conditions, lines };
}

/** The report as a table for the terminal. */
export function renderHistory({ lines, rounds, backlog, environment }: HistoryReport): string {
  const head = ['task', 'payments', 'ms', '/ first', 'MB', 'reference', 'ms', '/ first', 'MB', 'ours / reference'];
  const cells = lines.map((line) => [
    ...[line.task, line.payments.toLocaleString('en'), line.ms.toFixed(0), line.growth.toFixed(2)],
    ...[line.peakMb?.toFixed(0) ?? '-', line.reference, line.referenceMs.toFixed(0), line.referenceGrowth.toFixed(2)],
    ...[line.referencePeakMb?.toFixed(0) ?? '-', line.toReference.toFixed(3)],
  ]);
  return `
${alignColumns([head, ...cells])}

Medians of ${rounds} round(s); the backlog is ${backlog.toLocaleString('en')} events; MB is the growth of the peak memory of the process that compares; ${Object.entries(
    environment,
  )
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')}.
`;
}
