// Finds the payments that an observation affects: by address, by confirmations, by expiry.

import { query, toDate, type EntityManager } from '../../connection.ts';

/** What is needed of a payment to judge a new deposit to it. */
export interface Receiver {
  readonly paymentId: string;
  readonly merchantId: string;
  /** The payment's own network. Money that arrives on a related one is the merchant's, too. */
  readonly network: string;
  readonly addressKey: string;
  readonly status: string;
  readonly expiresAt: Date;
  /** The invoice that the payment belongs to; null for one of its own. */
  readonly invoiceId: string | null;
}

/** Finds payments by their addresses on an account's networks: one query for a whole block. */
export async function findReceivers(
  em: EntityManager,
  account: string,
  addressKeys: readonly string[],
): Promise<Map<string, Receiver>> {
  if (addressKeys.length === 0) return new Map();
  const rows = await query<Omit<Receiver, 'expiresAt'> & { expires_at: string }>(
    em,
    `select id as "paymentId", merchant_id as "merchantId", network, address_key as "addressKey", status,
       invoice_id as "invoiceId", expires_at
     from payment where derivation_account = $1 and address_key = any($2)`,
    [account, addressKeys],
  );
  return new Map(rows.map(({ expires_at, ...row }) => [row.addressKey, { ...row, expiresAt: toDate(expires_at) }]));
}

/** SQL: looked up for each deposit `d`, as a join could be planned over all payments. */
const CONFIRMATIONS = '(select required_confirmations from payment where id = d.payment_id offset 0) p';

/** Payments with a deposit that becomes confirmed, or finally lost, at this height. */
export async function findMatured(em: EntityManager, network: string, height: number): Promise<string[]> {
  const rows = await query<{ id: string }>(
    em,
    `select d.payment_id as id from deposit d cross join lateral ${CONFIRMATIONS}
     where d.network = $1 and d.status = 'PENDING' and d.block_height <= $2 - coalesce(d.required_confirmations, p.required_confirmations) + 1
     union
     select d.payment_id from deposit d cross join lateral ${CONFIRMATIONS}
     where d.network = $1 and d.block_height is null and not d.gone
       and d.orphaned_height <= $2 - coalesce(d.required_confirmations, p.required_confirmations) + 1`,
    [network, height],
  );
  return rows.map((row) => row.id);
}

/** Open payments whose time was up by `seenUntil`, the time up to which the chain was read; at most `limit`. */
export async function findTimedOut(
  em: EntityManager,
  network: string,
  seenUntil: Date,
  limit: number,
): Promise<string[]> {
  const rows = await query<{ id: string }>(
    em,
    `select id from payment
     where network = $1 and expires_at <= $2 and (status in ('PENDING', 'PARTIALLY_PAID')
       or (status = 'CONFIRMING' and greatest(expires_at, confirming_since) + interval '24 hours' <= $2))
     order by expires_at limit $3`,
    [network, seenUntil, limit],
  );
  return rows.map((row) => row.id);
}
