// Whether this database is the one that was written last, or a copy of it: restored, promoted, loaded from a dump. A copy
// is adopted. That voids the ranges of addresses that the lost one gave out, and tells those who have to compare the book
// with the chains; it stops nothing by itself.

import type { Logger } from 'pino';
import type { Database } from '../../database/connection.ts';
import {
  addClusterChange,
  compareCluster,
  isClusterRecorded,
  lockCluster,
  writeCluster,
  type ClusterChange,
  type ClusterChangeKind,
  type ClusterComparison,
} from '../../database/queries/cluster-identity.ts';
import { voidRanges } from '../../database/queries/chain/address-ranges.ts';

export { isClusterRecorded, listClusterChanges, type ClusterChange } from '../../database/queries/cluster-identity.ts';

/** What recording works with. */
export interface ClusterDeps {
  readonly db: Database;
  readonly log: Logger;
}

/**
 * Records which copy of the database this is, where that is not what is recorded; answers what changed, or null. Safe to
 * call at any time and by several processes at once: one of them records, and the others find it done.
 *
 * What must not happen on a copy that nobody knows for one asks `isClusterRecorded` in its own transaction, and, where
 * that is false, ends the transaction, calls this and begins anew. Asking there is what holds across a failover under
 * running processes, behind a pooler too, where a process cannot know which server its next transaction meets.
 */
export async function recordCluster({ db, log }: ClusterDeps): Promise<ClusterChange | null> {
  const change = await db.em.fork().transactional(async (em) => {
    await lockCluster(em);
    const comparison = await compareCluster(em);
    const kind = kindOf(comparison);
    if (kind === null) return null;
    const adoptions = (comparison.adoptions ?? 0) + (kind === 'ADOPTION' ? 1 : 0);
    await writeCluster(em, { adoptions });
    // Else every look would find another copy, and each adoption takes a million addresses of every account.
    if (!(await isClusterRecorded(em)))
      throw new Error('The database does not keep which copy it is: is it PostgreSQL?');
    if (kind === 'ADOPTION') await voidRanges(em);
    return addClusterChange(em, { kind, reason: REASONS[kind](comparison), adoption: adoptions });
  });
  if (change?.kind === 'ADOPTION')
    log.warn({ change }, `the database is another copy than before, and is adopted: ${change.reason}`);
  else if (change) log.info({ change }, change.reason);
  return change;
}

function kindOf({ adoptions, differences, isRestarted }: ClusterComparison): ClusterChangeKind | null {
  if (adoptions === null) return 'FIRST';
  if (differences.length > 0) return 'ADOPTION';
  return isRestarted ? 'RESTART' : null;
}

const REASONS: Readonly<Record<ClusterChangeKind, (comparison: ClusterComparison) => string>> = {
  FIRST: () => 'the first start on this database',
  RESTART: () => 'the database server was restarted',
  ADOPTION: ({ differences }) => differences.join('; '),
};

/** Looks again and again, so that a copy is known for one soon, even where nobody asks for an address or a payout. */
export function createClusterWatch(deps: ClusterDeps): { name: string; processNext: () => Promise<boolean> } {
  return {
    name: 'cluster',
    processNext: async () => {
      if (!(await isClusterRecorded(deps.db.em))) await recordCluster(deps);
      return false;
    },
  };
}
