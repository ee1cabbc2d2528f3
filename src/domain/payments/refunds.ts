// Payouts that come to nothing, and what refunds take out of a payment that has not succeeded.

import { LockMode } from '@mikro-orm/core';
import { query, type EntityManager } from '../../database/connection.ts';
import { isHalted } from '../../database/queries/payouts/obstacles.ts';
import { postEntries, type LedgerEntry } from '../../database/queries/ledger/post-ledger.ts';
import { mayBeOlder } from '../../database/queries/payouts/signing-state.ts';
import type { Payment } from '../../entities/payment.ts';
import { Payout } from '../../entities/payout.ts';
import { figuresOf, releaseEntry } from '../ledger/payout-entries.ts';

/** What a payout's row says when nothing holds it. */
export const NOT_HELD = { heldReason: null, heldSince: null, lookAt: null } as const;

/** Why a refund fails whose payment has lost what was to be given back. */
export const DEPOSIT_LOST = 'the deposit left the chain for good';

/**
 * The refunds of a payment that nothing was signed for yet fail: the money they were to come from is gone. Answers the
 * releases of what they had reserved, for the caller to post with what takes the money back: accounts are locked once,
 * in one order, so that nobody who books a payout of the same merchant waits in a circle with this.
 *
 * While the book may lack what was signed none fails, as any may have been paid. What is left of them is judged when it
 * is signed.
 */
export async function failRequestedRefunds(
  em: EntityManager,
  { id: paymentId, network }: Pick<Payment, 'id' | 'network'>,
  now: Date,
): Promise<LedgerEntry[]> {
  if ((await isHalted(em, network)) || (await mayBeOlder(em, network))) return [];
  const refunds = await em.find(
    Payout,
    { paymentId, status: 'REQUESTED' },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, refresh: true },
  );
  const failed = refunds.filter(({ status }) => status === 'REQUESTED');
  const releases = failed.map((refund) => endLocked(refund, { reason: DEPOSIT_LOST, keepsFee: false, now }));
  await em.flush();
  return releases;
}

/** How a payout ends that was not paid. */
interface FailedEnd {
  readonly reason: string;
  /** Its network fee is spent: a transaction of it was mined, and moved nothing. */
  readonly keepsFee: boolean;
  readonly now: Date;
}

/** Fails a payout whose row is locked, and releases what it reserved. */
export async function failLocked(em: EntityManager, payout: Payout, end: FailedEnd): Promise<void> {
  await postEntries(em, [endLocked(payout, end)]);
}

function endLocked(payout: Payout, { reason, keepsFee, now }: FailedEnd): LedgerEntry {
  Object.assign(payout, { ...NOT_HELD, status: 'FAILED', failure: reason, updatedAt: now });
  return releaseEntry(figuresOf(payout), { keepsFee, now });
}

/** By payment: refunds asked for before it succeeded that have not failed. */
export async function readSetAside(em: EntityManager, paymentIds: readonly string[]): Promise<Map<string, bigint>> {
  const rows = await query<{ id: string; amount: string }>(
    em,
    `select p.id, sum(r.amount)::text as amount from unnest($1::text[]) as p(id)
     cross join lateral (select amount, early, status from payout where payment_id = p.id offset 0) r
     where r.early and r.status <> 'FAILED' group by p.id`,
    [paymentIds],
  );
  return new Map(rows.map(({ id, amount }) => [id, BigInt(amount)]));
}
