// Random histories of payouts against hostile recipients, nodes and reorganisations, on one kind of chain.

import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { holdStories } from '../../support/story/story.ts';
import { act, comeToRest } from './acts.fixture.ts';
import type { HostileChain } from './chain.fixture.ts';
import { checkEnd, checkPaid } from './checks.fixture.ts';
import { begin, end } from './history.fixture.ts';
import { moves, type Move } from './moves.fixture.ts';

/** Always the same ones; others by `HOSTILE_SEED`. */
const seed = Number(process.env['HOSTILE_SEED'] ?? 20261123);

const HISTORIES_OF_A_CHAIN = 20;

export interface Hostility {
  readonly kind: HostileChain['kind'];
  readonly numRuns: number;
  open(): Promise<HostileChain>;
}

/** Declares the property, and answers what the test that a failure prints calls by the name of `story`. */
export function holdHistories({
  kind,
  numRuns,
  open,
}: Hostility): (nodes: 1 | 2, moves: readonly Move[]) => Promise<void> {
  let chain: HostileChain | null = null;
  let told = 0;
  let completed = 0;
  afterAll(() => chain?.stop());

  /** A new one from time to time: a long chain makes each history on it longer. */
  async function nextChain(): Promise<HostileChain> {
    const isLong = told++ % HISTORIES_OF_A_CHAIN === 0;
    if (chain && !isLong) return chain;
    await chain?.stop();
    return (chain = await open());
  }

  /** What is done with so many nodes, and what must hold all the way and in the end. */
  async function story(nodes: 1 | 2, happenings: readonly Move[]): Promise<void> {
    const history = await begin(await nextChain(), nodes);
    try {
      for (const one of happenings) {
        await act(history, one);
        await checkPaid(history);
      }
      await comeToRest(history);
      await checkPaid(history);
      completed += await checkEnd(history);
    } finally {
      await end(history);
    }
  }

  describe('whoever receives, whatever nodes say, and whichever block is replaced', () => {
    const title = `${kind}: a payout is paid once or released, and the book is what the chain holds`;
    const of = [fc.constantFrom(1 as const, 2 as const), moves] as const;
    const hold = async () => {
      await holdStories({ title, of, story, numRuns, seed });
      // They would hold of histories in which nothing is ever paid. One alone may be such.
      if (numRuns > 1) expect(completed).toBeGreaterThan(0);
    };
    it(title, hold, Math.max(600_000, numRuns * 20_000));
  });
  return story;
}
