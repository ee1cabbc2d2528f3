// The results of the dispatch bench, as figures and as a table.

import type { Latency } from './latency.ts';
import { alignColumns, median, round } from '../shared/report.ts';
import type { Sample } from '../shared/run-process.ts';

export interface DispatchMeasured {
  readonly name: string;
  readonly samples: DispatchSample[];
}

/** `serverMicros` is the CPU time that PostgreSQL used per delivery, in microseconds. */
export type DispatchSample = Sample & { readonly serverMicros: number };

interface Line {
  readonly name: string;
  /** Deliveries sent and recorded per second: the median of the rounds. */
  readonly rate: number;
  readonly rates: readonly number[];
  /** The median of the ratios within each round; null without that reference. */
  readonly toUndici: number | null;
  readonly toGraphile: number | null;
  /** Median CPU time per delivery of the candidate's process and of PostgreSQL, in microseconds. */
  readonly ownMicros: number;
  readonly serverMicros: number;
}

interface Facts {
  readonly rounds: number;
  readonly deliveries: number;
  readonly endpoints: number;
  readonly concurrency: number;
  readonly latency: Latency | null;
  readonly environment: Readonly<Record<string, string | number>>;
}

export interface DispatchReport extends Facts {
  readonly bench: 'dispatch';
  readonly candidates: readonly Line[];
}

/** Builds the report from the measurements. */
export function summarizeDispatch({ measured, ...facts }: Facts & { measured: DispatchMeasured[] }): DispatchReport {
  const ratesOf = (name: string) => measured.find((entry) => entry.name === name)?.samples.map(rateOf) ?? null;
  const [undici, graphile] = [ratesOf('undici'), ratesOf('graphile-worker')];
  const candidates = measured.map(({ name, samples }): Line => {
    const rates = samples.map(rateOf);
    return {
      name,
      rate: round(median(rates)),
      rates: rates.map((rate) => round(rate)),
      toUndici: undici && round(ratio(rates, undici), 3),
      toGraphile: graphile && round(ratio(rates, graphile), 3),
      ownMicros: round(median(samples.map(ownMicrosOf))),
      serverMicros: round(median(samples.map(({ serverMicros }) => serverMicros))),
    };
  });
  return { bench: 'dispatch', ...facts, candidates };
}

const ownMicrosOf = ({ ownCpu, seconds, count }: Sample) => ((ownCpu ?? Number.NaN) * seconds * 1e6) / count;

const rateOf = ({ count, seconds }: Sample) => count / seconds;

/** Taken within each round first: other load on the machine affects all candidates of a round alike. */
const ratio = (rates: readonly number[], reference: readonly number[]) =>
  median(rates.map((rate, index) => rate / (reference[index] ?? Number.NaN)));

/** The report as tables for the terminal. */
export function renderDispatch(report: DispatchReport): string {
  const { candidates, latency, rounds, deliveries, endpoints, concurrency, environment } = report;
  const head = ['webhooks', 'per second', '/ undici', '/ graphile-worker', 'own CPU µs', 'PostgreSQL µs'];
  const cells = candidates.map((line) => [
    line.name,
    String(line.rate),
    line.toUndici?.toFixed(2) ?? '-',
    line.toGraphile?.toFixed(2) ?? '-',
    String(line.ownMicros),
    String(line.serverMicros),
  ]);
  const rates = candidates.length > 0 ? `\n${alignColumns([head, ...cells])}\n` : '';
  const facts = Object.entries(environment).map(([name, value]) => `${name} ${value}`);
  return `${rates}
${deliveries} deliveries over ${endpoints} endpoints, ${concurrency} posts in flight, median of ${rounds} interleaved
round(s); all arrived once and were recorded; ${facts.join(', ')}.
${latency ? renderLatency(latency) : ''}`;
}

function renderLatency({ alone, beside, ratioOfMedians, stuck, claimMs }: Latency): string {
  const row = (name: string, { p50Ms, p99Ms }: { p50Ms: number; p99Ms: number }) => [
    name,
    p50Ms.toFixed(1),
    p99Ms.toFixed(1),
  ];
  const table = alignColumns([
    ['from commit to request', 'p50 ms', 'p99 ms'],
    row('an event every 50 ms', alone),
    row(`beside an endpoint that hangs, ${stuck} due`, beside),
  ]);
  return `
${table}

Ratio of the medians ${ratioOfMedians.toFixed(2)}. A claim beside the endpoint that hangs takes ${claimMs.toFixed(2)} ms.
`;
}
