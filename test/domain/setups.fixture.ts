// Databases for many random histories: each serves a few, so that later histories are as fast as the first and are not
// affected by a failed one.

import { readCursor } from '../../src/database/queries/chain/chain-cursor.ts';
import { createSetup, openChain, type DataChain, type Setup } from './book.fixture.ts';

/** The audit reads the whole book: with 300 histories in one, each took four times as long as the first. */
const HISTORIES_A_WORLD = 20;

export interface Setups {
  /**
   * Runs one history in a setup. After a failure the setup is discarded: otherwise its audit would fail every later
   * history, and the smallest failing history would always be the empty one.
   */
  tell(history: (setup: Setup) => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** Nothing is made until the first history runs. They run one after another. */
export function createSetups(): Setups {
  let setup: Setup | undefined;
  let historyCount = 0;
  const giveUp = async (): Promise<void> => {
    const old = setup;
    setup = undefined;
    historyCount = 0;
    await old?.stop();
  };
  return {
    tell: async (history) => {
      if (historyCount === HISTORIES_A_WORLD) await giveUp();
      setup ??= await createSetup();
      historyCount += 1;
      try {
        await history(setup);
      } catch (error) {
        await giveUp();
        throw error;
      }
    },
    stop: giveUp,
  };
}

/**
 * A chain for the next history, above everything that earlier ones left, so that its reorganisations do not reach them.
 */
export async function openChainAbove(setup: Setup): Promise<DataChain> {
  const cursor = await readCursor(setup.deps.db.em, 'ETH');
  return openChain(setup, (cursor?.height ?? 0) + 100);
}
