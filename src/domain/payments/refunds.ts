// Payouts that come to nothing, and what refunds take out of a payment that has not succeeded.

import { LockMode } from '@mikro-orm/core';
import { query, type EntityManager } from '../../database/connection.ts';
import { isHalted } from '../../database/queries/payouts/obstacles.ts';
import { postEntries, type LedgerEntry } from '../../database/queries/ledger/post-ledger.ts';
import { mayBeOlder } from '../../database/queries/payouts/signing-state.ts';
import type { Payment } from '../../entities/payment.ts';
import { Payout } from '../../entities/payout.ts';
import type { PayoutStatus } from '../../values/payouts/state.ts';
import type { Deps } from '../deps.ts';
import { recordPayouts } from '../events/record-payout.ts';
import { figuresOf, releaseEntry } from '../ledger/payout-entries.ts';
import { lastRatesOf } from '../rates/last-rates.ts';

/** What a payout's row says when nothing holds it. */
export const NOT_HELD = { heldReason: null, heldSince: null, lookAt: null } as const;

/** Payouts that nothing was signed for. */
export const UNSIGNED: readonly PayoutStatus[] = ['REQUESTED', 'AWAITING_APPROVAL'];

/** Payouts whose money is available or refundable again. */
export const ENDED_UNPAID: readonly PayoutStatus[] = ['FAILED', 'REJECTED'];

/** Why a refund fails whose payment has lost what was to be given back. */
export const DEPOSIT_LOST = 'the deposit left the chain for good';

/**
 * The refunds of a payment that nothing was signed for yet fail, approved or not: the money they were to come from is
 * gone. Answers the releases of what they had reserved, for the caller to post with what takes the money back: accounts
 * are locked once, in one order, so that nobody who books a payout of the same merchant waits in a circle with this.
 *
 * While the book may lack what was signed none fails, as any may have been paid. What is left of them is judged when it
 * is signed.
 */
export async function failRequestedRefunds(
  deps: Pick<Deps, 'environment'>,
  em: EntityManager,
  { id: paymentId, network }: Pick<Payment, 'id' | 'network'>,
  now: Date,
): Promise<LedgerEntry[]> {
  if ((await isHalted(em, network)) || (await mayBeOlder(em, network))) return [];
  const refunds = await em.find(
    Payout,
    { paymentId, status: { $in: [...UNSIGNED] } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, refresh: true },
  );
  const failed = refunds.filter(({ status }) => UNSIGNED.includes(status));
  const releases = await endLocked(deps, em, failed, { step: 'failed', reason: DEPOSIT_LOST, keepsFee: false, now });
  await em.flush();
  return releases;
}

/** How a payout ends that was not paid. */
interface UnpaidEnd {
  readonly step: 'failed' | 'rejected';
  readonly reason: string;
  /** Its network fee is spent: a transaction of it was mined, and moved nothing. */
  readonly keepsFee: boolean;
  readonly now: Date;
}

/** Ends payouts whose rows are locked without paying them, and releases what they reserved. The caller flushes. */
export async function endUnpaid(
  deps: Pick<Deps, 'environment' | 'rates'>,
  em: EntityManager,
  payouts: readonly Payout[],
  end: UnpaidEnd,
): Promise<void> {
  await postEntries(em, await endLocked(deps, em, payouts, end), lastRatesOf(deps.rates));
}

async function endLocked(
  deps: Pick<Deps, 'environment'>,
  em: EntityManager,
  payouts: readonly Payout[],
  { step, reason, keepsFee, now }: UnpaidEnd,
): Promise<LedgerEntry[]> {
  const status = step === 'failed' ? 'FAILED' : 'REJECTED';
  for (const payout of payouts) Object.assign(payout, { ...NOT_HELD, status, failure: reason, updatedAt: now });
  await recordPayouts(deps, em, payouts, step);
  return payouts.map((payout) => releaseEntry(figuresOf(payout), { keepsFee, now }));
}

/** By payment: refunds asked for before it succeeded that have not come to nothing. */
export async function readSetAside(em: EntityManager, paymentIds: readonly string[]): Promise<Map<string, bigint>> {
  const rows = await query<{ id: string; amount: string }>(
    em,
    `select p.id, sum(r.amount)::text as amount from unnest($1::text[]) as p(id)
     cross join lateral (select amount, early, status from payout where payment_id = p.id offset 0) r
     where r.early and not r.status = any($2) group by p.id`,
    [paymentIds, ENDED_UNPAID],
  );
  return new Map(rows.map(({ id, amount }) => [id, BigInt(amount)]));
}
