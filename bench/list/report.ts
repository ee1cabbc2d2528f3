// The results of the list bench: for each page, the gateway compared with the bare handler, and a million rows compared
// with a thousand.

import { alignColumns, median, ratio, round } from '../shared/report.ts';
import type { Sample } from '../shared/run-process.ts';

/** A candidate on the short or the long list. */
export type Side = `${'rest' | 'graphql' | 'bare'} ${'short' | 'long'}`;

/** A page with the samples of each round. */
export interface PageSamples {
  readonly name: string;
  /** The number of items on the page. */
  items: number;
  readonly samples: Partial<Record<Side, Sample[]>>;
}

interface Conditions {
  readonly machine: string;
  readonly counts: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
}

/** The figures of one candidate: its rate and latencies on the long list, and the ratios that count. */
interface Figures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Our rate divided by the bare handler's, both on the long list. */
  readonly toBare: number;
  /** Our median latency divided by the bare handler's. */
  readonly latencyToBare: number;
  /** The median latency on the long list divided by that on the short one. */
  readonly longToShort: number;
  /**
   * CPU time of the server's process per answer, in microseconds, and its ratio to the bare handler's; NaN if unknown.
   */
  readonly cpuMicros: number;
  readonly cpuToBare: number;
}

export interface ListReport extends Conditions {
  readonly bench: 'list';
  readonly pages: readonly {
    readonly name: string;
    readonly items: number;
    readonly rest: Figures | null;
    readonly graphql: Figures | null;
    readonly bare: Figures;
  }[];
}

/** Builds the report: the medians over the rounds, and the medians of the ratios within each round. */
export function summarizeList(conditions: Conditions, pages: readonly PageSamples[]): ListReport {
  return {
    bench: 'list',
    ...conditions,
    pages: pages.map(({ name, items, samples }) => {
      const figures = (kind: 'rest' | 'graphql' | 'bare'): Figures => {
        const of = (side: Side, value: (sample: Sample) => number) => (samples[side] ?? []).map(value);
        const rate = ({ count, seconds }: Sample) => count / seconds;
        const cpu = ({ gatewayMicros }: Sample) => gatewayMicros ?? Number.NaN;
        const p50 = ({ p50Ms }: Sample) => p50Ms;
        return {
          perSecond: round(median(of(`${kind} long`, rate))),
          p50Ms: round(median(of(`${kind} long`, p50)), 2),
          p99Ms: round(median(of(`${kind} long`, ({ p99Ms }) => p99Ms)), 2),
          toBare: round(ratio(of(`${kind} long`, rate), of('bare long', rate)), 2),
          latencyToBare: round(ratio(of(`${kind} long`, p50), of('bare long', p50)), 2),
          cpuMicros: round(median(of(`${kind} long`, cpu))),
          cpuToBare: round(ratio(of(`${kind} long`, cpu), of('bare long', cpu)), 2),
          longToShort: round(ratio(of(`${kind} long`, p50), of(`${kind} short`, p50)), 2),
        };
      };
      return {
        ...{ name, items, bare: figures('bare') },
        rest: samples['rest long'] ? figures('rest') : null,
        graphql: samples['graphql long'] ? figures('graphql') : null,
      };
    }),
  };
}

/** The report as a table for the terminal. */
export function renderList({ pages, machine, counts, rounds, seconds, connections }: ListReport): string {
  const head = [
    ...['page', 'items', 'bare /s', 'long / short', 'CPU µs', 'REST /s', '/ bare', 'p50 ms', '/ bare', 'p99 ms'],
    ...['long / short', 'CPU / bare', 'GraphQL /s', '/ bare', 'p50 ms', 'long / short', 'CPU / bare'],
  ];
  const lines = pages.map(({ name, items, rest, graphql, bare }) => [
    ...[name, String(items), String(bare.perSecond), bare.longToShort.toFixed(2), String(bare.cpuMicros)],
    ...(rest
      ? [
          ...[String(rest.perSecond), rest.toBare.toFixed(2), rest.p50Ms.toFixed(1), rest.latencyToBare.toFixed(2)],
          ...[rest.p99Ms.toFixed(1), rest.longToShort.toFixed(2), rest.cpuToBare.toFixed(2)],
        ]
      : ['-', '-', '-', '-', '-', '-', '-']),
    ...(graphql
      ? [
          ...[String(graphql.perSecond), graphql.toBare.toFixed(2), graphql.p50Ms.toFixed(1)],
          ...[graphql.longToShort.toFixed(2), graphql.cpuToBare.toFixed(2)],
        ]
      : ['-', '-', '-', '-', '-']),
  ]);
  return `
${alignColumns([head, ...lines])}

${connections} connections, medians of ${rounds} interleaved round(s) of ${seconds} s; short is ${counts[0] ?? 0} rows of the
merchant, long ${counts[1] ?? 0}; rates and latencies are those of the long list; ${machine}.
`;
}
