// Detects whether this database is the one last written to or a copy: restored, promoted, or loaded from a dump. A copy
// is adopted, which voids the address ranges that the lost database gave out and makes the signer compare the book with
// the chains. It stops nothing by itself.

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

export interface ClusterDeps {
  readonly db: Database;
  readonly log: Logger;
}

/**
 * Records which copy of the database this is, if that differs from what is recorded; returns the change, or null. Safe
 * to call at any time and by several processes at once: one of them records, the others find it done.
 *
 * Work that must not run on an unrecorded copy checks `isClusterRecorded` in its own transaction; if that is false, it
 * ends the transaction, calls this and starts over. Checking inside the transaction is what survives a failover under
 * running processes, also behind a pooler, where a process cannot know which server its next transaction reaches.
 */
export async function recordCluster({ db, log }: ClusterDeps): Promise<ClusterChange | null> {
  const change = await db.em.fork().transactional(async (em) => {
    await lockCluster(em);
    const comparison = await compareCluster(em);
    const kind = kindOf(comparison);
    if (kind === null) return null;
    const adoptions = (comparison.adoptions ?? 0) + (kind === 'ADOPTION' ? 1 : 0);
    await writeCluster(em, { adoptions });
    // Otherwise every check would find another copy, and each adoption skips a million addresses of every account.
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

/** Checks regularly, so that a copy is noticed soon even if nothing requests an address or a payout. */
export function createClusterWatch(deps: ClusterDeps): { name: string; processNext: () => Promise<boolean> } {
  return {
    name: 'cluster',
    processNext: async () => {
      if (!(await isClusterRecorded(deps.db.em))) await recordCluster(deps);
      return false;
    },
  };
}
