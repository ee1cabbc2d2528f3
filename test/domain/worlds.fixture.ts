// Worlds for many histories: each is for a few of them, so that the hundredth is as fast as the first, and none
// inherits what went wrong in another.

import { readCursor } from '../../src/database/queries/chain/chain-cursor.ts';
import { createWorld, openChain, type DataChain, type World } from './book.fixture.ts';

/** The audit reads the whole book: with 300 histories in one, each took four times as long as the first. */
const HISTORIES_A_WORLD = 20;

export interface Worlds {
  /**
   * Tells one history in a world. After one that fails the world is given up: its audit would fail every history that
   * came later, and the smallest that fails would always be none at all.
   */
  tell(history: (world: World) => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** Nothing is made until the first history is told. They are told one after another. */
export function createWorlds(): Worlds {
  let world: World | undefined;
  let told = 0;
  const giveUp = async (): Promise<void> => {
    const old = world;
    world = undefined;
    told = 0;
    await old?.stop();
  };
  return {
    tell: async (history) => {
      if (told === HISTORIES_A_WORLD) await giveUp();
      world ??= await createWorld();
      told += 1;
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
 * A chain for the next history, above whatever the ones before have left: no reorganisation of its own reaches them.
 */
export async function openChainAbove(world: World): Promise<DataChain> {
  const cursor = await readCursor(world.deps.db.em, 'ETH');
  return openChain(world, (cursor?.height ?? 0) + 100);
}
