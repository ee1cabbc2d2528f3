// Random histories on a real litecoind behind a proxy that fails, and a real PostgreSQL: once the chain is at rest, the
// book equals what the chain holds.

import { afterAll, beforeAll, it } from '@jest/globals';
import { createSetups } from '../../domain/setups.fixture.ts';
import { describeWithLitecoind } from '../../support/litecoind.ts';
import { holdStories, longList } from '../../support/story/story.ts';
import { compareBook } from '../chain-setup.fixture.ts';
import {
  act,
  begin,
  comeToRest,
  move,
  readArrivals,
  startLitecoinSetup,
  type LitecoinSetup,
  type Move,
} from './litecoin-history.fixture.ts';

/** `CHAIN_RUNS` sets a larger number of runs. */
const numRuns = Number(process.env['CHAIN_RUNS'] ?? 5);

describeWithLitecoind('whatever happens on a chain of outputs', () => {
  const setups = createSetups();
  let litecoin: LitecoinSetup;

  beforeAll(async () => {
    litecoin = await startLitecoinSetup();
  });
  afterAll(async () => {
    await litecoin.stop();
    await setups.stop();
  });

  /** Runs the moves of one history, then checks the book against the chain. */
  function story(moves: readonly Move[]): Promise<void> {
    return setups.tell(async (setup) => {
      const history = await begin(litecoin, setup);
      for (const made of moves) await act(history, made);
      await comeToRest(history);
      await compareBook(setup, history.orders, await readArrivals(history), ['LTC']);
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
