// The results of the live bench, as data and as text.

import type { ServerKind } from './server.ts';

/** The memory that an idle subscribed socket costs its server's process, in KiB. */
export interface Cost {
  readonly kind: ServerKind;
  readonly sockets: number;
  /** Resident memory per socket. */
  readonly rssKib: number;
  /** Heap and external memory per socket. */
  readonly heapKib: number;
}

/** How quickly changes arrive: latencies run from the commit of a change to its arrival at the socket. */
export interface Pace {
  readonly sockets: number;
  /** The gateway's CPU time per change, in microseconds. */
  readonly cpuMicros: number;
  readonly changes: number;
  readonly perSecond: number;
  readonly lost: number;
  readonly repeated: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface LiveReport {
  readonly bench: 'live';
  readonly seconds: number;
  readonly rate: number;
  readonly node: string;
  readonly costs: readonly Cost[];
  readonly paces: readonly Pace[];
}

const NAMES: Readonly<Record<ServerKind, string>> = {
  gateway: 'Turnpike, paymentUpdated(id)',
  'graphql-ws': 'bare graphql-ws, a static subscription',
  ws: 'bare ws, echo',
};

/** The report as two tables. */
export function renderLive({ costs, paces }: LiveReport): string {
  return [
    table([
      ['Server', 'Sockets', 'RSS each', 'Heap each'],
      ...costs.map((cost) => [
        NAMES[cost.kind],
        cost.sockets.toLocaleString('en'),
        `${cost.rssKib.toFixed(1)} KiB`,
        `${cost.heapKib.toFixed(1)} KiB`,
      ]),
    ]),
    table([
      ['Sockets', 'Changes', 'a second', 'Lost', 'Twice', 'p50', 'p99', 'Longest', 'CPU each'],
      ...paces.map((pace) => [
        pace.sockets.toLocaleString('en'),
        pace.changes.toLocaleString('en'),
        pace.perSecond.toFixed(0),
        String(pace.lost),
        String(pace.repeated),
        ...[pace.p50Ms, pace.p99Ms, pace.maxMs].map((ms) => `${ms.toFixed(1)} ms`),
        `${pace.cpuMicros.toFixed(0)} µs`,
      ]),
    ]),
  ].join('\n');
}

function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |\n`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('');
}
