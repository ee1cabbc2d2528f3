// The payment state machine: one pure function of a payment, its deposits and the clock (contract, section 5). An
// invoice runs on it with values in the place of amounts (invoice-state.ts).

import type { DepositStatus, PaymentException, PaymentStatus } from '../../entities/enums.ts';
import type { LatePaymentPolicy } from '../../entities/merchant.ts';
import { lessTolerance } from '../../values/amount.ts';

/** The fields of a payment that its state depends on. Amounts in base units. */
export interface PaymentFacts {
  readonly status: PaymentStatus;
  readonly exception: PaymentException | null;
  readonly amount: bigint;
  /** The least that is too much: one base unit more than the amount, or more where rounding adds to it. */
  readonly overpaidFrom: bigint;
  readonly toleranceBasisPoints: number;
  readonly latePaymentPolicy: LatePaymentPolicy;
  readonly expiresAt: Date;
  readonly confirmingSince: Date | null;
  readonly lateFromStatus: PaymentStatus | null;
  readonly lateFromException: PaymentException | null;
  readonly lostFromStatus: PaymentStatus | null;
  readonly lostFromException: PaymentException | null;
  readonly lostAt: Date | null;
  readonly acceptedAt: Date | null;
  /** Refunds requested before it succeeded, unless they failed: that money no longer counts as received. */
  readonly setAside: bigint;
}

/** The fields of a deposit, in the payment's own asset, that the payment's state depends on. */
export interface DepositFacts {
  readonly amount: bigint;
  readonly status: DepositStatus;
  /** In the merchant's balance: it was confirmed and is not gone for good, though it may be off the chain now. */
  readonly credited: boolean;
  readonly late: boolean;
  readonly seenAt: Date;
}

/** `now`, and the time up to which the watcher has seen everything sent (null if nothing was seen yet). */
export interface ObservedClock {
  readonly now: Date;
  readonly seenUntil: Date | null;
}

/** The event recorded for a step. `payment.updated` stays inside the event log. */
export type StepEvent = 'payment.succeeded' | 'payment.failed' | 'payment.expired' | 'payment.updated';

/** One step: the fields it changes, and its event. */
export interface Step {
  readonly changes: Partial<PaymentFacts> & {
    readonly status: PaymentStatus;
    readonly exception: PaymentException | null;
  };
  readonly event: StepEvent;
}

const UNCONFIRMED_AFTER_MS = 24 * 60 * 60 * 1_000;

/**
 * The next step of a payment; null if none is due. Call it until it returns null: CONFIRMING is never skipped, so one
 * observation may take several steps, each of which is recorded and published.
 */
export function nextState(payment: PaymentFacts, deposits: readonly DepositFacts[], clock: ObservedClock): Step | null {
  switch (payment.status) {
    case 'PENDING':
    case 'PARTIALLY_PAID':
      return fromOpen(payment, deposits, clock);
    case 'CONFIRMING':
      return fromConfirming(payment, deposits, clock);
    case 'EXPIRED':
    case 'FAILED':
    case 'CANCELED':
      return fromEnded(payment, deposits, clock);
    case 'SUCCEEDED':
    case 'PARTIALLY_REFUNDED':
    case 'REFUNDED':
      return fromPaid(payment, deposits, clock);
  }
}

/** Awaiting money: only money that came in time counts. Late money waits until the payment has expired. */
function fromOpen(payment: PaymentFacts, deposits: readonly DepositFacts[], clock: ObservedClock): Step | null {
  const received = total(payment, deposits, (deposit) => onItsWay(deposit) && !deposit.late);
  if (received >= due(payment))
    return step({ status: 'CONFIRMING', exception: null, confirmingSince: clock.now }, 'payment.updated');
  const status = received > 0n ? 'PARTIALLY_PAID' : 'PENDING';
  if (status !== payment.status) return step({ status, exception: null }, 'payment.updated');
  if (!hasPassed(payment.expiresAt, clock)) return null;
  return received > 0n
    ? step({ status: 'FAILED', exception: 'UNDERPAID' }, 'payment.failed')
    : step({ status: 'EXPIRED', exception: null }, 'payment.expired');
}

/** Enough was seen: succeeds once confirmed, falls back if the money goes away, fails if confirmations never come. */
function fromConfirming(payment: PaymentFacts, deposits: readonly DepositFacts[], clock: ObservedClock): Step | null {
  const cameLate = payment.lateFromStatus !== null;
  const counts = (deposit: DepositFacts) => cameLate || !deposit.late;
  const restored = restoration(payment, deposits);
  if (restored) return restored;
  if (total(payment, deposits, (deposit) => isConfirmed(deposit) && counts(deposit)) >= due(payment)) {
    const exception = cameLate ? 'PAID_LATE' : overpaid(payment, deposits);
    return step({ status: 'SUCCEEDED', exception, confirmingSince: null, ...NO_LATE, ...NO_LOSS }, 'payment.succeeded');
  }
  const received = total(payment, deposits, (deposit) => onItsWay(deposit) && counts(deposit));
  if (received < due(payment)) {
    if (payment.lateFromStatus !== null) {
      const former = { status: payment.lateFromStatus, exception: payment.lateFromException };
      return step({ ...former, confirmingSince: null, ...NO_LATE }, 'payment.updated');
    }
    const status = received > 0n ? 'PARTIALLY_PAID' : 'PENDING';
    return step({ status, exception: null, confirmingSince: null }, 'payment.updated');
  }
  const since = Math.max(payment.expiresAt.getTime(), payment.confirmingSince?.getTime() ?? 0);
  if (!hasPassed(new Date(since + UNCONFIRMED_AFTER_MS), clock)) return null;
  return step({ status: 'FAILED', exception: 'UNCONFIRMED', confirmingSince: null, ...NO_LATE }, 'payment.failed');
}

/** Ended, but the address is still watched: lost money may come back, and the full amount may arrive late. */
function fromEnded(payment: PaymentFacts, deposits: readonly DepositFacts[], clock: ObservedClock): Step | null {
  const restored = restoration(payment, deposits);
  if (restored) return restored;
  if (!isPaidLate(payment, deposits)) return null;
  if (payment.latePaymentPolicy === 'MANUAL' && payment.acceptedAt === null) return null;
  const from = { lateFromStatus: payment.status, lateFromException: payment.exception };
  return step({ status: 'CONFIRMING', exception: null, confirmingSince: clock.now, ...from }, 'payment.updated');
}

/**
 * The step back to the state before confirmed money was lost, once that money is confirmed again; null otherwise. It
 * also applies while replacement money is on its way: whichever is confirmed first decides.
 */
function restoration(payment: PaymentFacts, deposits: readonly DepositFacts[]): Step | null {
  const { lostAt, lostFromStatus: status, lostFromException: exception } = payment;
  if (lostAt === null || status === null) return null;
  if (total(payment, deposits, (deposit) => isConfirmed(deposit) && deposit.seenAt <= lostAt) < due(payment))
    return null;
  return step({ status, exception, confirmingSince: null, ...NO_LATE, ...NO_LOSS }, 'payment.succeeded');
}

/**
 * Paid: marked OVERPAID if more than the amount was credited; fails if credited money is gone and too little is left.
 */
function fromPaid(payment: PaymentFacts, deposits: readonly DepositFacts[], clock: ObservedClock): Step | null {
  if (total(payment, deposits, (deposit) => deposit.credited) < due(payment)) {
    const from = { lostFromStatus: payment.status, lostFromException: payment.exception, lostAt: clock.now };
    return step({ status: 'FAILED', exception: 'REORGED', ...from }, 'payment.failed');
  }
  if (payment.exception === 'PAID_LATE') return null;
  const exception = overpaid(payment, deposits);
  return exception === payment.exception ? null : step({ status: payment.status, exception }, 'payment.updated');
}

/**
 * Whether an ended payment has received its full amount after all. After REORGED, lost money counts only once confirmed
 * again, so that a transaction that comes back restores the former state instead. After UNCONFIRMED, only confirmed
 * money counts.
 */
export function isPaidLate(payment: PaymentFacts, deposits: readonly DepositFacts[]): boolean {
  const { lostAt } = payment;
  const counts = (deposit: DepositFacts) => {
    if (payment.exception === 'UNCONFIRMED') return isConfirmed(deposit);
    if (lostAt !== null && deposit.seenAt <= lostAt) return isConfirmed(deposit);
    return onItsWay(deposit);
  };
  return total(payment, deposits, counts) >= due(payment);
}

const NO_LATE = { lateFromStatus: null, lateFromException: null, acceptedAt: null } as const;
const NO_LOSS = { lostFromStatus: null, lostFromException: null, lostAt: null } as const;

/** The amount due: the amount less the merchant's tolerance. */
function due(payment: PaymentFacts): bigint {
  return lessTolerance(payment.amount, payment.toleranceBasisPoints);
}

function onItsWay(deposit: DepositFacts): boolean {
  return deposit.status !== 'ORPHANED';
}

/**
 * Confirmed and on the chain now. Credited money that is off the chain, and may come back, keeps a payment succeeded
 * but cannot make one succeed.
 */
function isConfirmed(deposit: DepositFacts): boolean {
  return deposit.credited && deposit.status === 'CONFIRMED';
}

function overpaid(payment: PaymentFacts, deposits: readonly DepositFacts[]): 'OVERPAID' | null {
  return total(payment, deposits, (deposit) => deposit.credited) >= payment.overpaidFrom ? 'OVERPAID' : null;
}

function hasPassed(deadline: Date, clock: ObservedClock): boolean {
  return clock.seenUntil !== null && clock.seenUntil >= deadline;
}

/** The sum of the deposits that count, less what was set aside for refunds before the payment succeeded. */
function total(
  payment: PaymentFacts,
  deposits: readonly DepositFacts[],
  counts: (deposit: DepositFacts) => boolean,
): bigint {
  return deposits.reduce((sum, deposit) => (counts(deposit) ? sum + deposit.amount : sum), -payment.setAside);
}

function step(changes: Step['changes'], event: StepEvent): Step {
  return { changes, event };
}
