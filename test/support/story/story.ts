// Random stories: a property whose failure is told as the smallest history that fails, written as a test to paste.

import fc from 'fast-check';
import { asTest } from '../literal.ts';

/**
 * A story and what it is told of. `of` has one arbitrary for each argument of `story`, in their order. Where the last
 * is a list it is the list of what happens, and any part of it may be left out.
 */
export interface Stories<Values extends readonly unknown[]> {
  /** What holds in every story; the printed test is named by it. */
  readonly title: string;
  readonly of: { readonly [Nth in keyof Values]: fc.Arbitrary<Values[Nth]> };
  /**
   * What the printed test calls by the name of `story`: a function of the test's file. Throws when something does not
   * hold.
   */
  readonly story: (...values: Values) => Promise<void>;
  readonly numRuns: number;
  /** Told again instead of new ones: what a failure printed. */
  readonly seed?: number;
  /** How long a smaller failure is looked for once there is one, in milliseconds, by each of two ways. */
  readonly shrinkForMs?: number;
}

const SHRINK_FOR_MS = 60_000;

/** A story that fails. The message holds the seed, the path and the test; `cause` is what the smallest story threw. */
export class StoryFailed extends Error {
  override readonly name = 'StoryFailed';
}

/** Tells `numRuns` random stories, one after another. Throws `StoryFailed` with the smallest one that fails. */
export async function holdStories<Values extends readonly unknown[]>(stories: Stories<Values>): Promise<void> {
  const { of, story, numRuns, seed, shrinkForMs = SHRINK_FOR_MS } = stories;
  const values = fc.tuple(...(of as readonly fc.Arbitrary<unknown>[])) as unknown as fc.Arbitrary<Values>;
  const tell = limitShrinking(shrinkForMs, story);
  const found = await fc.check(fc.asyncProperty(values, tell), { numRuns, ...(seed !== undefined && { seed }) });
  if (!found.failed) return;
  const failing = found.counterexample?.[0];
  // Without a counterexample no story was told to its end: the arbitraries themselves failed.
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
 * Lists of every length up to the longest, each as likely as any other. Left to itself fast-check makes most of them
 * short, and what takes a dozen steps to go wrong is hardly ever seen.
 */
export function longList<Value>(one: fc.Arbitrary<Value>, longest: number): fc.Arbitrary<Value[]> {
  return fc.noBias(fc.array(one, { minLength: 1, maxLength: longest, size: 'max' }));
}

/**
 * After the first failure, stories are told for so long; what comes later is passed over, as if it held. A story on a
 * real chain takes a second, and a failure that is not quite the smallest is better than a test that never ends.
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
 * Leaves parts of what happens out, from halves down to single steps, as long as the story still fails. fast-check
 * would come to it, but one value at a time; where a story takes a second, this is what makes it readable.
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
