// Reports how this cell is to the directory of cells, every minute, for the operator of all cells.

import type { Deps } from '../domain/deps.ts';
import type { CellDirectory } from '../domain/cell-directory.ts';
import { VERSION } from '../database/program.ts';
import { countMerchants } from '../database/queries/cells/own-entries.ts';
import { readQueueDepths } from '../database/queries/events/queue-depths.ts';
import { readCheckpoint } from '../database/queries/ledger/checkpoint.ts';
import { countStuck, readDueCounts } from '../database/queries/payouts/open-payouts.ts';
import { readHalts } from '../database/queries/payouts/signing-state.ts';
import type { Worker } from '../loop.ts';

/** A worker that reports each time it is run. */
export function createCellReport(
  { db: { em }, clock }: Pick<Deps, 'db' | 'clock'>,
  directory: Pick<CellDirectory, 'report'>,
  { stuckAfterMinutes }: { readonly stuckAfterMinutes: number },
): Worker {
  return {
    name: 'cell-report',
    async processNext() {
      const until = new Date(clock.now().getTime() - stuckAfterMinutes * 60_000);
      const due = await readDueCounts(em);
      const stuck = await countStuck(em, until);
      const halts = await readHalts(em);
      const { unnumberedSeconds, notRelayedSeconds } = await readQueueDepths(em);
      const { checkedAt, faults } = await readCheckpoint(em);
      await directory.report({
        version: VERSION,
        merchants: await countMerchants(em),
        payoutsDue: sum(due.map(({ payoutsDue }) => payoutsDue)),
        payoutsStuck: sum([...stuck.values()]),
        halted: halts.map(({ network }) => network),
        eventsWait: Math.round(Math.max(unnumberedSeconds, notRelayedSeconds)),
        ledgerCheckedAt: checkedAt?.toISOString() ?? null,
        ledgerFaults: faults.length,
      });
      return false;
    },
  };
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
