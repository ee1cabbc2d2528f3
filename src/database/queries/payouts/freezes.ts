// The operator's freezes: creating and lifting them, and marking the payouts that they cover.

import { query, toDate, type EntityManager } from '../../connection.ts';
import { HAS_LIVE_TRANSACTION } from './due-payouts.ts';
import { IS_FROZEN } from './obstacles.ts';

/** What a freeze covers: payouts that match everything it names. A freeze that names nothing covers all. */
export interface FreezeScope {
  readonly payoutId: string | null;
  readonly merchantId: string | null;
  readonly network: string | null;
  readonly currency: string | null;
}

export interface PayoutFreeze extends FreezeScope {
  readonly id: string;
  readonly reason: string;
  readonly createdBy: string;
  readonly createdAt: Date;
}

type FreezeRow = Omit<PayoutFreeze, 'createdAt'> & { readonly createdAt: string };

const COLUMNS = `id, payout_id as "payoutId", merchant_id as "merchantId", network, currency, reason,
  created_by as "createdBy", created_at as "createdAt"`;

const read = ({ createdAt, ...row }: FreezeRow): PayoutFreeze => ({ ...row, createdAt: toDate(createdAt) });

export async function insertFreeze(em: EntityManager, freeze: PayoutFreeze): Promise<void> {
  const { id, payoutId, merchantId, network, currency, reason, createdBy, createdAt } = freeze;
  await query(
    em,
    `insert into payout_freeze (id, payout_id, merchant_id, network, currency, reason, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [id, payoutId, merchantId, network, currency, reason, createdBy, createdAt],
  );
}

/** Lifts a freeze; null if there is none in force with this id. */
export async function liftFreeze(em: EntityManager, id: string, by: string, now: Date): Promise<PayoutFreeze | null> {
  const [row] = await query<FreezeRow>(
    em,
    `update payout_freeze set lifted_by = $2, lifted_at = $3 where id = $1 and lifted_at is null returning ${COLUMNS}`,
    [id, by, now],
  );
  return row ? read(row) : null;
}

/** The freezes in force, oldest first. */
export async function readFreezes(em: EntityManager): Promise<PayoutFreeze[]> {
  const rows = await query<FreezeRow>(
    em,
    `select ${COLUMNS} from payout_freeze where lifted_at is null order by created_at, id`,
  );
  return rows.map(read);
}

/**
 * Marks open payouts without a transaction as frozen if a freeze covers them, and releases those that are marked but no
 * longer covered. Returns how many of each. Locks the rows in id order.
 */
export async function markFrozen(em: EntityManager, now: Date): Promise<{ frozen: number; released: number }> {
  const [row] = await query<{ frozen: number; released: number }>(
    em,
    `with changed as (
       select p.id, ${IS_FROZEN} as frozen from payout p
       where p.status in ('REQUESTED', 'BROADCAST') and not ${HAS_LIVE_TRANSACTION}
         and p.held_reason is distinct from 'RESULT_UNCLEAR'
         and (p.held_reason is not distinct from 'FROZEN') <> ${IS_FROZEN}
       order by p.id for update of p
     ), marked as (
       update payout o set held_reason = case when c.frozen then 'FROZEN' end,
         held_since = case when c.frozen then $1::timestamptz end, look_at = null
       from changed c where o.id = c.id and o.status in ('REQUESTED', 'BROADCAST') returning c.frozen
     )
     select count(*) filter (where frozen)::int as frozen, count(*) filter (where not frozen)::int as released from marked`,
    [now],
  );
  return row ?? { frozen: 0, released: 0 };
}
