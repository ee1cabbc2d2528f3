// Payouts that need a transaction, in the order in which the signer should look at them; and recipients' refusals.

import { query, type EntityManager } from '../../connection.ts';
import { IS_FROZEN } from './obstacles.ts';
import { ITS_STATUS } from '../row-status.ts';

/** A payout as the signer reads it. Amount in base units. */
export interface DuePayout {
  readonly id: string;
  /** Null for the gateway's own fees. */
  readonly merchantId: string | null;
  readonly currency: string;
  readonly amount: bigint;
  readonly address: string;
  /** How many of its transactions were mined and moved nothing. */
  readonly failures: number;
  /** At how many blocks its recipient refused it, since it last did not. */
  readonly refusals: number;
  /** The span of its request; null without tracing. */
  readonly trace: string | null;
}

/**
 * SQL: the transactions of a payout, found by the payout whatever else is asked of them. Asked for their status at
 * once, statistics of another hour made PostgreSQL read every transaction with that status for each payout.
 */
export const transactionsOf = (payout: string): string =>
  `(select id, status, moved, lost from transfer where payout_id = ${payout} offset 0)`;

/** Whether a payout `p` has a transaction that took effect or still may. */
export const HAS_LIVE_TRANSACTION = `exists (select 1 from ${transactionsOf('p.id')} t
  where t.status in ('SIGNED', 'BROADCAST', 'CONFIRMED', 'UNCLEAR'))`;

/** Whether no transaction of a payout `p` took effect or still may. */
export const HAS_NO_LIVE_TRANSACTION = `not ${HAS_LIVE_TRANSACTION}`;

/**
 * Payouts without a transaction that are due: new ones, held ones whose time has come, and ones whose transaction
 * failed for good. Merchants take turns, so that one with thousands of payouts delays nobody. Within a merchant,
 * payouts never looked at come first, then those not looked at for longest. Payouts marked as frozen are skipped while
 * they are.
 */
export async function findDuePayouts(
  em: EntityManager,
  network: string,
  { now, limit }: { now: Date; limit: number },
): Promise<DuePayout[]> {
  const rows = await query<Omit<DuePayout, 'amount'> & { amount: string }>(
    em,
    `select id, merchant_id as "merchantId", currency, amount::text, address, trace,
       (select count(*)::int from ${transactionsOf('d.id')} t where t.status = 'FAILED') as failures,
       (select count(*)::int from payout_refusal r where r.payout_id = d.id) as refusals
     from (
       select *, row_number() over (partition by merchant_id order by look_at nulls first, created_at, id) as turn
       from payout p where network = $1 and status in ('REQUESTED', 'BROADCAST')
         and (look_at is null or look_at <= $3) and ${HAS_NO_LIVE_TRANSACTION}
         and not (held_reason is not distinct from 'FROZEN' and ${IS_FROZEN})
     ) d order by turn, look_at nulls first, created_at, id limit $2`,
    [network, limit, now],
  );
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
}

/**
 * Moves payouts that nothing holds any more behind all other due payouts, except those that were put on hold again
 * after `since`, when they were found to be due.
 */
export async function sendToTheEnd(
  em: EntityManager,
  ids: readonly string[],
  { since, now }: { since: Date; now: Date },
): Promise<void> {
  if (ids.length === 0) return;
  await query(
    em,
    `update payout set held_reason = null, held_since = null, look_at = $2
     where id = any($1) and ${ITS_STATUS} in ('REQUESTED', 'BROADCAST') and (look_at is null or look_at <= $3)`,
    [ids, now, since],
  );
}

/** Records that a payout's recipient refused it at a block; returns at how many blocks so far, and over what height. */
export async function addRefusal(
  em: EntityManager,
  payoutId: string,
  block: { readonly hash: string; readonly height: number },
): Promise<{ readonly blocks: number; readonly span: number }> {
  await query(
    em,
    'insert into payout_refusal (payout_id, block_hash, block_height) values ($1, $2, $3) on conflict do nothing',
    [payoutId, block.hash, block.height],
  );
  const [row] = await query<{ blocks: number; span: number }>(
    em,
    `select count(distinct block_height)::int as blocks, (max(block_height) - min(block_height))::int as span
     from payout_refusal where payout_id = $1`,
    [payoutId],
  );
  return row ?? { blocks: 0, span: 0 };
}

/** Forgets a payout's refusals, because its recipient accepted it when last asked. */
export async function clearRefusals(em: EntityManager, payoutId: string): Promise<void> {
  await query(em, 'delete from payout_refusal where payout_id = $1', [payoutId]);
}

/** Whether a payout, locked by the caller, has a transaction that took effect or still may. */
export async function hasLiveTransaction(em: EntityManager, id: string): Promise<boolean> {
  const rows = await query(em, `select 1 from payout p where id = $1 and ${HAS_LIVE_TRANSACTION}`, [id]);
  return rows.length > 0;
}
