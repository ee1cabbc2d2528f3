// Random histories ("stories") as property tests: a failure is reduced to the smallest failing story and printed as a
// test to paste.

import fc from 'fast-check';
import { asTest } from './literal.ts';

/**
 * A property over stories. `of` has one arbitrary for each argument of `story`, in order. If the last one is a list, it
 * is the list of steps, and any part of it may be left out.
 */
export interface Stories<Values extends readonly unknown[]> {
  /** The property's title, also that of the printed test. */
  readonly title: string;
  readonly of: { readonly [Nth in keyof Values]: fc.Arbitrary<Values[Nth]> };
  /** What the printed test calls `story`: a function of the test's file. Throws if the property does not hold. */
  readonly story: (...values: Values) => Promise<void>;
  readonly numRuns: number;
  /** Replays the story that a failure printed, instead of new ones. */
  readonly seed?: number;
  /** How long to search for a smaller failure, in milliseconds, in each of two ways. */
  readonly shrinkForMs?: number;
}

const SHRINK_FOR_MS = 60_000;

/**
 * A failed story. The message has the seed, the path and the test; `cause` is the error of the smallest failing story.
 */
export class StoryFailed extends Error {
  override readonly name = 'StoryFailed';
}

/** Runs `numRuns` random stories, one after another. Throws `StoryFailed` with the smallest one that fails. */
export async function holdStories<Values extends readonly unknown[]>(stories: Stories<Values>): Promise<void> {
  const { of, story, numRuns, seed, shrinkForMs = SHRINK_FOR_MS } = stories;
  const values = fc.tuple(...(of as readonly fc.Arbitrary<unknown>[])) as unknown as fc.Arbitrary<Values>;
  const tell = limitShrinking(shrinkForMs, story);
  const found = await fc.check(fc.asyncProperty(values, tell), { numRuns, ...(seed !== undefined && { seed }) });
  if (!found.failed) return;
  const failing = found.counterexample?.[0];
  // Without a counterexample no story ran to its end: the arbitraries themselves failed.
  if (!failing) throw new Error('no story could be told', { cause: found.errorInstance });
  const smallest = await cutDown({ values: failing, cause: found.errorInstance }, shrinkForMs, story);
  throw new StoryFailed(report(stories, found, smallest), { cause: smallest.cause });
}

interface Failure<Values> {
  readonly values: Values;
  readonly cause: unknown;
}

function report<Values extends readonly unknown[]>(
  { title, numRuns }: Stories<Values>,
  found: fc.RunDetails<[Values]>,
  { values, cause }: Failure<Values>,
): string {
  const again = `{ seed: ${String(found.seed)}, path: "${found.counterexamplePath ?? ''}" }`;
  return [
    `Story ${String(found.numRuns)} of ${String(numRuns)} fails; it was made smaller ${String(found.numShrinks)} times: ${again}`,
    `The smallest that fails, as a test for the same file:`,
    asTest(`${title} (seed ${String(found.seed)})`, values),
    cause instanceof Error ? cause.message : String(cause),
  ].join('\n\n');
}

/**
 * Lists of every length up to the longest, each equally likely. By itself fast-check makes most of them short, and
 * would hardly ever find what takes a dozen steps to go wrong.
 */
export function longList<Value>(one: fc.Arbitrary<Value>, longest: number): fc.Arbitrary<Value[]> {
  return fc.noBias(fc.array(one, { minLength: 1, maxLength: longest, size: 'max' }));
}

/**
 * After the first failure, smaller stories are tried for this long; later ones are skipped as if they held. A story on
 * a real chain takes a second, and a slightly larger failure is better than a test that never ends.
 */
function limitShrinking<Values extends readonly unknown[]>(
  forMs: number,
  story: (...values: Values) => Promise<void>,
): (values: Values) => Promise<void> {
  let deadline = Infinity;
  return async (values) => {
    if (performance.now() > deadline) return;
    try {
      await story(...values);
    } catch (error) {
      deadline = Math.min(deadline, performance.now() + forMs);
      throw error;
    }
  };
}

/**
 * Leaves out steps, from halves down to single ones, as long as the story still fails. fast-check would get there too,
 * but one value at a time; where a story takes a second, this makes the result readable.
 */
async function cutDown<Values extends readonly unknown[]>(
  failure: Failure<Values>,
  forMs: number,
  story: (...values: Values) => Promise<void>,
): Promise<Failure<Values>> {
  const deadline = performance.now() + forMs;
  const stepsOf = ({ values }: Failure<Values>): readonly unknown[] => {
    const last = values.at(-1);
    return Array.isArray(last) ? last : [];
  };
  let smallest = failure;
  for (let size = Math.ceil(stepsOf(failure).length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let end = stepsOf(smallest).length; end > 0 && performance.now() < deadline; end -= size) {
      const steps = stepsOf(smallest).toSpliced(Math.max(0, end - size), Math.min(size, end));
      if (steps.length === 0) continue;
      const values = [...smallest.values.slice(0, -1), steps] as unknown as Values;
      await story(...values).catch((cause: unknown) => (smallest = { values, cause }));
    }
  }
  return smallest;
}
