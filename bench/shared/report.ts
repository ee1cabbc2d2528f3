// The median of each candidate's rounds, and its ratio to the references.

import type { InvoiceRowCounts, RowCounts } from '../create/check-rows.ts';
import { isOfInvoices, type CandidateName } from '../create/candidate.ts';
import type { Sample } from './run-process.ts';

export interface Measured {
  readonly name: CandidateName;
  readonly label: string;
  readonly samples: (Sample & { readonly settledMs: number })[];
}

interface Line {
  readonly name: CandidateName;
  readonly label: string;
  /** Payments, or invoices with a chosen coin, per second: the median of the rounds. */
  readonly rate: number;
  readonly rates: readonly number[];
  /** The median of the ratios within each round; null without that reference. */
  readonly toPgbench: number | null;
  readonly toPg: number | null;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Median share of a core that the measuring process used. */
  readonly ownCpu: number | null;
  /** Median CPU time of the gateway per payment, in microseconds; null without a gateway. */
  readonly gatewayMicros: number | null;
  /** The longest time that background work took after a run's last answer. */
  readonly settledMs: number;
}

export interface Report {
  readonly bench: 'create';
  readonly connections: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly environment: Readonly<Record<string, string | number>>;
  readonly rows: RowCounts;
  readonly invoiceRows: InvoiceRowCounts;
  readonly candidates: readonly Line[];
}

/** Builds the report from the measurements. */
export function summarize({
  measured,
  ...rest
}: Omit<Report, 'bench' | 'candidates'> & { measured: Measured[] }): Report {
  const ratesOf = (name: CandidateName) => measured.find((entry) => entry.name === name)?.samples.map(rateOf) ?? null;
  const candidates = measured.map(({ name, label, samples }): Line => {
    const rates = samples.map(rateOf);
    // An invoice is compared with what writes an invoice.
    const [pgbench, pg] = isOfInvoices(name) ? [ratesOf('invoice-pgbench'), null] : [ratesOf('pgbench'), ratesOf('pg')];
    const cpu = samples.map(({ ownCpu }) => ownCpu).filter((share) => share !== null);
    const micros = samples.map(({ gatewayMicros }) => gatewayMicros).filter((each) => each !== undefined);
    return {
      name,
      label,
      rate: round(median(rates)),
      rates: rates.map((rate) => round(rate)),
      toPgbench: pgbench && round(ratio(rates, pgbench), 3),
      toPg: pg && round(ratio(rates, pg), 3),
      p50Ms: round(median(samples.map(({ p50Ms }) => p50Ms)), 2),
      p99Ms: round(median(samples.map(({ p99Ms }) => p99Ms)), 2),
      ownCpu: cpu.length > 0 ? round(median(cpu), 2) : null,
      gatewayMicros: micros.length > 0 ? round(median(micros)) : null,
      settledMs: round(Math.max(...samples.map(({ settledMs }) => settledMs))),
    };
  });
  return { bench: 'create', ...rest, candidates };
}

const rateOf = ({ count, seconds }: Sample) => count / seconds;

/** The median of the ratios within each round: other load on the machine affects both sides of a round alike. */
export function ratio(rates: readonly number[], reference: readonly number[]): number {
  return median(rates.map((rate, round) => rate / (reference[round] ?? Number.NaN)));
}

/** The middle value, or the mean of the two middle values; NaN if there are none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Rounds to `digits` decimals. */
export function round(value: number, digits = 0): number {
  return Number(value.toFixed(digits));
}

/** Formats rows as the lines of a table: the first column flush left, the others flush right. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const toLine = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return rows.map(toLine).join('\n');
}

/** The report as a table for the terminal. */
export function renderTable(report: Report): string {
  const { environment, rows, invoiceRows, candidates, connections, rounds, seconds } = report;
  const cells = candidates.map((line) => [
    line.label,
    String(line.rate),
    line.toPgbench?.toFixed(2) ?? '-',
    line.toPg?.toFixed(2) ?? '-',
    line.p50Ms.toFixed(1),
    line.p99Ms.toFixed(1),
    line.gatewayMicros?.toFixed(0) ?? '-',
    line.ownCpu?.toFixed(2) ?? '-',
  ]);
  const head = [
    'create payment',
    'per second',
    '/ pgbench',
    '/ bare pg',
    'p50 ms',
    'p99 ms',
    'gateway CPU µs',
    'client cores',
  ];
  const settledMs = Math.max(...candidates.map((line) => line.settledMs));
  return `
${alignColumns([head, ...cells])}

${connections} connections, median of ${rounds} interleaved round(s) of ${seconds} s; ${Object.entries(environment)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')}.
${rows.answers} orders answered, and as many payments, events, event numbers, idempotency keys and API-log rows stored;
${invoiceRows.answers} of them for invoices, and as many invoices, quotes, events of each type and API-log rows of choices stored;
events not yet numbered at a run's last answer were numbered within ${settledMs} ms.
`;
}
