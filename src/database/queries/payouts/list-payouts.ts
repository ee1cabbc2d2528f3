// Pages through a merchant's withdrawals or refunds, or the refunds of one payment, as raw rows, newest first; a keyset
// on (merchant, kind, id) or (payment, id).

import type { Pool, QueryConfig } from 'pg';
import type { Payout } from '../../../entities/payout.ts';
import { toDate } from '../../connection.ts';
import { firstOf } from '../page-limit.ts';

export interface PayoutListFilter {
  readonly merchantId: string;
  readonly kind: 'WITHDRAWAL' | 'REFUND';
  readonly paymentId?: string | null;
}

/** A text above every id. */
const LAST = '~';

// The order is written in full, so that the planner chooses the right index (see list-payments.ts).
const page = (rows: string, order: string) => `
select id, payment_id as "paymentId", status, amount, network_fee as "networkFee", currency, network, address,
  tx_hash as "txHash", held_reason as "heldReason", merchant_withdrawal_id as "merchantWithdrawalId", created_at as "createdAt"
from (${firstOf(rows, order, '$3')}) page order by ${order}`;

const STATEMENTS = {
  kind: page(
    `select * from payout where (merchant_id, kind, id) > ($1, $4, '') and (merchant_id, kind, id) < ($1, $4, $2)`,
    'merchant_id desc, kind desc, id desc',
  ),
  // All payouts of a payment belong to one merchant, so this condition keeps either all rows or none.
  payment: page(
    `select * from payout where payment_id is not null
       and (payment_id, id) > ($4, '') and (payment_id, id) < ($4, $2) and merchant_id = $1`,
    'payment_id desc, id desc',
  ),
};

/** The columns of a listed payout. */
export type ListedPayout = Pick<
  Payout,
  | ('id' | 'paymentId' | 'status' | 'amount' | 'networkFee' | 'currency' | 'network' | 'address' | 'txHash')
  | ('heldReason' | 'merchantWithdrawalId' | 'createdAt')
>;
type Row = Omit<ListedPayout, 'amount' | 'networkFee' | 'createdAt'> &
  Readonly<Record<'amount' | 'networkFee' | 'createdAt', string>>;

interface Keyset {
  readonly limit: number;
  readonly before: string | null;
}

/** At most `limit` payouts below the id `before`. */
export async function listPayouts(pool: Pool, filter: PayoutListFilter, keyset: Keyset): Promise<ListedPayout[]> {
  const { rows } = await pool.query<Row>(payoutPageOf(filter, keyset));
  return rows.map((row) => ({
    ...row,
    amount: BigInt(row.amount),
    networkFee: BigInt(row.networkFee),
    createdAt: toDate(row.createdAt),
  }));
}

/** The prepared statement of a page. */
export function payoutPageOf(
  { merchantId, kind, paymentId }: PayoutListFilter,
  { limit, before }: Keyset,
): QueryConfig {
  const shape = paymentId == null ? 'kind' : 'payment';
  const values = [merchantId, before ?? LAST, limit, paymentId ?? kind];
  return { name: `list-payouts-${shape}`, text: STATEMENTS[shape], values };
}
