// What payouts have cost on-chain: their own transactions, and the sweeps and top-ups made for them.

import { query, type EntityManager } from '../../connection.ts';

/** A sender and nonce, for which several transactions may compete but only one can take effect. */
export interface Place {
  readonly senderKey: string;
  readonly nonce: number;
}

/**
 * The cost of a payout so far and at most, by what is signed for it, in base units of its network's coin: for final
 * transactions what the chain took, for open ones the most it may take, and among transactions that compete for one
 * nonce only the most expensive. `besides` excludes one nonce, for a caller that signs another transaction there.
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

/** Whether a payout's fee pays for opening an account for its recipient. */
export async function isAccountPaid(em: EntityManager, payoutId: string): Promise<boolean> {
  const rows = await query(em, 'select 1 from payout where id = $1 and opens_account', [payoutId]);
  return rows.length > 0;
}
