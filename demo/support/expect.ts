// The expectations of a story; a failure shows what was expected and what came.

import { inspect, isDeepStrictEqual } from 'node:util';

/** A rule, described in words, for a value that cannot be known beforehand. */
export interface Rule {
  readonly words: string;
  readonly holds: (came: unknown) => boolean;
}

/** A value, a pattern for a string, a rule, or an object of these; fields that it does not name may be anything. */
export type Expected = string | number | boolean | null | RegExp | Rule | readonly Expected[] | ExpectedFields;
export interface ExpectedFields {
  readonly [field: string]: Expected;
}

/** Thrown at the first difference; it ends the story. */
export class Difference extends Error {
  constructor(what: string, expected: string, came: string) {
    super(`${what}\n  expected: ${expected}\n  came:     ${came}`);
    this.name = 'Difference';
  }
}

/** Compares the actual value with the expected one. Throws a `Difference` that names the first field that differs. */
export function expectLike(what: string, came: unknown, expected: Expected): void {
  if (expected instanceof RegExp) return expectThat(what, came, matching(expected));
  if (isRule(expected)) return expectThat(what, came, expected);
  if (isList(expected)) {
    const list = Array.isArray(came) ? (came as readonly unknown[]) : null;
    if (list?.length !== expected.length) throw new Difference(what, inspectBriefly(expected), inspectBriefly(came));
    return expected.forEach((item, index) => expectLike(`${what}[${index}]`, list[index], item));
  }
  if (expected !== null && typeof expected === 'object') {
    if (came === null || typeof came !== 'object') throw new Difference(what, 'an object', inspectBriefly(came));
    const fields = came as Readonly<Record<string, unknown>>;
    return Object.entries(expected).forEach(([name, field]) => expectLike(`${what}: ${name}`, fields[name], field));
  }
  if (!Object.is(came, expected)) throw new Difference(what, inspectBriefly(expected), inspectBriefly(came));
}

/** Compares whole values: no extra and no missing fields. Throws `Difference`. */
export function expectSame(what: string, came: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(came, expected)) throw new Difference(what, inspectBriefly(expected), inspectBriefly(came));
}

/** A time as the API writes it: ISO 8601 in UTC with milliseconds. */
export const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A string that contains `part`. */
export const containing = (part: string): Rule => ({
  words: `a text with ${inspect(part)}`,
  holds: (came) => typeof came === 'string' && came.includes(part),
});

const matching = (pattern: RegExp): Rule => ({
  words: `a text like ${String(pattern)}`,
  holds: (came) => typeof came === 'string' && pattern.test(came),
});

function expectThat(what: string, came: unknown, rule: Rule): void {
  if (!rule.holds(came)) throw new Difference(what, rule.words, inspectBriefly(came));
}

function isRule(expected: Expected): expected is Rule {
  return (
    expected !== null && typeof expected === 'object' && 'holds' in expected && typeof expected.holds === 'function'
  );
}

// Array.isArray does not narrow a union with a readonly array.
function isList(expected: Expected): expected is readonly Expected[] {
  return Array.isArray(expected);
}

/** Formats a value for a `Difference`. */
export function inspectBriefly(value: unknown): string {
  return inspect(value, { depth: 6, breakLength: 100, compact: 6, maxStringLength: 2_000 });
}
