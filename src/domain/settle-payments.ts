// The one way a payment changes: look at its deposits and the clock, move the money, take the steps, record the events.
// All in the transaction at hand, so a state, its postings and its events commit together or not at all.

import { LockMode } from '@mikro-orm/core';
import { Deposit } from '../entities/deposit.ts';
import { Payment } from '../entities/payment.ts';
import type { EntityManager } from '../database/connection.ts';
import { feeOf } from '../values/amount.ts';
import { assetOf } from '../values/assets.ts';
import type { Deps } from './deps.ts';
import { eventRow, recordEvents, type EventRow, type EventType } from './events.ts';
import { creditDeposit, reverseDeposit } from './ledger.ts';
import { snapshotPayment } from './payment-snapshot.ts';
import { nextState, type ObservedClock } from './payment-state.ts';
import { failRequestedRefunds, readSetAside } from './fail-payouts.ts';

/** What is known of the chain at this moment: the height up to which it was read, and the observed clock. */
export interface ChainView {
  readonly height: number;
  readonly clock: ObservedClock;
}

type SettleDeps = Pick<Deps, 'environment' | 'payUrl'>;

/** Settles payments, locked in the order of their ids. Says how many events were recorded. */
export async function settlePayments(
  deps: SettleDeps,
  em: EntityManager,
  paymentIds: readonly string[],
  view: ChainView,
): Promise<number> {
  if (paymentIds.length === 0) return 0;
  const ids = [...new Set(paymentIds)].sort();
  const payments = await em.find(
    Payment,
    { id: { $in: ids } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, refresh: true },
  );
  const deposits = await em.find(Deposit, { paymentId: { $in: ids } }, { orderBy: { id: 'asc' }, refresh: true });
  const depositsOf = (payment: Payment) => deposits.filter((deposit) => deposit.paymentId === payment.id);
  for (const payment of payments) {
    for (const deposit of depositsOf(payment)) await settleDeposit(deps, em, payment, deposit, view);
  }
  const setAside = await readSetAside(em, ids);
  const events = payments.flatMap((payment) =>
    settlePayment(deps, payment, depositsOf(payment), setAside.get(payment.id) ?? 0n, view),
  );
  await recordEvents(em, events);
  await em.flush();
  return events.length;
}

/** Confirms, credits, gives up and takes back, each once. */
async function settleDeposit(
  deps: SettleDeps,
  em: EntityManager,
  payment: Payment,
  deposit: Deposit,
  view: ChainView,
): Promise<void> {
  const reached = (height: number | null | undefined) =>
    height != null && view.height - height + 1 >= payment.requiredConfirmations;
  if (deposit.status === 'PENDING' && reached(deposit.blockHeight)) deposit.status = 'CONFIRMED';
  const credit = () => ({
    depositId: deposit.id,
    paymentId: payment.id,
    merchantId: payment.merchantId,
    asset: assetOf(deposit),
    amount: deposit.amount,
    turn: deposit.credits,
  });
  if (deposit.status === 'CONFIRMED' && !deposit.credited) {
    deposit.credits += 1;
    deposit.credited = true;
    await creditDeposit(em, credit(), view.clock.now);
  }
  // Gone for good: the winning branch has the required confirmations where the transaction was, without it. Waiting to
  // be mined once more does not help it; should it be, it is credited anew.
  if (deposit.blockHeight == null && !deposit.gone && reached(deposit.orphanedHeight)) {
    deposit.gone = true;
    if (deposit.credited) {
      if (deposit.currency === payment.currency) await failRequestedRefunds(em, payment.id, view.clock.now);
      await reverseDeposit(em, credit(), view.clock.now);
    }
    deposit.credited = false;
  }
}

/** Takes every step that is due, and tells each; a change of amounts without a step is told as an update. */
function settlePayment(
  deps: SettleDeps,
  payment: Payment,
  deposits: readonly Deposit[],
  setAside: bigint,
  { height, clock }: ChainView,
): EventRow[] {
  const own = deposits.filter((deposit) => deposit.currency === payment.currency);
  const events: EventRow[] = [];
  const tell = (type: EventType) => {
    payment.version += 1;
    payment.updatedAt = clock.now;
    const snapshot = snapshotPayment(payment, deposits, { payUrl: deps.payUrl, height });
    const { merchantId, version } = payment;
    events.push(eventRow(deps.environment, { type, merchantId, version, payment: snapshot, at: clock.now }));
  };

  const changed = updateAmounts(payment, own);
  const next = () => nextState({ ...toFacts(payment), setAside }, own, clock);
  for (let step = next(); step; step = next()) {
    Object.assign(payment, step.changes);
    if (payment.status === 'SUCCEEDED') payment.completedAt ??= clock.now;
    tell(step.event);
  }
  if (changed && events.length === 0) tell('payment.updated');
  return events;
}

function updateAmounts(payment: Payment, own: readonly Deposit[]): boolean {
  const sum = (counts: (deposit: Deposit) => boolean, of = (amount: bigint) => amount) =>
    own.reduce((total, deposit) => (counts(deposit) ? total + of(deposit.amount) : total), 0n);
  const amountReceived = sum((deposit) => deposit.status !== 'ORPHANED');
  const amountConfirmed = sum((deposit) => deposit.credited);
  const feeAmount = sum((deposit) => deposit.credited, feeOf);
  const changed = payment.amountReceived !== amountReceived || payment.amountConfirmed !== amountConfirmed;
  Object.assign(payment, { amountReceived, amountConfirmed, feeAmount });
  return changed;
}

/** The entity as the state machine reads it: absent is null. */
export function toFacts(payment: Payment) {
  return {
    status: payment.status,
    exception: payment.exception ?? null,
    amount: payment.amount,
    toleranceBasisPoints: payment.toleranceBasisPoints,
    latePaymentPolicy: payment.latePaymentPolicy,
    expiresAt: payment.expiresAt,
    confirmingSince: payment.confirmingSince ?? null,
    lateFromStatus: payment.lateFromStatus ?? null,
    lateFromException: payment.lateFromException ?? null,
    lostFromStatus: payment.lostFromStatus ?? null,
    lostFromException: payment.lostFromException ?? null,
    lostAt: payment.lostAt ?? null,
    acceptedAt: payment.acceptedAt ?? null,
  };
}
