// Random histories on a real chain with an unreliable node and a real PostgreSQL: once the chain is at rest, the book
// equals what the chain holds.

import { afterAll, beforeAll, describe, it } from '@jest/globals';
import type { Deps } from '../../../src/domain/deps.ts';
import type { Setup } from '../../domain/book.fixture.ts';
import { createSetups } from '../../domain/setups.fixture.ts';
import { holdStories, longList } from '../../support/story/story.ts';
import { act, begin, comeToRest, move, type Move } from './chain-history.fixture.ts';
import { compareWithChain, startChainSetup, type ChainSetup } from '../chain-setup.fixture.ts';

/** `CHAIN_RUNS` sets a larger number of runs. */
const numRuns = Number(process.env['CHAIN_RUNS'] ?? 5);

const setups = createSetups();
let chainSetup: ChainSetup;
let second: { readonly of: Setup; readonly deps: Deps } | undefined;

beforeAll(async () => {
  chainSetup = await startChainSetup();
});
afterAll(async () => {
  await chainSetup.stop();
  await setups.stop();
});

/** A second process on a setup, connected once. */
async function secondOf(setup: Setup): Promise<Deps> {
  if (second?.of !== setup) second = { of: setup, deps: await setup.another() };
  return second.deps;
}

/** Runs the moves of one history, then checks the book against the chain. */
function story(moves: readonly Move[]): Promise<void> {
  return setups.tell(async (setup) => {
    const history = await begin(chainSetup, setup, await secondOf(setup));
    for (const made of moves) await act(history, made);
    await comeToRest(history);
    await compareWithChain(chainSetup, setup, history.orders, history.base);
  });
}

describe('whatever happens on the chain', () => {
  it(
    'the book ends as what the chain holds',
    () => {
      const of = [longList(move, 60)] as const;
      return holdStories({ title: 'the book ends as what the chain holds', of, story, numRuns });
    },
    300_000 + numRuns * 10_000,
  );
});
