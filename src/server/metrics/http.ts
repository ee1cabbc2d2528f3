// Counts answered calls by route, with their times.

import { Counter, type Registry } from 'prom-client';
import { createTimings, type Timings } from '../../values/timings.ts';
import { watchTimings } from './timings.ts';

/** The calls of one route and method. */
interface Calls {
  readonly labels: { readonly route: string; readonly method: string };
  readonly byStatus: Map<number, number>;
  readonly timings: Timings;
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
  watchTimings(registers, { name: 'turnpike_http_request_seconds', help: 'How long calls took', all });

  function callsOf(route: string, method: string): Calls {
    const methods = routes.get(route) ?? new Map<string, Calls>();
    routes.set(route, methods);
    const calls = { labels: { route, method }, byStatus: new Map(), timings: createTimings() };
    methods.set(method, calls);
    return calls;
  }

  return (route, method, status, seconds) => {
    const calls = routes.get(route)?.get(method) ?? callsOf(route, method);
    calls.byStatus.set(status, (calls.byStatus.get(status) ?? 0) + 1);
    calls.timings.add(seconds);
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
