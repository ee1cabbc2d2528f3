// Which copy of the database this is, and on which server: compares the recorded identity with the present one.

import { query, toDate, type EntityManager } from '../connection.ts';

/**
 * The present identity, as one row. The timeline is read from the current write-ahead log position, because a promoted
 * replica reports it elsewhere only after its first checkpoint. `server_run` is the server's start time.
 */
const PRESENT = `
  select (select system_identifier::text from pg_control_system()) as system_identifier,
    ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int as timeline,
    (select oid::bigint from pg_database where datname = current_database()) as database_oid,
    extract(epoch from pg_postmaster_start_time())::text as server_run`;

/**
 * The recorded identity, as a subquery of `adoptions`, `written_in` and `server_run`: one row if it matches the present
 * identity, otherwise none. The row's `xmin` reveals a dump that was loaded over its own database.
 */
export const KNOWN_CLUSTER = `
  select i.adoptions, i.written_in, i.server_run from cluster_identity i
  join (${PRESENT}) p using (system_identifier, timeline, database_oid, server_run)
  where i.xmin::text = i.written_in`;

/** Whether the recorded identity is the present one, for the current transaction if there is one. */
export async function isClusterRecorded(em: EntityManager): Promise<boolean> {
  const [row] = await query<{ is: boolean }>(em, `select exists (${KNOWN_CLUSTER}) as is`);
  return row?.is === true;
}

/** The number of adoptions recorded. */
export async function countAdoptions(em: EntityManager): Promise<number> {
  const [row] = await query<{ adoptions: number }>(em, 'select adoptions from cluster_identity');
  return row?.adoptions ?? 0;
}

/** The recorded identity, and how it differs from the present one. */
export interface ClusterComparison {
  /** Null at the first start on a database. */
  readonly adoptions: number | null;
  /** How this is another copy, or on another server, in words; empty if it is neither. */
  readonly differences: readonly string[];
  readonly isRestarted: boolean;
}

/** Compares the identities. To act on the result, hold the lock of `lockCluster`. */
export async function compareCluster(em: EntityManager): Promise<ClusterComparison> {
  const [row] = await query<{
    adoptions: number | null;
    server: boolean;
    timeline: boolean;
    database: boolean;
    loaded: boolean;
    restarted: boolean;
  }>(
    em,
    `select i.adoptions, i.system_identifier <> p.system_identifier as server, i.timeline <> p.timeline as timeline,
       i.database_oid <> p.database_oid as database, i.xmin::text <> i.written_in as loaded,
       i.server_run <> p.server_run as restarted
     from (${PRESENT}) p left join cluster_identity i on true`,
  );
  if (row?.adoptions == null) return { adoptions: null, differences: [], isRestarted: false };
  const differences = [
    ...(row.server ? ['it is on another server'] : []),
    ...(row.timeline ? ['the server was promoted or restored to an earlier time'] : []),
    ...(row.database ? ['it is another database of the server'] : []),
    ...(row.loaded ? ['it was loaded from a dump'] : []),
  ];
  return { adoptions: row.adoptions, differences, isRestarted: row.restarted };
}

/** An arbitrary number that no other advisory lock uses. */
const CLUSTER_LOCK = 7_367_002;

/** Lets one process at a time record an identity, until the transaction ends. */
export async function lockCluster(em: EntityManager): Promise<void> {
  await query(em, 'select pg_advisory_xact_lock($1)', [CLUSTER_LOCK]);
}

/** Records the present identity. Not for a nested transaction: the row is recognised by the transaction's number. */
export async function writeCluster(em: EntityManager, { adoptions }: { adoptions: number }): Promise<void> {
  await query(
    em,
    `insert into cluster_identity (system_identifier, timeline, database_oid, server_run, server_started_at,
       written_in, adoptions, adopted_at)
     select system_identifier, timeline, database_oid, server_run, pg_postmaster_start_time(),
       pg_current_xact_id()::xid::text, $1::int, case when $1::int > 0 then clock_timestamp() end
     from (${PRESENT}) p
     on conflict (one) do update set system_identifier = excluded.system_identifier, timeline = excluded.timeline,
       database_oid = excluded.database_oid, server_run = excluded.server_run,
       server_started_at = excluded.server_started_at, written_in = excluded.written_in,
       adoptions = excluded.adoptions,
       adopted_at = case when cluster_identity.adoptions < excluded.adoptions then excluded.adopted_at
         else cluster_identity.adopted_at end`,
    [adoptions],
  );
}

/** FIRST: the first start on this database. RESTART: the same copy, whose server was restarted. */
export type ClusterChangeKind = 'FIRST' | 'RESTART' | 'ADOPTION';

/** How far a network had been read. */
export interface RecordedCursor {
  readonly height: number;
  readonly hash: string;
}

export interface ClusterChange {
  /** Increasing, with gaps. */
  readonly number: number;
  readonly kind: ClusterChangeKind;
  /** In words, for logs and operators. */
  readonly reason: string;
  /** The number of adoptions, including this one. */
  readonly adoption: number;
  /** By network, at that time: what the copy was restored with. */
  readonly cursors: Readonly<Record<string, RecordedCursor>>;
  readonly at: Date;
}

interface ChangeRow extends Omit<ClusterChange, 'number' | 'at'> {
  readonly number: string;
  readonly at: string;
}

const CHANGE = 'number::text, kind, reason, adoption, cursors, at';
const ofRow = ({ number, at, ...row }: ChangeRow): ClusterChange => ({
  ...row,
  number: Number(number),
  at: toDate(at),
});

/** Records a change with the current cursors. */
export async function addClusterChange(
  em: EntityManager,
  change: Pick<ClusterChange, 'kind' | 'reason' | 'adoption'>,
): Promise<ClusterChange> {
  const [row] = await query<ChangeRow>(
    em,
    `insert into cluster_change (kind, reason, adoption, cursors, at)
     select $1, $2, $3, coalesce(jsonb_object_agg(network, jsonb_build_object('height', height, 'hash', hash))
       filter (where network is not null), '{}'), clock_timestamp()
     from chain_cursor
     returning ${CHANGE}`,
    [change.kind, change.reason, change.adoption],
  );
  if (!row) throw new Error('A change of the cluster was not recorded');
  return ofRow(row);
}

/** The changes after a number, oldest first. */
export async function listClusterChanges(em: EntityManager, after = 0): Promise<ClusterChange[]> {
  const statement = `select ${CHANGE} from cluster_change where number > $1 order by cluster_change.number`;
  return (await query<ChangeRow>(em, statement, [after])).map(ofRow);
}
