// Counts answered calls by route, with their times. prom-client makes a text of the labels for each value, ten
// microseconds a call. Here a call adds to numbers, and labels are made at a scrape.

import { Counter, type Histogram, type Registry } from 'prom-client';

/** Upper bounds of the buckets, in seconds. */
const BOUNDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;

/** The calls of one route and method. */
interface Calls {
  readonly labels: { readonly route: string; readonly method: string };
  readonly byStatus: Map<number, number>;
  /** How many took at most as long as each bound and longer than the one below; the last those above all. */
  readonly byTime: number[];
  seconds: number;
}

/** Counts an answered call. `route` is the pattern, so that the label stays bounded. */
export type CountCall = (route: string, method: string, status: number, seconds: number) => void;

/** Registers both metrics, and returns the function that counts a call. */
export function watchCalls(registers: readonly Registry[]): CountCall {
  const routes = new Map<string, Map<string, Calls>>();
  const all = () => [...routes.values()].flatMap((methods) => [...methods.values()]);
  new Counter({
    name: 'turnpike_http_requests_total',
    help: 'Answered calls',
    labelNames: ['route', 'method', 'status'],
    registers: [...registers],
    collect() {
      this.reset();
      for (const { labels, byStatus } of all())
        for (const [status, count] of byStatus) this.inc({ ...labels, status }, count);
    },
  });
  const times = {
    name: 'turnpike_http_request_seconds',
    help: 'How long calls took',
    type: 'histogram',
    aggregator: 'sum',
    get: () => Promise.resolve({ ...times, values: all().flatMap((calls) => valuesOf(times.name, calls)) }),
  };
  // The interface that a registry needs of a metric.
  for (const registry of registers) registry.registerMetric(times as unknown as Histogram);

  function callsOf(route: string, method: string): Calls {
    const methods = routes.get(route) ?? new Map<string, Calls>();
    routes.set(route, methods);
    const calls = { labels: { route, method }, byStatus: new Map(), byTime: [...BOUNDS.map(() => 0), 0], seconds: 0 };
    methods.set(method, calls);
    return calls;
  }

  return (route, method, status, seconds) => {
    const calls = routes.get(route)?.get(method) ?? callsOf(route, method);
    calls.byStatus.set(status, (calls.byStatus.get(status) ?? 0) + 1);
    let place = 0;
    while (seconds > (BOUNDS[place] ?? Infinity)) place += 1;
    calls.byTime[place] = (calls.byTime[place] ?? 0) + 1;
    calls.seconds += seconds;
  };
}

/** Registers the count of calls without a known merchant, by status, and returns the function that counts one. */
export function watchAnonymous(registers: readonly Registry[]): (status: number, errorCode: string | null) => void {
  const counts = new Map<string, number>();
  new Counter({
    name: 'turnpike_anonymous_calls_total',
    help: 'Answered calls and operations of nobody known, which have no row in the API log',
    labelNames: ['status', 'code'],
    registers: [...registers],
    collect() {
      this.reset();
      for (const [labels, count] of counts) {
        const [status = '', code = ''] = labels.split(' ');
        this.inc({ status, code }, count);
      }
    },
  });
  return (status, errorCode) => {
    const labels = `${status} ${errorCode ?? ''}`;
    counts.set(labels, (counts.get(labels) ?? 0) + 1);
  };
}

/** The values of a Prometheus histogram: each bucket includes those below it. */
function valuesOf(name: string, { labels, byTime, seconds }: Calls) {
  let count = 0;
  const buckets = byTime.map((more, place) => {
    count += more;
    return { metricName: `${name}_bucket`, labels: { le: BOUNDS[place] ?? '+Inf', ...labels }, value: count };
  });
  const sum = { metricName: `${name}_sum`, labels, value: seconds };
  return [...buckets, sum, { metricName: `${name}_count`, labels, value: count }];
}
