// Batches of withdrawals, with what became of their rows.

import type { BatchCounts } from '../../../values/payouts/batch-status.ts';
import { query, toDate, type EntityManager } from '../../connection.ts';

export interface StoredBatch {
  readonly id: string;
  readonly label: string | null;
  /** How many payouts it has. */
  readonly rows: number;
  readonly createdAt: Date;
}

export interface CountedBatch extends StoredBatch, BatchCounts {
  readonly completed: number;
  readonly failed: number;
}

export async function insertBatch(
  em: EntityManager,
  merchantId: string,
  { id, label, rows, createdAt }: StoredBatch,
): Promise<void> {
  await query(em, 'insert into payout_batch (id, merchant_id, label, rows, created_at) values ($1, $2, $3, $4, $5)', [
    id,
    merchantId,
    label,
    rows,
    createdAt,
  ]);
}

const COUNTED = `select b.id, b.label, b.rows, b.created_at as "createdAt", c.awaiting, c.rejected, c.open, c.completed, c.failed
  from payout_batch b cross join lateral (
    select count(*) filter (where status = 'AWAITING_APPROVAL')::int as awaiting,
      count(*) filter (where status = 'REJECTED')::int as rejected,
      count(*) filter (where status in ('REQUESTED', 'BROADCAST'))::int as open,
      count(*) filter (where status = 'COMPLETED')::int as completed,
      count(*) filter (where status = 'FAILED')::int as failed
    from (select status from payout where batch_id = b.id offset 0) r) c`;

type Row = Omit<CountedBatch, 'createdAt'> & { readonly createdAt: string };
const toBatch = (row: Row): CountedBatch => ({ ...row, createdAt: toDate(row.createdAt) });

/** A batch of a merchant; null if there is none. */
export async function readBatch(em: EntityManager, merchantId: string, id: string): Promise<CountedBatch | null> {
  const [row] = await query<Row>(em, `${COUNTED} where b.id = $1 and b.merchant_id = $2`, [id, merchantId]);
  return row ? toBatch(row) : null;
}

/** A page of a merchant's batches, newest first: only older ones than `before`, if it is not null. */
export async function listBatches(
  em: EntityManager,
  merchantId: string,
  { limit, before }: { readonly limit: number; readonly before: string | null },
): Promise<CountedBatch[]> {
  const rows = await query<Row>(
    em,
    `${COUNTED} where (b.merchant_id, b.id) > ($1, '') and (b.merchant_id, b.id) < ($1, $2)
     order by b.merchant_id desc, b.id desc limit $3`,
    [merchantId, before ?? '~', limit],
  );
  return rows.map(toBatch);
}

/** Which of some ids of a merchant's own their withdrawals have already. */
export async function findUsedIds(
  em: EntityManager,
  merchantId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await query<{ id: string }>(
    em,
    `select merchant_withdrawal_id as id from payout
     where merchant_id = $1 and merchant_withdrawal_id is not null and merchant_withdrawal_id = any($2)`,
    [merchantId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}
