// Random histories on a real litecoind behind a proxy that fails, and a real PostgreSQL: once the chain is at rest, the
// book equals what the chain holds.

import { afterAll, beforeAll, it } from '@jest/globals';
import { createWorlds } from '../../domain/worlds.fixture.ts';
import { describeWithLitecoind } from '../../support/litecoind.ts';
import { holdStories, longList } from '../../support/story/story.ts';
import { compareBook } from '../chain-world.fixture.ts';
import {
  act,
  begin,
  comeToRest,
  move,
  readArrivals,
  startLitecoinWorld,
  type LitecoinWorld,
  type Move,
} from './litecoin-history.fixture.ts';

/** `CHAIN_RUNS` sets a larger number of runs. */
const numRuns = Number(process.env['CHAIN_RUNS'] ?? 5);

describeWithLitecoind('whatever happens on a chain of outputs', () => {
  const worlds = createWorlds();
  let litecoin: LitecoinWorld;

  beforeAll(async () => {
    litecoin = await startLitecoinWorld();
  });
  afterAll(async () => {
    await litecoin.stop();
    await worlds.stop();
  });

  /** Runs the moves of one history, then checks the book against the chain. */
  function story(moves: readonly Move[]): Promise<void> {
    return worlds.tell(async (world) => {
      const history = await begin(litecoin, world);
      for (const made of moves) await act(history, made);
      await comeToRest(history);
      await compareBook(world, history.orders, await readArrivals(history), ['LTC']);
    });
  }

  it(
    'the book ends as what the chain holds',
    () => {
      const of = [longList(move, 60)] as const;
      return holdStories({ title: 'the book ends as what the chain holds', of, story, numRuns });
    },
    300_000 + numRuns * 10_000,
  );
});
