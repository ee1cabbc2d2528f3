// The standbys of the database's server, and the archive of its write-ahead log.

import { query, toDate, type EntityManager } from '../../connection.ts';

export interface Standby {
  readonly name: string;
  /** Null if our role may not see it; with the right pg_monitor it may. */
  readonly state: string | null;
  /** `sync`, `quorum`, `potential` or `async`; null if our role may not see it. */
  readonly sync: string | null;
  /** Bytes of the write-ahead log that it has not applied yet; null if our role may not see it. */
  readonly behind: number | null;
}

export interface ReplicationSlots {
  /** Slots that nobody reads from, so that their part of the write-ahead log is kept. */
  readonly idle: number;
  /** Bytes of it kept for them. */
  readonly kept: number;
}

/** `archive_command`'s results since the statistics were reset. */
export interface Archive {
  readonly lastArchivedAt: Date | null;
  readonly lastFailedAt: Date | null;
  readonly failed: number;
}

/** Only on a primary. */
export async function readStandbys(em: EntityManager): Promise<Standby[]> {
  const rows = await query<Omit<Standby, 'behind'> & { behind: string | null }>(
    em,
    `select application_name as name, state, sync_state as sync,
       pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::text as behind
     from pg_stat_replication order by application_name`,
  );
  return rows.map((row) => ({ ...row, behind: row.behind === null ? null : Number(row.behind) }));
}

/** Only on a primary. */
export async function readReplicationSlots(em: EntityManager): Promise<ReplicationSlots> {
  const [row] = await query<{ idle: number; kept: string }>(
    em,
    `select count(*)::int as idle, coalesce(max(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)), 0)::text as kept
     from pg_replication_slots where not active`,
  );
  return { idle: row?.idle ?? 0, kept: Number(row?.kept ?? 0) };
}

export async function readArchive(em: EntityManager): Promise<Archive> {
  const [row] = await query<{ archived: string | null; failedAt: string | null; failed: string }>(
    em,
    `select last_archived_time as archived, last_failed_time as "failedAt", failed_count::text as failed
     from pg_stat_archiver`,
  );
  return {
    lastArchivedAt: toDate(row?.archived ?? null),
    lastFailedAt: toDate(row?.failedAt ?? null),
    failed: Number(row?.failed ?? 0),
  };
}
