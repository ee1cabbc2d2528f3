// Prints the results of an overload run.

import { goodputOf, mib } from './invariants.ts';
import type { OverloadEvidence } from './run.ts';
import { percentile, type CrowdResult, type Tally } from './tally.ts';

interface Column {
  readonly title: string;
  readonly cell: (tally: Tally, result: CrowdResult) => string | number;
}

const COLUMNS: readonly Column[] = [
  { title: 'done', cell: ({ endings }) => endings.done },
  { title: 'done/s', cell: ({ endings }, { seconds }) => Math.round(endings.done / seconds) },
  { title: '503', cell: ({ endings }) => endings.overloaded },
  { title: '429', cell: ({ endings }) => endings.limited },
  { title: 'cut', cell: ({ endings }) => endings.cut },
  { title: 'odd', cell: ({ endings }) => endings.odd },
  { title: 'p50', cell: ({ doneMs }) => milliseconds(percentile(doneMs, 0.5)) },
  { title: 'p99', cell: ({ doneMs }) => milliseconds(percentile(doneMs, 0.99)) },
  { title: 'slowest', cell: ({ slowestMs }) => milliseconds(slowestMs) },
];

const milliseconds = (ms: number): string => (Number.isFinite(ms) ? `${Math.round(ms)} ms` : '');
const line = (name: string, cells: readonly (string | number)[]): string =>
  name.padEnd(18) + cells.map((cell) => String(cell).padStart(9)).join('');

/** The tables of both phases, and the figures that are in neither. */
export function overloadReport(evidence: OverloadEvidence): string {
  const { saturation, overload, memory, sightings, quiet, webhooks, calmMs, recoveredMs, recoverySeconds } = evidence;
  const tables = Object.entries({ saturation, overload }).flatMap(([name, result]) => [
    '',
    line(
      name,
      COLUMNS.map(({ title }) => title),
    ),
    ...result.tallies.map((tally) =>
      line(
        `  ${tally.kind}`,
        COLUMNS.map(({ cell }) => cell(tally, result)),
      ),
    ),
  ]);
  const [before, during] = [goodputOf(saturation), goodputOf(overload)].map((rate) => Math.round(rate));
  const tries = quiet.orders.map((order) => order.tries);
  const sold = quiet.orders.filter(({ orderId }) => orderId !== null);
  const slowest = Math.max(...quiet.orders.map(({ ms }) => ms));
  return [
    ...tables,
    '',
    `goodput: ${during} a second under overload, ${before} at saturation: ${(goodputOf(overload) / goodputOf(saturation)).toFixed(2)}`,
    `quiet merchant: ${sold.length} of ${quiet.orders.length} orders, ${percentile(tries, 0.5)} tries in the middle, ${Math.max(...tries)} at most, the slowest ${milliseconds(slowest)}; ${webhooks.during} webhooks meanwhile`,
    `health: ${sightings.probes} probes, the slowest ${milliseconds(sightings.slowestMs)}; at most ${sightings.mostUnderWay} calls under way, ${sightings.mostWaiting} waiting`,
    `memory: ${mib(memory.before)} before, ${mib(sightings.mostMemory)} at the highest, ${mib(memory.after)} after`,
    `a look at an order: ${calmMs.toFixed(1)} ms in calm, ${recoveredMs.toFixed(1)} ms ${recoverySeconds?.toFixed(1) ?? '10.0'} s after the load`,
  ].join('\n');
}
