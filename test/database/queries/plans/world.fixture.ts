// What the paths of the test act on: one copy of a history, under statistics of another time.

import type { Database, EntityManager } from '../../../../src/database/connection.ts';
import type { Deps } from '../../../../src/domain/deps.ts';
import type { HistorySize } from './history.fixture.ts';

export interface World {
  readonly db: Database;
  readonly deps: Deps;
  readonly size: HistorySize;
  /** The number of the last order that is done with, and of the first and last that wait. */
  readonly lastDone: number;
  readonly firstWaiting: number;
  readonly last: number;
  readonly now: Date;
  /** Runs work in a transaction, and commits it. */
  commit<Result>(work: (em: EntityManager) => Promise<Result>): Promise<Result>;
}

/** What a loop or a call does to the database, in the functions that do it. */
export interface Path {
  readonly name: string;
  run(world: World): Promise<unknown>;
}

/** PostgreSQL keeps a plan of a named statement from its sixth run on. */
export const UNTIL_KEPT = 7;

/** Does something until the plans of its named statements are kept. */
export async function repeat(work: (nth: number) => Promise<unknown>): Promise<void> {
  for (let nth = 0; nth < UNTIL_KEPT; nth += 1) await work(nth);
}
