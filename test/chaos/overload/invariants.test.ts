// Tests the rules that judge overload runs: each finds a fault that is planted in the evidence of a correct run.

import { describe, expect, it } from '@jest/globals';
import { judge } from '../../../chaos/overload/baseline.ts';
import { OVERLOAD_INVARIANTS } from '../../../chaos/overload/invariants.ts';
import type { OverloadEvidence } from '../../../chaos/overload/run.ts';
import type { CrowdResult, Ending, Tally } from '../../../chaos/overload/tally.ts';

const CALLS = ['orders, REST', 'orders, GraphQL', 'queries, GraphQL', 'lists, REST'];
const MiB = 2 ** 20;

function tally(kind: string, endings: Partial<Record<Ending, number>>): Tally {
  const none = { done: 0, limited: 0, overloaded: 0, cut: 0, odd: 0 };
  const doneInSecondHalf = (endings.done ?? 0) / 2;
  return { kind, endings: { ...none, ...endings }, slowestMs: 900, doneMs: [10], doneInSecondHalf };
}

function crowd(more: Partial<CrowdResult>): CrowdResult {
  return { seconds: 10, tallies: [], asked: [], created: [], oddities: [], ...more };
}

function rightRun(): OverloadEvidence {
  const live = ['queries, sockets', 'sockets', 'streams'].map((kind) => tally(kind, { done: 5 }));
  const slow = ['slow senders', 'slow readers'].map((kind) => tally(kind, { cut: 5 }));
  const refused = CALLS.map((kind) => tally(kind, { done: 900, overloaded: 4_000 }));
  return {
    saturation: crowd({
      tallies: CALLS.map((kind) => tally(kind, { done: 1_000 })),
      created: [{ reference: 'full-1', orderId: 'ord_1' }],
    }),
    overload: crowd({
      tallies: [...refused, ...live, ...slow, tally('token exchanges', { done: 60, limited: 40 })],
      created: [{ reference: 'over-1', orderId: 'ord_2' }],
    }),
    sightings: { probes: 90, unwell: [], slowestMs: 80, mostMemory: 400 * MiB, mostWaiting: 990, mostUnderWay: 96 },
    memory: { before: 300 * MiB, after: 350 * MiB },
    ...{ calmMs: 3, recoveredMs: 4, recoverySeconds: 0.1 },
    quiet: {
      orders: [{ reference: 'quiet-1', at: 0, orderId: 'ord_3', tries: 2, ms: 1_020, paid: true }],
      oddities: [],
    },
    webhooks: { during: 4, missing: [] },
    stored: new Map([
      ['full-1', ['ord_1']],
      ['over-1', ['ord_2']],
      ['quiet-1', ['ord_3']],
    ]),
    ledgerFault: null,
  };
}

const breachesOf = (evidence: OverloadEvidence) =>
  OVERLOAD_INVARIANTS.map(({ breach }) => breach(evidence)).filter((found) => found !== null);

const withTally = (evidence: OverloadEvidence, kind: string, change: Partial<Tally>): OverloadEvidence => {
  const tallies = evidence.overload.tallies.map((one) => (one.kind === kind ? { ...one, ...change } : one));
  return { ...evidence, overload: { ...evidence.overload, tallies } };
};

type Plant = (right: OverloadEvidence) => OverloadEvidence;

const FAULTS: readonly (readonly [string, Plant, RegExp])[] = [
  ['a 500', (run) => ({ ...run, overload: { ...run.overload, oddities: ['lists, REST: 500'] } }), /500/],
  ['a quiet order cut off', (run) => ({ ...run, quiet: { ...run.quiet, oddities: ['cut'] } }), /cut/],
  ['an answer after eleven seconds', (run) => withTally(run, 'lists, REST', { slowestMs: 11_000 }), /11000 ms/],
  ['no overload', (run) => withTally(run, 'lists, REST', tally('lists, REST', { done: 900 })), /no lists, REST/],
  ['no rate limit', (run) => withTally(run, 'token exchanges', tally('', { done: 90 })), /no token exchanges/],
  [
    'a collapse',
    (run) => CALLS.reduce((sum, kind) => withTally(sum, kind, tally(kind, { done: 9, overloaded: 9 })), run),
    /0\.01 of the goodput/,
  ],
  ['health that fails', (run) => ({ ...run, sightings: { ...run.sightings, unwell: ['/readyz: 503'] } }), /readyz/],
  ['slow health', (run) => ({ ...run, sightings: { ...run.sightings, slowestMs: 6_000 } }), /6000 ms/],
  ['a leak', (run) => ({ ...run, memory: { ...run.memory, after: 900 * MiB } }), /900 MiB after/],
  ['a peak', (run) => ({ ...run, sightings: { ...run.sightings, mostMemory: 2_000 * MiB } }), /2000 MiB at the/],
  ['a queue without end', (run) => ({ ...run, sightings: { ...run.sightings, mostWaiting: 1_001 } }), /1001 calls/],
  [
    'a neglected merchant',
    (run) => ({ ...run, quiet: { ...run.quiet, orders: run.quiet.orders.map((one) => ({ ...one, orderId: null })) } }),
    /refused 2 times/,
  ],
  ['no webhooks', (run) => ({ ...run, webhooks: { during: 0, missing: [] } }), /none went out/],
  ['a lost webhook', (run) => ({ ...run, webhooks: { during: 1, missing: ['quiet-1'] } }), /quiet-1/],
  ['no recovery', (run) => ({ ...run, recoveredMs: 300, recoverySeconds: null }), /300\.0 ms/],
  ['a lost order', (run) => ({ ...run, stored: new Map([...run.stored, ['over-1', []]]) }), /ord_2 was answered/],
  ['an order made twice', (run) => ({ ...run, stored: new Map([...run.stored, ['x', ['a', 'b']]]) }), /a and b/],
  ['a wrong book', (run) => ({ ...run, ledgerFault: 'the sum is not zero' }), /not zero/],
];

describe('the rules of an overload', () => {
  it('hold for a run that was right', () => {
    expect(breachesOf(rightRun())).toEqual([]);
  });

  it.each(FAULTS)('find %s', (_name, plant, words) => {
    expect(breachesOf(plant(rightRun()))).toEqual([expect.stringMatching(words)]);
  });
});

describe('an answer', () => {
  const error = (code: string) => JSON.stringify({ success: false, error: { code } });
  it.each([
    [201, null, '{"success":true}', 'done'],
    [503, '1', error('9503'), 'overloaded'],
    [503, null, error('9503'), 'odd'],
    [503, '1', error('3007'), 'odd'],
    [429, '3', error('9001'), 'limited'],
    [500, null, error('9500'), 'odd'],
    [200, '1', '{"errors":[{"extensions":{"errorCode":"9503"}}]}', 'overloaded'],
    [200, null, '{"errors":[{"extensions":{"errorCode":"9500"}}]}', 'odd'],
    [400, null, error('2001'), 'odd'],
  ] as const)('of %d with Retry-After %s and %s is %s', (status, retryAfter, body, ending) => {
    expect(judge({ status, retryAfter, body })).toBe(ending);
  });
});
