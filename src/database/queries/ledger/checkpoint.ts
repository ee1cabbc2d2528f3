// The ledger's checkpoint: up to where the book is sealed, which is checked and will not change, and what was found.

import { query, toDate, type EntityManager } from '../../connection.ts';
import type { LedgerFault } from './verify-ledger.ts';

export interface Checkpoint {
  /** The last sealed posting. */
  readonly postingId: string;
  /** What was recorded before it was checked with the sealed postings. */
  readonly horizon: Date;
  /** Where the next seal will be; null if no place was chosen. */
  readonly next: SealPlace | null;
  readonly checkedAt: Date | null;
  /** When the whole book was checked last. */
  readonly wholeAt: Date | null;
  /** What the last check found. */
  readonly faults: readonly LedgerFault[];
}

/** A place for a seal. Postings up to there are final once every transaction below `xmax` has ended. */
export interface SealPlace {
  readonly postingId: string;
  readonly xmax: bigint;
  readonly horizon: Date;
}

interface CheckpointRow {
  posting_id: string;
  horizon: string;
  next_posting_id: string | null;
  next_xmax: string | null;
  next_horizon: string | null;
  checked_at: string | null;
  whole_at: string | null;
  faults: LedgerFault[];
}

const COLUMNS = `posting_id::text, horizon, next_posting_id::text, next_xmax::text, next_horizon, checked_at, whole_at,
  faults`;

/** Reads the checkpoint. */
export async function readCheckpoint(em: EntityManager): Promise<Checkpoint> {
  const [row] = await query<CheckpointRow>(em, `select ${COLUMNS} from ledger_checkpoint`);
  if (!row) throw new Error('The ledger has no checkpoint');
  return checkpointOf(row);
}

/** Locks the checkpoint until the transaction ends; null if another process is checking now. */
export async function lockCheckpoint(em: EntityManager): Promise<Checkpoint | null> {
  const [row] = await query<CheckpointRow>(
    em,
    `select ${COLUMNS} from ledger_checkpoint for no key update skip locked`,
  );
  return row ? checkpointOf(row) : null;
}

function checkpointOf(row: CheckpointRow): Checkpoint {
  const { next_posting_id, next_xmax, next_horizon } = row;
  const isChosen = next_posting_id !== null && next_xmax !== null && next_horizon !== null;
  return {
    postingId: row.posting_id,
    horizon: toDate(row.horizon),
    next: isChosen ? { postingId: next_posting_id, xmax: BigInt(next_xmax), horizon: toDate(next_horizon) } : null,
    checkedAt: toDate(row.checked_at),
    wholeAt: toDate(row.whole_at),
    faults: row.faults,
  };
}

/** What the transaction's snapshot sees. */
export interface BookSnapshot {
  /** Every transaction below has ended. */
  readonly xmin: bigint;
  /** No transaction from here on had begun to write. */
  readonly xmax: bigint;
  readonly lastPosting: string;
  /** How many postings follow the seal; counted no further than the limit that was given. */
  readonly unsealed: number;
}

/** Reads what this snapshot sees after a posting. */
export async function readSnapshot(em: EntityManager, after: string, limit: number): Promise<BookSnapshot> {
  const [row] = await query<{ xmin: string; xmax: string; last: string; unsealed: number }>(
    em,
    `select pg_snapshot_xmin(s)::text as xmin, pg_snapshot_xmax(s)::text as xmax,
       (select coalesce(max(id), 0)::text from posting) as last,
       (select count(*)::int from (select from posting where id > $1 order by id limit $2) few) as unsealed
     from pg_current_snapshot() s`,
    [after, limit],
  );
  if (!row) throw new Error('The snapshot was not read');
  return { xmin: BigInt(row.xmin), xmax: BigInt(row.xmax), lastPosting: row.last, unsealed: row.unsealed };
}

/** Adds the postings between two to the sealed balances; from 0, the balances are made anew. */
export async function sealPostings(em: EntityManager, after: string, upTo: string): Promise<void> {
  if (after === '0') await query(em, 'delete from sealed_balance');
  await query(
    em,
    `insert into sealed_balance (account_id, total)
     select account, sum(amount) from (
       select destination_id as account, amount from posting where id > $1 and id <= $2
       union all
       select source_id, -amount from posting where id > $1 and id <= $2
     ) as moves group by account order by account
     on conflict (account_id) do update set total = sealed_balance.total + excluded.total`,
    [after, upTo],
  );
}

/** Stores the checkpoint. */
export async function saveCheckpoint(em: EntityManager, checkpoint: Checkpoint): Promise<void> {
  const { postingId, horizon, next, checkedAt, wholeAt, faults } = checkpoint;
  await query(
    em,
    `update ledger_checkpoint set posting_id = $1, horizon = $2, next_posting_id = $3, next_xmax = $4,
       next_horizon = $5, checked_at = $6, whole_at = $7, faults = $8`,
    [
      ...[postingId, horizon],
      ...[next?.postingId ?? null, next?.xmax.toString() ?? null, next?.horizon ?? null],
      ...[checkedAt, wholeAt, JSON.stringify(faults)],
    ],
  );
}
