// Pages through a merchant's withdrawals or refunds, of some states or of one payment, as raw rows, newest first; a
// keyset on (merchant, kind, id), (merchant, kind, status, id), (batch, id) or (payment, id).

import type { QueryConfig } from 'pg';
import type { Payout } from '../../../entities/payout.ts';
import type { PayoutStatus } from '../../../values/payouts/state.ts';
import { toDate } from '../../connection.ts';
import type { Readable } from '../../read-source.ts';
import { firstOf } from '../page-limit.ts';

export interface PayoutListFilter {
  readonly merchantId: string;
  readonly kind: 'WITHDRAWAL' | 'REFUND';
  readonly paymentId?: string | null;
  readonly batchId?: string | null;
  /** Null and none both mean any. */
  readonly statuses?: readonly PayoutStatus[] | null;
}

/** A text above every id. */
const LAST = '~';

/**
 * SQL: the listed columns of rows of payouts. The order is written in full, so that the planner chooses the right index
 * (see list-payments.ts).
 */
export const selectListed = (rows: string, order: string) => `
select id, payment_id as "paymentId", status, amount, network_fee as "networkFee", currency, network, address,
  tx_hash as "txHash", held_reason as "heldReason", merchant_withdrawal_id as "merchantWithdrawalId", created_at as "createdAt",
  address_id as "addressId", batch_id as "batchId", failure, requested_by as "requestedBy", decided_by as "decidedBy", updated_at as "updatedAt",
  completed_at as "completedAt"
from (${rows}) page order by ${order}`;

/** Each state is read from its own part of the index; the results are merged. */
const OF_STATE = `
select o.* from payout o where o.merchant_id = $1 and o.kind = $4
  and (o.merchant_id, o.kind, o.status, o.id) > ($1, $4, k.status, '')
  and (o.merchant_id, o.kind, o.status, o.id) < ($1, $4, k.status, $2)`;

const STATEMENTS = {
  kind: selectListed(
    firstOf(
      `select * from payout where (merchant_id, kind, id) > ($1, $4, '') and (merchant_id, kind, id) < ($1, $4, $2)`,
      'merchant_id desc, kind desc, id desc',
      '$3',
    ),
    'merchant_id desc, kind desc, id desc',
  ),
  states: selectListed(
    `select newest.* from unnest($5::text[]) as k(status) cross join lateral (
      ${firstOf(OF_STATE, 'merchant_id desc, kind desc, status desc, id desc', '$3')}
    ) newest order by newest.id desc limit $3`,
    'id desc',
  ),
  // All payouts of a batch belong to one merchant.
  batch: selectListed(
    firstOf(
      `select * from payout where batch_id is not null
         and (batch_id, id) > ($4, '') and (batch_id, id) < ($4, $2) and merchant_id = $1
         and ($5::text[] is null or status = any($5))`,
      'batch_id desc, id desc',
      '$3',
    ),
    'batch_id desc, id desc',
  ),
  // All payouts of a payment belong to one merchant, so this condition keeps either all rows or none.
  payment: selectListed(
    firstOf(
      `select * from payout where payment_id is not null
         and (payment_id, id) > ($4, '') and (payment_id, id) < ($4, $2) and merchant_id = $1
         and ($5::text[] is null or status = any($5))`,
      'payment_id desc, id desc',
      '$3',
    ),
    'payment_id desc, id desc',
  ),
};

/** The columns of a listed payout. */
export type ListedPayout = Pick<
  Payout,
  | ('id' | 'paymentId' | 'status' | 'amount' | 'networkFee' | 'currency' | 'network' | 'address' | 'txHash')
  | ('heldReason' | 'merchantWithdrawalId' | 'createdAt' | 'failure' | 'requestedBy' | 'decidedBy')
  | ('addressId' | 'batchId' | 'updatedAt' | 'completedAt')
>;
/** A row as the driver returns it. */
export type ListedRow = Omit<ListedPayout, 'amount' | 'networkFee' | 'createdAt' | 'updatedAt' | 'completedAt'> &
  Readonly<Record<'amount' | 'networkFee' | 'createdAt' | 'updatedAt', string>> & {
    readonly completedAt: string | null;
  };

interface Keyset {
  readonly limit: number;
  readonly before: string | null;
}

/** At most `limit` payouts below the id `before`. */
export async function listPayouts(pool: Readable, filter: PayoutListFilter, keyset: Keyset): Promise<ListedPayout[]> {
  const { rows } = await pool.query<ListedRow>(payoutPageOf(filter, keyset));
  return rows.map(toListedPayout);
}

/** Converts a row. */
export const toListedPayout = (row: ListedRow): ListedPayout => ({
  ...row,
  amount: BigInt(row.amount),
  networkFee: BigInt(row.networkFee),
  createdAt: toDate(row.createdAt),
  updatedAt: toDate(row.updatedAt),
  completedAt: toDate(row.completedAt),
});

/** The prepared statement of a page. */
export function payoutPageOf(
  { merchantId, kind, paymentId, batchId, statuses }: PayoutListFilter,
  { limit, before }: Keyset,
): QueryConfig {
  const some = statuses != null && statuses.length > 0 ? [...new Set(statuses)] : null;
  const range = [merchantId, before ?? LAST, limit];
  const statement = (shape: keyof typeof STATEMENTS, ...values: unknown[]): QueryConfig => {
    return { name: `list-payouts-of-${shape}`, text: STATEMENTS[shape], values: [...range, ...values] };
  };
  if (batchId != null) return statement('batch', batchId, some);
  if (paymentId != null) return statement('payment', paymentId, some);
  return some ? statement('states', kind, some) : statement('kind', kind);
}
