// Pages through a merchant's withdrawals as raw rows, newest first, by a keyset on (merchant, kind, id).

import type { Pool } from 'pg';
import type { Payout } from '../../entities/payout.ts';
import { toDate } from '../connection.ts';

/** A text above every id. */
const LAST = '~';

// The order is written in full, so that the planner has one index to go by (list-payments.ts).
const STATEMENT = `
select id, payment_id as "paymentId", status, amount, network_fee as "networkFee", currency, network, address,
  tx_hash as "txHash", merchant_withdrawal_id as "merchantWithdrawalId", created_at as "createdAt"
from payout
where (merchant_id, kind, id) > ($1, 'WITHDRAWAL', '') and (merchant_id, kind, id) < ($1, 'WITHDRAWAL', $2)
order by merchant_id desc, kind desc, id desc limit $3`;

/** The columns of a withdrawal that a list shows. */
export type ListedWithdrawal = Pick<
  Payout,
  | ('id' | 'paymentId' | 'status' | 'amount' | 'networkFee' | 'currency' | 'network' | 'address' | 'txHash')
  | ('merchantWithdrawalId' | 'createdAt')
>;
type Row = Omit<ListedWithdrawal, 'amount' | 'networkFee' | 'createdAt'> &
  Readonly<Record<'amount' | 'networkFee' | 'createdAt', string>>;

/** At most `limit` withdrawals below the id `before`. */
export async function listWithdrawals(
  pool: Pool,
  merchantId: string,
  { limit, before }: { limit: number; before: string | null },
): Promise<ListedWithdrawal[]> {
  const values = [merchantId, before ?? LAST, limit];
  const { rows } = await pool.query<Row>({ name: 'list-withdrawals', text: STATEMENT, values });
  return rows.map((row) => ({
    ...row,
    amount: BigInt(row.amount),
    networkFee: BigInt(row.networkFee),
    createdAt: toDate(row.createdAt),
  }));
}
