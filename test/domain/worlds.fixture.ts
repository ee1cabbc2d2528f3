// Databases for many random histories: each serves a few, so that later histories are as fast as the first and are not
// affected by a failed one.

import { readCursor } from '../../src/database/queries/chain/chain-cursor.ts';
import { createWorld, openChain, type DataChain, type World } from './book.fixture.ts';

/** The audit reads the whole book: with 300 histories in one, each took four times as long as the first. */
const HISTORIES_A_WORLD = 20;

export interface Worlds {
  /**
   * Runs one history in a world. After a failure the world is discarded: otherwise its audit would fail every later
   * history, and the smallest failing history would always be the empty one.
   */
  tell(history: (world: World) => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** Nothing is made until the first history runs. They run one after another. */
export function createWorlds(): Worlds {
  let world: World | undefined;
  let historyCount = 0;
  const giveUp = async (): Promise<void> => {
    const old = world;
    world = undefined;
    historyCount = 0;
    await old?.stop();
  };
  return {
    tell: async (history) => {
      if (historyCount === HISTORIES_A_WORLD) await giveUp();
      world ??= await createWorld();
      historyCount += 1;
      try {
        await history(world);
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
export async function openChainAbove(world: World): Promise<DataChain> {
  const cursor = await readCursor(world.deps.db.em, 'ETH');
  return openChain(world, (cursor?.height ?? 0) + 100);
}
