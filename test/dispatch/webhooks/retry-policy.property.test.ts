// The retry policy against a model written from the contract's text alone (section 7), over random sequences of
// attempts: answers, Retry-After headers, jitter, and attempts that start after the clock has stepped.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  DEFAULT_RETRY_DELAYS_SECONDS,
  decideRetry,
  type AttemptOutcome,
} from '../../../src/dispatch/webhooks/retry-policy.ts';

/** `PROPERTY_RUNS` sets a larger number of runs; each has ten deliveries. */
const numRuns = 10 * Number(process.env['PROPERTY_RUNS'] ?? (process.env['CI'] ? 10_000 : 1_000));
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BEGIN = Date.parse('2026-03-01T00:00:00.000Z');

/** "1 m, 5 m, 15 m, 1 h, 3 h, 6 h, 12 h, 24 h, 24 h". */
const DELAYS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR, 24 * HOUR];

interface RetryAfter {
  readonly text: string;
  /** The delay it asks for, in milliseconds after the answer; null if it is not a valid header. */
  readonly asksMs: (answeredAt: number) => number | null;
}

interface Step {
  readonly answer: 'time-out' | { readonly status: number; readonly retryAfter: RetryAfter | null };
  readonly random: number;
  /** How long the attempt took. */
  readonly tookMs: number;
  /** By how much the next attempt misses its time: late after an outage, or early after a step of the clock. */
  readonly offByMs: number;
}

type Expected = 'success' | 'disable' | 'give-up' | number;

/**
 * What follows attempt `number` (from 1), which ended at `endedAt`, by the contract; a number is the time of the retry.
 */
function model({ answer, random }: Step, number: number, firstAt: number, endedAt: number): Expected {
  const status = answer === 'time-out' ? null : answer.status;
  if (status !== null && status >= 200 && status <= 299) return 'success';
  if (status === 410) return 'disable';
  const followsSchedule = status === null || [408, 425, 429].includes(status) || (status >= 500 && status <= 599);
  const delay = DELAYS[number - 1];
  const end = firstAt + 72 * HOUR;
  if (delay === undefined || (!followsSchedule && number > 3) || endedAt >= end) return 'give-up';
  // ±20 % uniformly.
  let at = endedAt + Math.round(delay * 0.8 + delay * 0.4 * random);
  if (answer !== 'time-out' && (status === 429 || status === 503)) {
    const asked = answer.retryAfter?.asksMs(endedAt) ?? null;
    if (asked !== null && endedAt + asked > at) at = endedAt + asked;
  }
  return at > end ? end : at;
}

const seconds = fc.oneof(fc.nat(600), fc.nat(90 * 3_600), fc.constantFrom(0, 30 * 86_400, 10 ** 12));
const httpDate = fc.integer({ min: -100, max: 100 * 3_600 }).map((after): RetryAfter => {
  const date = BEGIN + after * 1_000;
  return { text: new Date(date).toUTCString(), asksMs: (answeredAt) => date - answeredAt };
});
const rubbish = fc.constantFrom(
  '',
  'soon',
  '-5',
  '1.5',
  '0x10',
  '1e3',
  '2026-03-02',
  'Tue',
  '٣٠',
  '30;q=1',
  'Infinity',
);
const retryAfter: fc.Arbitrary<RetryAfter> = fc.oneof(
  seconds.map((value) => ({ text: String(value), asksMs: () => value * 1_000 })),
  httpDate,
  rubbish.map((text) => ({ text, asksMs: () => null })),
);
const status = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(500, 502, 503, 504, 429, 408, 425) },
  { weight: 2, arbitrary: fc.constantFrom(301, 304, 400, 401, 404, 422) },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 699 }) },
);
const step: fc.Arbitrary<Step> = fc.record({
  answer: fc.oneof(
    fc.constant('time-out' as const),
    fc.record({ status, retryAfter: fc.option(retryAfter) }).map((answer) => answer),
  ),
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  tookMs: fc.nat(5_000),
  offByMs: fc.oneof(fc.constant(0), fc.nat(2_000), fc.integer({ min: -HOUR, max: HOUR })),
});

function outcomeOf({ answer }: Step): AttemptOutcome {
  if (answer === 'time-out') return { kind: 'failure' };
  const headers = answer.retryAfter === null ? {} : { retryAfter: answer.retryAfter.text };
  return { kind: 'response', status: answer.status, headers };
}

/** Runs a delivery through policy and model; fails at the first difference. Returns how many attempts were made. */
function live(steps: readonly Step[]): number {
  let startedAt = BEGIN;
  for (const [index, each] of steps.entries()) {
    const number = index + 1;
    const endedAt = startedAt + each.tookMs;
    const ended = new Date(endedAt);
    const verdict = decideRetry({
      delaysSeconds: DEFAULT_RETRY_DELAYS_SECONDS,
      attempts: { count: number, firstAt: new Date(BEGIN), lastEndedAt: ended },
      outcome: outcomeOf(each),
      random: each.random,
      now: ended,
    });
    const decided = verdict.kind === 'retry' ? verdict.at.getTime() : verdict.kind;
    const expected = model(each, number, BEGIN, endedAt);
    // A plain comparison: `expect` at each of a million steps would take longer than everything else.
    if (
      typeof decided === 'number' && typeof expected === 'number'
        ? Math.abs(decided - expected) > 1
        : decided !== expected
    )
      throw new Error(`attempt ${number}: decided ${decided}, the contract says ${expected}`);
    if (typeof decided !== 'number') return number;
    startedAt = decided + each.offByMs;
  }
  return steps.length;
}

describe('the retry policy', () => {
  it('decides as the contract says, at every attempt of every life', () => {
    const lengths = new Map<number, number>();
    fc.assert(
      fc.property(fc.array(step, { minLength: 11, maxLength: 11 }), (steps) => {
        const attempts = live(steps);
        lengths.set(attempts, (lengths.get(attempts) ?? 0) + 1);
      }),
      { numRuns },
    );
    // Sequences of every length occurred, up to the last retry; none is longer than ten attempts.
    expect(lengths.get(10) ?? 0).toBeGreaterThan(0);
    expect(lengths.get(11) ?? 0).toBe(0);
  });
});
