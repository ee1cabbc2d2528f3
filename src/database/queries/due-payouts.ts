// Payouts that need a transaction, and the deposit addresses whose money can pay them.

import { query, type EntityManager } from '../connection.ts';

/** A payout as the signer reads it. Amount in base units. */
export interface DuePayout {
  readonly id: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly address: string;
  /** Transactions of it that were mined and moved nothing. */
  readonly failures: number;
}

const HAS_LIVE_TRANSFER = `exists (select 1 from transfer t
  where t.payout_id = p.id and t.status in ('SIGNED', 'BROADCAST', 'CONFIRMED'))`;

/** Those that wait for a transaction, oldest first: new ones, and ones whose transaction was mined and reverted. */
export async function findDuePayouts(em: EntityManager, network: string, limit: number): Promise<DuePayout[]> {
  const rows = await query<{ id: string; currency: string; amount: string; address: string; failures: number }>(
    em,
    `select id, currency, amount::text, address,
       (select count(*)::int from transfer t where t.payout_id = p.id and t.status = 'FAILED') as failures
     from payout p where network = $1 and status in ('REQUESTED', 'BROADCAST') and not ${HAS_LIVE_TRANSFER}
     order by created_at, id limit $2`,
    [network, limit],
  );
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
}

/** Whether a payout, which the caller has locked, has a transaction that was or may be carried out. */
export async function hasLiveTransfer(em: EntityManager, id: string): Promise<boolean> {
  const rows = await query(em, `select 1 from payout p where id = $1 and ${HAS_LIVE_TRANSFER}`, [id]);
  return rows.length > 0;
}

/** A deposit address that should hold money, and its derivation index. */
export interface Holder {
  readonly addressKey: string;
  readonly index: number;
}

/**
 * Deposit addresses of an asset, largest first, and after them those whose money was credited out of suspense. What they
 * really hold is the chain's to say. Money that is still in suspense stays where it is found.
 */
export async function findHolders(
  em: EntityManager,
  network: string,
  currency: string,
  limit: number,
): Promise<Holder[]> {
  const rows = await query<{ key: string; index: string }>(
    em,
    `select p.address_key as key, p.derivation_index::text as index
     from (select payment_id, sum(amount) as units from deposit where network = $1 and currency = $2 and credited
           group by payment_id) d
     join payment p on p.id = d.payment_id
     left join (select sender_key, sum(amount) as units from transfer where network = $1 and currency = $2
           and purpose = 'SWEEP' and status = 'CONFIRMED' group by sender_key) s on s.sender_key = p.address_key
     where d.units > coalesce(s.units, 0)
     order by d.units - coalesce(s.units, 0) desc, p.id limit $3`,
    [network, currency, limit],
  );
  const credited = await query<{ key: string; index: string }>(
    em,
    `select distinct p.address_key as key, p.derivation_index::text as index
     from suspense_movement m join payment p on p.id = m.payment_id
     where m.network = $1 and m.currency = $2 limit $3`,
    [network, currency, limit],
  );
  const byKey = new Map([...rows, ...credited].map(({ key, index }) => [key, Number(index)]));
  return [...byKey].map(([addressKey, index]) => ({ addressKey, index }));
}
