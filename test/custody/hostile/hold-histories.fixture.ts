// Runs random histories of payouts against hostile recipients, nodes and reorganisations, on one kind of chain.

import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { holdStories } from '../../support/story/story.ts';
import { act, comeToRest } from './acts.fixture.ts';
import type { HostileChain } from './chain.fixture.ts';
import { checkEnd, checkPaid } from './checks.fixture.ts';
import { begin, end } from './history.fixture.ts';
import { moves, type Move } from './moves.fixture.ts';

/** Histories of which some must have come to a payout that completed. */
const MANY = 10;

/** The same histories each time; `HOSTILE_SEED` selects others. */
const seed = Number(process.env['HOSTILE_SEED'] ?? 20261123);

const HISTORIES_OF_A_CHAIN = 20;

export interface Hostility {
  readonly kind: HostileChain['kind'];
  readonly numRuns: number;
  open(): Promise<HostileChain>;
}

/** Declares the property, and returns the function that a printed failure calls `story`. */
export function holdHistories({
  kind,
  numRuns,
  open,
}: Hostility): (nodes: 1 | 2, moves: readonly Move[]) => Promise<void> {
  let chain: HostileChain | null = null;
  let told = 0;
  let completed = 0;
  afterAll(() => chain?.stop());

  /** A new chain from time to time, because a long chain slows down every history on it. */
  async function nextChain(): Promise<HostileChain> {
    const isLong = told++ % HISTORIES_OF_A_CHAIN === 0;
    if (chain && !isLong) return chain;
    await chain?.stop();
    return (chain = await open());
  }

  /** Runs a history with this many nodes, and checks the invariants at every step and at the end. */
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

  describe('whatever recipients do, whatever nodes say, and whichever block is replaced', () => {
    const title = `${kind}: a payout is paid once or released, and the book is what the chain holds`;
    const of = [fc.constantFrom(1 as const, 2 as const), moves] as const;
    const hold = async () => {
      await holdStories({ title, of, story, numRuns, seed });
      // The invariants would hold if nothing were ever paid. A few histories may all be such ones.
      if (numRuns >= MANY) expect(completed).toBeGreaterThan(0);
    };
    it(title, hold, Math.max(600_000, numRuns * 20_000));
  });
  return story;
}
