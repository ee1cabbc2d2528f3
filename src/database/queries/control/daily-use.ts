// What of an asset a merchant's payouts use: those that wait for an approval, and those requested or approved lately.

import type { PayoutUse } from '../../../values/payouts/policy.ts';
import { query, type EntityManager } from '../../connection.ts';

interface AskedUse {
  readonly merchantId: string;
  readonly currency: string;
  readonly network: string;
  /** Payouts count that became REQUESTED after this. */
  readonly since: Date;
  /** A payout or a batch of payouts that does not count; null for none. */
  readonly except: string | null;
}

/**
 * Sums the use of an asset, without network fees. To judge by it, hold the lock on the merchant's balance of the asset:
 * then nothing adds to it before the transaction ends.
 */
export async function readUse(
  em: EntityManager,
  { merchantId, currency, network, since, except }: AskedUse,
): Promise<PayoutUse> {
  const [row] = await query<{ total: string; unapproved: string }>(
    em,
    `select coalesce(sum(amount), 0)::text as total,
       coalesce(sum(amount) filter (where not waits and approved_at is null), 0)::text as unapproved
     from (
       select coalesce(batch_id, id) as whole, amount, approved_at, true as waits from (
         select * from payout where merchant_id = $1 and status = 'AWAITING_APPROVAL' offset 0) w
       where currency = $2 and network = $3
       union all
       select coalesce(batch_id, id), amount, approved_at, false from payout
       where merchant_id = $1 and currency = $2 and network = $3 and coalesce(approved_at, created_at) > $4
         and coalesce(status, '') in ('REQUESTED', 'BROADCAST', 'COMPLETED')
     ) used where whole is distinct from $5`,
    [merchantId, currency, network, since, except],
  );
  return { total: BigInt(row?.total ?? 0), unapproved: BigInt(row?.unapproved ?? 0) };
}
