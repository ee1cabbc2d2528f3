// Payouts that come to nothing, and what refunds take out of a payment that has not succeeded.

import { LockMode } from '@mikro-orm/core';
import { query, type EntityManager } from '../database/connection.ts';
import { Payout } from '../entities/payout.ts';
import { releasePayout } from './payout-ledger.ts';

/** The refunds of a payment that nothing was signed for yet fail: the money they were to come from is gone. */
export async function failRequestedRefunds(em: EntityManager, paymentId: string, now: Date): Promise<void> {
  const refunds = await em.find(
    Payout,
    { paymentId, status: 'REQUESTED' },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, refresh: true },
  );
  for (const refund of refunds) {
    if (refund.status === 'REQUESTED') await failLocked(em, refund, 'the deposit left the chain for good', now);
  }
  await em.flush();
}

/** Fails a payout whose row is locked, and releases what it reserved. */
export async function failLocked(em: EntityManager, payout: Payout, reason: string, now: Date): Promise<void> {
  Object.assign(payout, { status: 'FAILED', failure: reason, updatedAt: now });
  await releasePayout(em, { ...payout, paymentId: payout.paymentId ?? null }, now);
}

/** By payment: refunds asked for before it succeeded that have not failed. */
export async function readSetAside(em: EntityManager, paymentIds: readonly string[]): Promise<Map<string, bigint>> {
  const rows = await query<{ id: string; amount: string }>(
    em,
    `select payment_id as id, sum(amount)::text as amount from payout
     where payment_id = any($1) and early and status <> 'FAILED' group by payment_id`,
    [paymentIds],
  );
  return new Map(rows.map(({ id, amount }) => [id, BigInt(amount)]));
}
