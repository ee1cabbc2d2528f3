// Shows timings as a Prometheus histogram. prom-client makes a text of the labels for each value, ten microseconds a
// call; here labels are made at a scrape.

import type { Histogram, Registry } from 'prom-client';
import { TIMING_BOUNDS, type Timings } from '../../values/timings.ts';

type Labels = Readonly<Record<string, string>>;

interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  /** All series at this moment. Label values come from fixed sets. */
  readonly all: () => Iterable<{ readonly labels: Labels; readonly timings: Timings }>;
}

/** Registers a histogram of timings that are counted elsewhere. */
export function watchTimings(registers: readonly Registry[], { name, help, all }: HistogramOptions): void {
  const metric = {
    ...{ name, help, type: 'histogram', aggregator: 'sum' },
    get: () => Promise.resolve({ ...metric, values: [...all()].flatMap((series) => valuesOf(name, series)) }),
  };
  // The interface that a registry needs of a metric.
  for (const registry of registers) registry.registerMetric(metric as unknown as Histogram);
}

/** The values of a Prometheus histogram: each bucket includes those below it. */
function valuesOf(name: string, { labels, timings: { byTime, seconds } }: { labels: Labels; timings: Timings }) {
  let count = 0;
  const buckets = byTime.map((more, place) => {
    count += more;
    return { metricName: `${name}_bucket`, labels: { le: TIMING_BOUNDS[place] ?? '+Inf', ...labels }, value: count };
  });
  const sum = { metricName: `${name}_sum`, labels, value: seconds };
  return [...buckets, sum, { metricName: `${name}_count`, labels, value: count }];
}
