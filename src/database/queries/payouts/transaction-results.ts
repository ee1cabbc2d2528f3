// The results of a payout's transactions: reverted, moved money, or unclear until the operator decides.

import { query, type EntityManager } from '../../connection.ts';
import { transactionsOf } from './due-payouts.ts';
import { ITS_STATUS } from '../row-status.ts';

/** Records the operator's decision on a payout's unclear transaction. Null if there is none. */
export async function markClear(
  em: EntityManager,
  payoutId: string,
  status: 'CONFIRMED' | 'FAILED',
): Promise<{ txHash: string } | null> {
  const [row] = await query<{ txHash: string }>(
    em,
    `update transfer set status = $2
     where id = any(array(select id from ${transactionsOf('$1')} t)) and ${ITS_STATUS} = 'UNCLEAR'
     returning tx_hash as "txHash"`,
    [payoutId, status],
  );
  return row ?? null;
}

/** Whether a transaction of a payout was mined and moved nothing. */
export async function hasReverted(em: EntityManager, payoutId: string): Promise<boolean> {
  const rows = await query(em, `select 1 from ${transactionsOf('$1')} t where status = 'FAILED' limit 1`, [payoutId]);
  return rows.length > 0;
}

/** Whether a payout's unclear transaction is known to have moved money, possibly less the token's fee. */
export async function hasMoved(em: EntityManager, payoutId: string): Promise<boolean> {
  const rows = await query(
    em,
    `select 1 from ${transactionsOf('$1')} t where status = 'UNCLEAR' and moved + lost > 0 limit 1`,
    [payoutId],
  );
  return rows.length > 0;
}
