// Invariants of an overload run: each rule in words, and its first violation, or null if it holds.

import { first } from '../invariants/invariant.ts';
import { ANSWER_WITHIN_MS } from './flood.ts';
import type { OverloadEvidence } from './run.ts';
import type { CrowdResult } from './tally.ts';

interface OverloadRule {
  readonly words: string;
  readonly breach: (evidence: OverloadEvidence) => string | null;
}

/** The limits of the admission queue, including calls that it does not count. */
const MOST_WAITING = 1_000;
const MOST_UNDER_WAY = 96;
/**
 * The least share of the goodput that the same gateway had at saturation in the same run; refusing the excess calls
 * costs the rest.
 */
const LEAST_GOODPUT = 0.2;
const PROBE_WITHIN_MS = 5_000;
const MiB = 2 ** 20;

export const OVERLOAD_INVARIANTS: readonly OverloadRule[] = [
  { words: 'every answer is 2xx, or 429 or 503 with Retry-After; no call is cut off without one', breach: findOddity },
  { words: `no client waits longer than ${ANSWER_WITHIN_MS / 1_000} s for an answer`, breach: findSlow },
  { words: 'every kind of load exceeded what the gateway can do', breach: findIdle },
  { words: 'goodput stays at the level of saturation, less the cost of the refusals', breach: findCollapse },
  { words: 'health, readiness and metrics are answered throughout', breach: findUnwell },
  { words: 'memory is bounded, and so is the queue', breach: findGrowth },
  { words: 'a quiet merchant who retries when told to keeps selling', breach: findNeglect },
  { words: 'their webhooks are sent during the load, and none is missing at the end', breach: findSilence },
  { words: 'once the load is over, calls take as long as before', breach: findAftermath },
  { words: 'every order that was answered is stored, and none twice', breach: findLost },
  { words: 'the ledger is right, by npm run ledger:verify', breach: ({ ledgerFault }) => ledgerFault },
];

function findOddity({ saturation, overload, quiet }: OverloadEvidence): string | null {
  return [...saturation.oddities, ...overload.oddities, ...quiet.oddities][0] ?? null;
}

/** Slow clients are left out: they are as slow as they like. */
function findSlow({ saturation, overload }: OverloadEvidence): string | null {
  const calls = [...saturation.tallies, ...overload.tallies].filter(({ kind }) => !/^slow|^sockets$/.test(kind));
  return first(calls, ({ kind, slowestMs }) =>
    slowestMs > ANSWER_WITHIN_MS ? `${kind}: ${Math.round(slowestMs)} ms for an answer` : null,
  );
}

const EXPECTED = {
  done: [
    'orders, REST',
    'orders, GraphQL',
    'queries, GraphQL',
    'lists, REST',
    'queries, sockets',
    'sockets',
    'streams',
  ],
  overloaded: ['orders, REST', 'orders, GraphQL', 'queries, GraphQL', 'lists, REST'],
  limited: ['token exchanges'],
  cut: ['slow senders', 'slow readers'],
} as const;

/** A harness that does not overload the gateway would find nothing. */
function findIdle({ overload: { tallies } }: OverloadEvidence): string | null {
  return first(Object.entries(EXPECTED), ([ending, kinds]) =>
    first(kinds, (kind) => {
      const found = tallies.find((tally) => tally.kind === kind)?.endings[ending as keyof typeof EXPECTED] ?? 0;
      return found > 0 ? null : `no ${kind} ended as ${ending}`;
    }),
  );
}

/** Calls done per second in the second half, of the kinds that both phases have. */
export function goodputOf({ tallies, seconds }: CrowdResult): number {
  const calls = tallies.filter(({ kind }) => EXPECTED.overloaded.some((one) => one === kind));
  return (2 * calls.reduce((sum, { doneInSecondHalf }) => sum + doneInSecondHalf, 0)) / seconds;
}

function findCollapse({ saturation, overload }: OverloadEvidence): string | null {
  const ratio = goodputOf(overload) / goodputOf(saturation);
  return ratio >= LEAST_GOODPUT
    ? null
    : `${ratio.toFixed(2)} of the goodput at saturation; ${LEAST_GOODPUT} is the least`;
}

function findUnwell({ sightings: { unwell, slowestMs, probes } }: OverloadEvidence): string | null {
  if (probes === 0) return 'there were no probes';
  if (unwell[0] !== undefined) return unwell[0];
  return slowestMs > PROBE_WITHIN_MS ? `the slowest took ${Math.round(slowestMs)} ms` : null;
}

function findGrowth({ memory, sightings }: OverloadEvidence): string | null {
  const [most, after] = [2 * memory.before + 200 * MiB, 1.5 * memory.before + 100 * MiB];
  if (sightings.mostMemory > most) return `${mib(sightings.mostMemory)} at the highest, ${mib(memory.before)} before`;
  if (memory.after > after) return `${mib(memory.after)} after it, ${mib(memory.before)} before`;
  if (sightings.mostWaiting > MOST_WAITING) return `${sightings.mostWaiting} calls waited`;
  return sightings.mostUnderWay > MOST_UNDER_WAY ? `${sightings.mostUnderWay} calls were under way` : null;
}

export const mib = (bytes: number): string => `${Math.round(bytes / MiB)} MiB`;

function findNeglect({ quiet: { orders } }: OverloadEvidence): string | null {
  if (orders.length === 0) return 'they sold nothing';
  return first(orders, ({ orderId, reference, tries, ms }) =>
    orderId === null ? `order ${reference} was refused ${tries} times in ${Math.round(ms / 1_000)} s` : null,
  );
}

function findSilence({ webhooks: { during, missing } }: OverloadEvidence): string | null {
  if (during === 0) return 'none went out while the load lasted';
  return missing.length > 0 ? `of the paid order ${missing[0]} nothing was told` : null;
}

function findAftermath({ recoverySeconds, recoveredMs, calmMs }: OverloadEvidence): string | null {
  if (recoverySeconds !== null) return null;
  return `a look takes ${recoveredMs.toFixed(1)} ms, and took ${calmMs.toFixed(1)} ms in calm`;
}

function findLost({ saturation, overload, quiet, stored }: OverloadEvidence): string | null {
  const sold = quiet.orders.flatMap(({ reference, orderId }) => (orderId === null ? [] : [{ reference, orderId }]));
  const lost = first([...saturation.created, ...overload.created, ...sold], ({ reference, orderId }) =>
    stored.get(reference)?.includes(orderId) ? null : `order ${orderId} was answered with 201 and is gone`,
  );
  return (
    lost ?? first(stored, ([reference, ids]) => (ids.length > 1 ? `${reference} made ${ids.join(' and ')}` : null))
  );
}
