// What payouts have cost on their chains: their own transactions, and the sweeps and top-ups that were made for them.

import { query, type EntityManager } from '../../connection.ts';

/** Where transactions compete, of which one alone is carried out. */
export interface Place {
  readonly senderKey: string;
  readonly nonce: number;
}

/**
 * What a payout has cost and may still cost by what is signed for it, in base units of its network's coin: of settled
 * transactions what the chain took, of open ones the most that it may take, and of those that compete for one place
 * only the dearest. `besides` leaves one place out, for who signs another transaction there.
 */
export async function readSpent(em: EntityManager, payoutId: string, besides: Place | null = null): Promise<bigint> {
  const [row] = await query<{ units: string }>(
    em,
    `select coalesce(sum(units), 0)::text as units from (
       select max(case when status in ('REPLACED', 'EXPIRED') then 0 else coalesce(cost, max_cost) end) as units
       from transfer where (payout_id = $1 or for_payout_id = $1)
         and (sender_key, nonce) is distinct from ($2::text, $3::bigint)
       group by network, sender_key, nonce
     ) as place`,
    [payoutId, besides?.senderKey ?? null, besides?.nonce ?? null],
  );
  return BigInt(row?.units ?? 0);
}

/** Whether a payout's fee covers an account that is opened for its recipient. */
export async function isAccountPaid(em: EntityManager, payoutId: string): Promise<boolean> {
  const rows = await query(em, 'select 1 from payout where id = $1 and opens_account', [payoutId]);
  return rows.length > 0;
}
