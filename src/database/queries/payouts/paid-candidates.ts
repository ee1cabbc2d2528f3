// What an unknown transaction of ours may have been: the payouts that it may have paid, and the book's transactions
// whose nonce it used.

import type { TransactionPurpose } from './transactions.ts';
import { query, type EntityManager } from '../../connection.ts';

/** A transaction of the book that pays a payout, and that took effect or still may. Amount in base units. */
export interface OwnTransaction {
  readonly txHash: string;
  readonly senderKey: string;
  readonly recipientKey: string;
  readonly currency: string;
  readonly amount: bigint;
  readonly nonce: number;
  readonly validUntil: number | null;
  readonly raw: string;
}

/** A payout that an unknown transaction may have paid. Amount in base units. */
export interface PaidCandidate {
  readonly id: string;
  readonly address: string;
  readonly currency: string;
  readonly amount: bigint;
  /** Its transactions that are not certain to have paid nothing for good. */
  readonly own: readonly OwnTransaction[];
}

/** SQL: the block of a transaction is on the chain as the watcher remembers it, or older than that. */
const isFirm = (row: string): string => `(${row}.block_height < (select min(height) from chain_block where network = $1)
  or exists (select 1 from chain_block b
    where (b.network, b.height, b.hash) = (${row}.network, ${row}.block_height, ${row}.block_hash)))`;

/** SQL: a transaction `t` certainly moved nothing and never will. */
const IS_OVER = `(t.status = 'EXPIRED' or t.status = 'FAILED' and ${isFirm('t')} or t.status = 'REPLACED' and exists (
  select 1 from transfer o where (o.network, o.sender_key, o.nonce) = (t.network, t.sender_key, t.nonce)
    and o.status in ('CONFIRMED', 'FAILED') and ${isFirm('o')}))`;

type CandidateRow = Omit<PaidCandidate, 'amount' | 'own'> & {
  readonly amount: string;
  readonly own: readonly (Omit<OwnTransaction, 'amount'> & { readonly amount: string })[];
};

/**
 * Payouts of certain amounts that are not certain to be paid: open ones, also if they wait for an approval that this
 * copy of the book may have lost, or were paid before a reorganisation, and those paid in a block that has left the
 * chain.
 */
export async function findPaidCandidates(
  em: EntityManager,
  network: string,
  { currencies, amounts }: { readonly currencies: readonly string[]; readonly amounts: readonly bigint[] },
): Promise<PaidCandidate[]> {
  const rows = await query<CandidateRow>(
    em,
    `select p.id, p.address, p.currency, p.amount::text, coalesce((
       select json_agg(json_build_object('txHash', t.tx_hash, 'senderKey', t.sender_key, 'recipientKey', t.recipient_key,
         'currency', t.currency, 'amount', t.amount::text, 'nonce', t.nonce, 'validUntil', t.valid_until, 'raw', t.raw)
         order by t.id)
       from transfer t where t.payout_id = p.id and not ${IS_OVER}), '[]') as own
     from payout p where p.network = $1 and p.currency = any($2) and p.amount = any($3::numeric[])
       and (p.status in ('REQUESTED', 'BROADCAST', 'AWAITING_APPROVAL') or p.status = 'COMPLETED' and p.id in (
         select payout_id from transfer d where d.network = $1 and d.status = 'CONFIRMED' and not ${isFirm('d')}))
       and not exists (
         select 1 from transfer c where c.payout_id = p.id and c.status = 'CONFIRMED' and ${isFirm('c')})
     order by p.created_at, p.id`,
    [network, currencies, amounts.map(String)],
  );
  return rows.map((row) => ({
    ...row,
    amount: BigInt(row.amount),
    own: row.own.map((one) => ({ ...one, amount: BigInt(one.amount) })),
  }));
}

/** A transaction of the book whose nonce another one used. Amount in base units. */
export interface Predecessor {
  readonly purpose: TransactionPurpose;
  readonly payoutId: string | null;
  /** Whether its payout has failed and its money was released. */
  readonly isReleased: boolean;
  readonly recipientKey: string;
  readonly currency: string;
  readonly amount: bigint;
}

/** The transactions with one nonce, newest first. */
export async function findPredecessors(
  em: EntityManager,
  network: string,
  { senderKey, nonce }: { readonly senderKey: string; readonly nonce: number },
): Promise<Predecessor[]> {
  const rows = await query<Omit<Predecessor, 'amount'> & { amount: string }>(
    em,
    `select t.purpose, t.payout_id as "payoutId", coalesce(p.status in ('FAILED', 'REJECTED'), false) as "isReleased",
       t.recipient_key as "recipientKey", t.currency, t.amount::text
     from transfer t left join payout p on p.id = t.payout_id
     where (t.network, t.sender_key, t.nonce) = ($1, $2, $3) order by t.max_per_gas desc, t.id desc`,
    [network, senderKey, nonce],
  );
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
}

/** The number of our transactions that spend one of some outputs and were mined or may be. */
export async function findSpender(
  em: EntityManager,
  network: string,
  outpoints: readonly string[],
): Promise<number | null> {
  const [row] = await query<{ nonce: string }>(
    em,
    `select s.nonce::text as nonce from spent_output s where s.network = $1 and s.outpoint = any($2)
       and exists (select 1 from transfer t where (t.network, t.sender_key, t.nonce) = (s.network, s.sender_key, s.nonce)
         and t.status in ('SIGNED', 'BROADCAST', 'CONFIRMED'))
     order by s.nonce limit 1`,
    [network, outpoints],
  );
  return row ? Number(row.nonce) : null;
}
