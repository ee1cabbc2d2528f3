// Random histories on a real chain with an unreliable node and a real PostgreSQL: once the chain is at rest, the book
// equals what the chain holds.

import { afterAll, beforeAll, describe, it } from '@jest/globals';
import type { Deps } from '../../../src/domain/deps.ts';
import type { World } from '../../domain/book.fixture.ts';
import { createWorlds } from '../../domain/worlds.fixture.ts';
import { holdStories, longList } from '../../support/story/story.ts';
import { act, begin, comeToRest, move, type Move } from './chain-history.fixture.ts';
import { compareWithChain, startChainWorld, type ChainWorld } from '../chain-world.fixture.ts';

/** `CHAIN_RUNS` sets a larger number of runs. */
const numRuns = Number(process.env['CHAIN_RUNS'] ?? 5);

const worlds = createWorlds();
let chainWorld: ChainWorld;
let second: { readonly of: World; readonly deps: Deps } | undefined;

beforeAll(async () => {
  chainWorld = await startChainWorld();
});
afterAll(async () => {
  await chainWorld.stop();
  await worlds.stop();
});

/** A second process on a world, connected once. */
async function secondOf(world: World): Promise<Deps> {
  if (second?.of !== world) second = { of: world, deps: await world.another() };
  return second.deps;
}

/** Runs the moves of one history, then checks the book against the chain. */
function story(moves: readonly Move[]): Promise<void> {
  return worlds.tell(async (world) => {
    const history = await begin(chainWorld, world, await secondOf(world));
    for (const made of moves) await act(history, made);
    await comeToRest(history);
    await compareWithChain(chainWorld, world, history.orders, history.base);
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
