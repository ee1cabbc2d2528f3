// The rules for what callers may see on a bad day: each allows what was agreed, and catches what was not.

import { describe, expect, it } from '@jest/globals';
import { createCounter, type Answers } from '../../../chaos/operations/answers.ts';
import { answerRules } from '../../../chaos/operations/rules.ts';
import type { Seen } from '../../../chaos/load/client.ts';
import { CALL_WITHIN_MS } from '../../../chaos/load/client.ts';

const done: Seen = { status: 201, code: null, ms: 20 };
const away: Seen = { status: 503, code: '9503', ms: 3_000 };
const poor: Seen = { status: 409, code: '4001', ms: 9 };
const broken: Seen = { status: 500, code: '9500', ms: 5 };
const unknown: Seen = { status: 404, code: '2004', ms: 5 };
const cut: Seen = { status: null, code: null, ms: 3 };
const hung: Seen = { status: null, code: null, ms: CALL_WITHIN_MS + 2 };
const late: Seen = { status: 503, code: '9503', ms: CALL_WITHIN_MS };

function count(seen: readonly Seen[]): Answers {
  const counter = createCounter();
  for (const one of seen) counter.note(one);
  return counter.take();
}

/** How many rules are broken. */
function breaches(seen: readonly Seen[], { after = [done] as readonly Seen[], cutsCalls = false } = {}): number {
  const evidence = { seen: count(seen), seenAfter: count(after) };
  return answerRules({ cutsCalls }).filter(({ breach }) => breach(evidence) !== null).length;
}

describe('what callers see', () => {
  it('is counted by status and code, with the longest wait for an answer and for none', () => {
    const counter = createCounter();
    for (const one of [done, away, away, cut]) counter.note(one);
    const counts = { '503 9503': 2, '201': 1, 'no answer': 1 };
    expect(counter.take()).toEqual({ counts, slowestMs: 3_000, givenUpMs: 3 });
    expect(counter.take()).toEqual({ counts: {}, slowestMs: 0, givenUpMs: 0 });
  });

  it('may be a success, a justified refusal or a temporary one', () => {
    expect(breaches([done, away, poor])).toBe(0);
  });

  it.each([
    ['an internal error', [broken]],
    ['a not-found answer', [unknown]],
    ['a connection that is cut', [cut]],
    ['an answer that comes too late', [late]],
  ])('may not be %s', (_what, seen) => {
    expect(breaches([done, ...seen])).toBe(1);
  });

  it('may be no answer only where a process of the API is stopped itself, and not once all is right again', () => {
    expect(breaches([hung])).toBe(2);
    expect(breaches([hung], { cutsCalls: true })).toBe(0);
    expect(breaches([done], { cutsCalls: true, after: [hung] })).toBe(1);
    expect(breaches([broken], { cutsCalls: true })).toBe(1);
  });
});
