// Addresses issued for orders, or made ahead for them: money that arrives there belongs to a merchant.

import { query, type EntityManager } from '../../connection.ts';

/** Whether an address of an account was issued, even if its order is over, or was made ahead to be issued. */
export async function isIssued(em: EntityManager, account: string, key: string): Promise<boolean> {
  const rows = await query(
    em,
    `select 1 from payment where (derivation_account, address_key) = ($1, $2)
     union all select 1 from address_pool where (account, address_key) = ($1, $2) limit 1`,
    [account, key],
  );
  return rows.length > 0;
}
