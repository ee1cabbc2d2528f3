// How far standbys are behind, as their primary knows it.

import { query, type EntityManager } from '../../connection.ts';

export interface ReplicationLag {
  /** Standbys that stream now. */
  readonly standbys: number;
  /** Of the one that is furthest behind: what it has not replayed, and how long ago that was written. */
  readonly lagBytes: number;
  readonly lagSeconds: number;
}

/**
 * Null where this role may not see it: it needs `pg_monitor` or `pg_read_all_stats`. A standby that has replayed
 * everything has no lag, however long nothing was written.
 */
export async function readReplicationLag(em: EntityManager): Promise<ReplicationLag | null> {
  const [row] = await query<ReplicationLag & { readonly permitted: boolean }>(
    em,
    `select pg_has_role('pg_read_all_stats', 'USAGE') as permitted, count(replay_lsn)::int as standbys,
       coalesce(max(pg_wal_lsn_diff(sent_lsn, replay_lsn)), 0)::float8 as "lagBytes",
       coalesce(max(extract(epoch from replay_lag)), 0)::float8 as "lagSeconds"
     from pg_stat_replication where state = 'streaming' or state is null`,
  );
  return row?.permitted ? row : null;
}
