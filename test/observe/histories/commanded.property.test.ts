// Random histories on TRON's double and on litesvm, behind a proxy that fails, and a real PostgreSQL: once the chain is
// at rest, the book equals what the chain holds.

import { afterAll, describe, expect, it } from '@jest/globals';
import type { Deps } from '../../../src/domain/deps.ts';
import type { Setup } from '../../domain/book.fixture.ts';
import { createSetups } from '../../domain/setups.fixture.ts';
import { holdStories, longList } from '../../support/story/story.ts';
import { compareBook } from '../chain-setup.fixture.ts';
import { startSolanaChain, startTronChain, type CommandedChain } from './commanded-chains.fixture.ts';
import { act, begin, comeToRest, move, readArrivals, type Move } from './commanded-history.fixture.ts';

/** `CHAIN_RUNS` sets a larger number of runs. */
const numRuns = Number(process.env['CHAIN_RUNS'] ?? 5);
/** The last moves of every history, so that something is always paid. */
const LAST: Move = { kind: 'pay', order: 2, currency: 0, amount: 4_000_000n };

describe.each([
  ['TRON’s double', startTronChain],
  ['litesvm', startSolanaChain],
])('whatever happens on %s', (_name, start) => {
  const setups = createSetups();
  let stage: { readonly of: Setup; readonly second: Deps; readonly chain: CommandedChain } | undefined;

  afterAll(async () => {
    await stage?.chain.stop();
    await setups.stop();
  });

  /** A second process, and a chain as new as the setup: at a fork it executes again all that it holds. */
  async function stageOf(setup: Setup): Promise<NonNullable<typeof stage>> {
    if (stage?.of === setup) return stage;
    await stage?.chain.stop();
    stage = { of: setup, second: await setup.another(), chain: await start() };
    return stage;
  }

  /** Runs the moves of one history, then checks the book against the chain. */
  function story(moves: readonly Move[]): Promise<void> {
    return setups.tell(async (setup) => {
      const { chain, second } = await stageOf(setup);
      const history = await begin(chain, setup, second);
      for (const made of [...moves, LAST]) await act(history, made);
      await comeToRest(history);
      const arrivals = readArrivals(history);
      expect(arrivals).not.toEqual([]);
      await compareBook(setup, history.orders, arrivals, chain.currencies);
    });
  }

  it(
    'the book ends as what the chain holds',
    () => holdStories({ title: 'the book ends as what the chain holds', of: [longList(move, 60)], story, numRuns }),
    300_000 + numRuns * 10_000,
  );
});
