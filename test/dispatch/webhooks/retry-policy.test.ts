// The retry schedule of webhooks, as tables and as properties.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_RETRY_DELAYS_SECONDS, decideRetry } from '../../../src/dispatch/webhooks/retry-policy.ts';
import type { AttemptOutcome, RetryQuestion, RetryVerdict } from '../../../src/dispatch/webhooks/retry-policy.ts';

const HOUR = 3_600_000;
const FIRST = Date.parse('2026-03-01T00:00:00.000Z');
const FAILURE: AttemptOutcome = { kind: 'failure' };
const answer = (status: number, retryAfter?: string): AttemptOutcome => ({
  kind: 'response',
  status,
  headers: retryAfter === undefined ? {} : { retryAfter },
});

interface Ask {
  count?: number;
  endedMs?: number;
  outcome?: AttemptOutcome;
  random?: number;
  delaysSeconds?: readonly number[];
}

/** The verdict, with a retry's time in milliseconds after the first attempt. */
function ask({ count = 1, endedMs = 0, outcome = FAILURE, random = 0.5, delaysSeconds }: Ask): string | number {
  const lastEndedAt = new Date(FIRST + endedMs);
  const attempts = { count, firstAt: new Date(FIRST), lastEndedAt };
  const delays = delaysSeconds ?? DEFAULT_RETRY_DELAYS_SECONDS;
  return brief(decideRetry({ delaysSeconds: delays, attempts, outcome, random, now: lastEndedAt }));
}

const brief = (verdict: RetryVerdict): string | number => {
  return verdict.kind === 'retry' ? verdict.at.getTime() - FIRST : verdict.kind;
};

/** The times of all attempts, in milliseconds after the first, for a receiver that always gives this outcome. */
function run(outcome: AttemptOutcome, random: () => number, delaysSeconds = DEFAULT_RETRY_DELAYS_SECONDS): number[] {
  const times = [0];
  for (;;) {
    const next = ask({ count: times.length, endedMs: times.at(-1) ?? 0, outcome, random: random(), delaysSeconds });
    if (typeof next === 'string') return times;
    times.push(next);
  }
}

describe('the status decides', () => {
  it.each([200, 201, 204, 299])('%i is success', (status) => {
    expect(ask({ outcome: answer(status) })).toBe('success');
  });

  it('410 disables the endpoint, at any attempt', () => {
    expect(ask({ outcome: answer(410) })).toBe('disable');
    expect(ask({ outcome: answer(410), count: 10, endedMs: 80 * HOUR })).toBe('disable');
  });

  it.each([408, 425, 429, 500, 502, 503, 504, 599])('%i is retried nine times', (status) => {
    expect(run(answer(status), () => 0.5)).toHaveLength(10);
  });

  it('time-outs and network errors are retried nine times', () => {
    expect(run(FAILURE, () => 0.5)).toHaveLength(10);
  });

  it.each([300, 301, 302, 304, 307, 308, 400, 401, 403, 404, 409, 422, 451, 499, 101, 0, 600, 999])(
    '%i is retried three times',
    (status) => {
      expect(run(answer(status), () => 0.5)).toEqual([0, 60_000, 360_000, 1_260_000]);
    },
  );

  it('the limit of three counts all retries made, whatever caused them', () => {
    expect(ask({ outcome: answer(404), count: 3 })).toBe(900_000);
    expect(ask({ outcome: answer(404), count: 4 })).toBe('give-up');
    expect(ask({ outcome: answer(500), count: 4 })).toBe(3_600_000);
  });
});

describe('the schedule', () => {
  it('is the documented one without jitter', () => {
    const hours = run(FAILURE, () => 0.5).map((time) => Math.round(time / (HOUR / 60)));
    expect(hours).toEqual([0, 1, 6, 21, 81, 261, 621, 1341, 2781, 4221]);
  });

  it('spreads each delay over 20 percent to either side', () => {
    expect(ask({ random: 0 })).toBe(48_000);
    expect(ask({ random: 0.25 })).toBe(54_000);
    expect(ask({ random: 1 })).toBe(72_000);
  });

  it('counts from the end of the attempt before', () => {
    expect(ask({ count: 2, endedMs: 100_000 })).toBe(400_000);
  });

  it('brings a ninth retry that jitter pushed beyond 72 h forward to 72 h, and makes no tenth', () => {
    const times = run(FAILURE, () => 0.999);
    expect(times).toHaveLength(10);
    expect(times.at(-1)).toBe(72 * HOUR);
    expect(ask({ count: 10, endedMs: 60 * HOUR })).toBe('give-up');
  });

  it('gives up once 72 h have passed', () => {
    expect(ask({ count: 2, endedMs: 72 * HOUR })).toBe('give-up');
    expect(ask({ count: 2, endedMs: 72 * HOUR - 1 })).toBe(72 * HOUR);
    const attempts = { count: 2, firstAt: new Date(FIRST), lastEndedAt: new Date(FIRST) };
    const now = new Date(FIRST + 73 * HOUR);
    const late: RetryQuestion = { delaysSeconds: [1, 1], attempts, outcome: FAILURE, random: 0.5, now };
    expect(decideRetry(late)).toEqual({ kind: 'give-up' });
  });
});

describe('a configured schedule', () => {
  it.each([
    ['ends where it ends', [1, 2], [0, 1_000, 3_000]],
    [
      'never makes more than ten retries',
      new Array<number>(20).fill(1),
      Array.from({ length: 11 }, (_, i) => i * 1000),
    ],
    ['may be empty', [], [0]],
    ['leaves out what would end beyond 72 h', [1, 72 * 3600, 1], [0, 1_000]],
    ['may take the whole 72 h', [72 * 3600], [0, 72 * HOUR]],
    ['may retry at once', [0, 0], [0, 0, 0]],
  ])('%s', (_name, delaysSeconds, expected) => {
    expect(run(FAILURE, () => 0.5, delaysSeconds)).toEqual(expected);
  });
});

describe('Retry-After', () => {
  it.each([
    ['lengthens, in seconds', '600', 600_000],
    ['blanks around it do not matter', ' 600 ', 600_000],
    ['never shortens', '5', 60_000],
    ['zero changes nothing', '0', 60_000],
    ['as an HTTP date', 'Sun, 01 Mar 2026 01:00:00 GMT', HOUR],
    ['as an RFC 850 date', 'Sunday, 01-Mar-26 01:00:00 GMT', HOUR],
    ['as an asctime date, which is UTC', 'Sun Mar  1 01:00:00 2026', HOUR],
    ['a past date is ignored', 'Sun, 01 Mar 2020 00:00:00 GMT', 60_000],
    ['a month is capped at 72 h', String(30 * 86_400), 72 * HOUR],
    ['a date beyond 72 h is capped', 'Wed, 01 Apr 2026 00:00:00 GMT', 72 * HOUR],
    ['a number beyond all numbers is capped', '9'.repeat(400), 72 * HOUR],
    ...[
      '',
      'soon',
      '-600',
      '1.5',
      '1e3',
      '0x10',
      '６００',
      '2026-03-01T01:00:00Z',
      'Sun, 99 Mar 2026 01:00:00 GMT',
    ].map((text): [string, string, number] => [`rubbish is ignored: ${JSON.stringify(text)}`, text, 60_000]),
    ['a local date is ignored', 'Sun, 01 Mar 2026 01:00:00 +0100', 60_000],
  ])('%s', (_name, text, expected) => {
    expect(ask({ outcome: answer(429, text) })).toBe(expected);
    expect(ask({ outcome: answer(503, text) })).toBe(expected);
  });

  it.each([500, 502, 404, 301])('is not heeded on %i', (status) => {
    expect(ask({ outcome: answer(status, '600') })).toBe(60_000);
  });

  it('that points past 72 h gets a last attempt at 72 h, and none after', () => {
    expect(run(answer(503, '2592000'), () => 0.5)).toEqual([0, 72 * HOUR]);
  });
});

describe('for every sequence', () => {
  const outcome = fc.oneof(
    fc.constant(FAILURE),
    fc.tuple(fc.integer({ min: 100, max: 699 }), fc.option(fc.nat(300_000))).map(([status, seconds]) => {
      return answer(status, seconds === null ? undefined : String(seconds));
    }),
  );
  const unit = fc.double({ min: 0, max: 1, noNaN: true });
  const question = fc.record({
    count: fc.integer({ min: 1, max: 12 }),
    endedMs: fc.nat(80 * HOUR),
    outcome,
    random: unit,
  });

  it('a retry lies within the jitter, or later where Retry-After asks, and never past 72 h', () => {
    fc.assert(
      fc.property(question, (asked) => {
        const at = ask(asked);
        if (typeof at === 'string') return;
        const delayMs = (DEFAULT_RETRY_DELAYS_SECONDS[asked.count - 1] ?? NaN) * 1000;
        expect(at).toBeLessThanOrEqual(72 * HOUR);
        expect(at).toBeGreaterThanOrEqual(Math.min(asked.endedMs + 0.8 * delayMs, 72 * HOUR));
        if (asked.outcome.kind === 'failure') expect(at).toBeLessThanOrEqual(asked.endedMs + 1.2 * delayMs);
      }),
    );
  });

  it('Retry-After only lengthens and never changes the kind of verdict', () => {
    fc.assert(
      fc.property(question, fc.string(), fc.constantFrom(429, 503), (asked, text, status) => {
        const without = ask({ ...asked, outcome: answer(status) });
        const withIt = ask({ ...asked, outcome: answer(status, text) });
        expect(typeof withIt).toBe(typeof without);
        if (typeof without === 'number') expect(withIt).toBeGreaterThanOrEqual(without);
      }),
    );
  });

  it('it ends, after ten retries at most, in order of time', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(100_000), { maxLength: 15 }), unit, outcome, (delays, random, always) => {
        const times = run(always, () => random, delays);
        expect(times.length).toBeLessThanOrEqual(11);
        expect(times).toEqual(times.toSorted((a, b) => a - b));
      }),
    );
  });
});
