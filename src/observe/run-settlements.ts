// Looks through the rules of settlement for those that are due, and runs them.

import { findDueByHour, findDueByThreshold, type RuleTime } from '../database/queries/control/settlement-rules.ts';
import type { Deps } from '../domain/deps.ts';
import { runSettlement, type SettlementDeps } from '../domain/payouts/run-settlement.ts';
import type { Worker } from '../loop.ts';
import { periodOf, weekdayOf } from '../values/payouts/settlement.ts';

/** Rules found by one statement, each of which is run in a transaction of its own. */
const BATCH = 100;

/**
 * Creates the worker. It goes through the rules of this hour and those that wait for their threshold, a batch at a
 * time. A rule that cannot be run keeps none behind it waiting. Several processes may run it: a rule pays once.
 */
export function createSettlements(deps: SettlementDeps & Pick<Deps, 'log'>): Worker {
  const { em } = deps.db;
  const sweeps = [
    createSweep((after) => findDueByHour(em, timeOf(deps.clock.now()), after, BATCH)),
    createSweep((after) => findDueByThreshold(em, after, BATCH)),
  ];
  return {
    name: 'run-settlements',
    async processNext() {
      let hasMore = false;
      for (const sweep of sweeps) {
        const { ids, goesOn } = await sweep();
        hasMore ||= goesOn;
        for (const id of ids) await runOne(id);
      }
      return hasMore;
    },
  };

  async function runOne(id: string): Promise<void> {
    try {
      await runSettlement(deps, id);
    } catch (error) {
      deps.log.error({ err: error, rule: id }, 'a rule of settlement could not be run');
    }
  }
}

/** Goes through ids in their order, a batch at a call, and begins again after the last. */
function createSweep(find: (after: string) => Promise<string[]>) {
  let after = '';
  return async () => {
    const ids = await find(after);
    const last = ids.length === BATCH ? ids.at(-1) : undefined;
    after = last ?? '';
    return { ids, goesOn: last !== undefined };
  };
}

const timeOf = (now: Date): RuleTime => ({
  ...{ hour: now.getUTCHours(), weekday: weekdayOf(now), day: now.getUTCDate() },
  periods: [periodOf('DAILY', now), periodOf('WEEKLY', now), periodOf('MONTHLY', now)],
});
