// The lifecycle of a payout after the request: broadcast, completed, failed, released. Called within the signer's
// transactions; each call takes effect once, however often it is repeated.

import { LockMode } from '@mikro-orm/core';
import { query, type EntityManager } from '../../database/connection.ts';
import { readCursor } from '../../database/queries/chain/chain-cursor.ts';
import { lockInvoices } from '../../database/queries/invoices/lock-invoices.ts';
import { clearRefusals } from '../../database/queries/payouts/due-payouts.ts';
import { Deposit } from '../../entities/deposit.ts';
import { Payment } from '../../entities/payment.ts';
import type { PaymentStatus } from '../../entities/enums.ts';
import { Payout } from '../../entities/payout.ts';
import type { HeldReason } from '../../values/held-reasons.ts';
import { nextPayoutState, type PayoutFacts } from '../../values/payouts/state.ts';
import type { Deps } from '../deps.ts';
import { recordPayouts } from '../events/record-payout.ts';
import { eventRow, recordEvents } from '../events/record.ts';
import { settleInvoices } from '../payments/settle-invoices.ts';
import { endUnpaid, NOT_HELD } from '../payments/refunds.ts';
import { bookPayout, figuresOf } from '../ledger/payout-entries.ts';
import { isOwn, snapshotPayment } from '../snapshots/payment.ts';
import { traced } from '../../tracing.ts';
import { settlePayments } from '../payments/settle.ts';

type StepDeps = Pick<Deps, 'environment' | 'payUrl' | 'clock' | 'rates'>;

/**
 * Locks a payout, after its payment and then its invoice, if it has them; everyone who locks several uses this order.
 */
export async function lockPayout(em: EntityManager, id: string): Promise<{ payout: Payout; payment: Payment | null }> {
  const { paymentId } = await em.findOneOrFail(Payout, { id }, { fields: ['paymentId'], refresh: true });
  const lockMode = LockMode.PESSIMISTIC_WRITE;
  const payment = paymentId ? await em.findOneOrFail(Payment, { id: paymentId }, { lockMode, refresh: true }) : null;
  if (payment?.invoiceId) await lockInvoices(em, [payment.invoiceId]);
  const payout = await em.findOneOrFail(Payout, { id }, { lockMode, refresh: true });
  return { payout, payment };
}

/** What the state machine has to know of a payout's row. */
export const factsOf = ({ status, completedAt, txHash, awaitsUntil }: Payout): PayoutFacts => ({
  ...{ status, isBooked: completedAt != null, txHash: txHash ?? null, awaitsUntil: awaitsUntil ?? null },
});

/** Marks a payout whose transaction is signed and stored: from now on it may be sent, and cannot simply fail. */
export async function markBroadcast(deps: StepDeps, em: EntityManager, id: string, txHash: string): Promise<void> {
  const { payout } = await lockPayout(em, id);
  const now = deps.clock.now();
  const next = nextPayoutState(factsOf(payout), null, { state: 'OPEN', txHash }, now);
  if (next) {
    Object.assign(payout, { ...NOT_HELD, status: next.status, txHash, updatedAt: now });
    await recordPayouts(deps, em, [payout], next.step);
  } else if (payout.status === 'BROADCAST') Object.assign(payout, NOT_HELD);
  await em.flush();
}

/**
 * Completes a payout whose transaction has the required confirmations. The first time, a refund updates its payment and
 * invoice, and records payment.refunded and invoice.refunded.
 */
export async function completePayout(deps: StepDeps, em: EntityManager, id: string, txHash: string): Promise<void> {
  const { payout, payment } = await lockPayout(em, id);
  const now = deps.clock.now();
  const next = nextPayoutState(factsOf(payout), null, { state: 'MINED', txHash }, now);
  if (!next) return;
  const isFirst = payout.completedAt == null;
  const completedAt = payout.completedAt ?? now;
  Object.assign(payout, { ...NOT_HELD, status: next.status, txHash, updatedAt: now, completedAt });
  await traced('complete payout', { below: payout.trace ?? null }, { 'payout.id': id }, async () => {
    await bookPayout(deps, em, figuresOf(payout), now);
    await recordPayouts(deps, em, [payout], next.step);
    if (payment && isFirst) await recordRefund(deps, em, payment, payout.amount, now);
    await em.flush();
    if (payment?.invoiceId && isFirst) await settleInvoices(deps, em, [payment.invoiceId], now, { isRefunded: true });
  });
}

/** Why a payout that is BROADCAST may fail; the caller has made sure of it. */
export interface FailedHow {
  /** One of its transactions was mined and reverted for good: its network fee is spent. */
  readonly reverted?: boolean;
  /** It was signed, but none of its transactions can take effect any more. */
  readonly wasSigned?: boolean;
}

/**
 * Fails a payout that was not paid and never will be; its reserved money becomes available again. Nothing was signed
 * for it, or none of its transactions moved anything or still can: the caller has made sure of that.
 */
export async function failPayout(
  deps: StepDeps,
  em: EntityManager,
  id: string,
  reason: string,
  { reverted = false, wasSigned = reverted }: FailedHow = {},
): Promise<void> {
  const { payout, payment } = await lockPayout(em, id);
  const now = deps.clock.now();
  // A booked payout has nothing reserved to release, and the event of a refund cannot be taken back.
  const next = nextPayoutState(factsOf(payout), 'FAIL', { state: wasSigned ? 'VOID' : 'NONE' }, now);
  if (!next) return;
  await endUnpaid(deps, em, [payout], { step: 'failed', reason, keepsFee: reverted, now });
  await clearRefusals(em, id);
  await followRefund(deps, em, { payout, payment }, now);
}

/**
 * Records the end of an unpaid refund as an update of its payment, in any state; an early one also settles the payment,
 * which may record further events. The caller has ended it under the locks of `lockPayout`.
 */
export async function followRefund(
  deps: StepDeps,
  em: EntityManager,
  { payout, payment }: { readonly payout: Payout; readonly payment: Payment | null },
  now: Date,
): Promise<void> {
  if (payment) await recordChange(deps, em, payment, 'payment.updated', now);
  await em.flush();
  if (!payment || !(payout.early || payout.beforeSettlement)) return;
  // Money that was set aside counts as received again, which may be all that the payment lacked.
  const height = (await readCursor(em, payment.network))?.height ?? 0;
  await settlePayments(deps, em, [payment.id], { network: payment.network, height, clock: { now, seenUntil: null } });
}

/** Ends the hold on a payout if it is held for one of these reasons. */
export async function endHold(em: EntityManager, id: string, reasons: readonly HeldReason[]): Promise<void> {
  await query(
    em,
    `update payout set held_reason = null, held_since = null, look_at = null where id = $1 and held_reason = any($2)`,
    [id, reasons],
  );
}

async function recordRefund(
  deps: StepDeps,
  em: EntityManager,
  payment: Payment,
  amount: bigint,
  now: Date,
): Promise<void> {
  const deposits = await readDeposits(em, payment);
  payment.amountRefunded += amount;
  const { status, lostFromStatus } = payment;
  if (isPaid(status)) payment.status = refundedStatus(payment, payment.amountConfirmed);
  // The state to restore, if lost money comes back, must reflect the refund as well.
  if (lostFromStatus && isPaid(lostFromStatus))
    payment.lostFromStatus = refundedStatus(payment, everConfirmed(payment, deposits));
  await recordChange(deps, em, payment, 'payment.refunded', now);
}

const readDeposits = (em: EntityManager, { id }: Payment) =>
  em.find(Deposit, { paymentId: id }, { orderBy: { id: 'asc' } });

/** Records a change of a locked payment as an event of its next version; the caller flushes. */
async function recordChange(
  deps: StepDeps,
  em: EntityManager,
  payment: Payment,
  type: 'payment.refunded' | 'payment.updated',
  now: Date,
): Promise<void> {
  payment.version += 1;
  payment.updatedAt = now;
  const height = (await readCursor(em, payment.network))?.height ?? 0;
  const snapshot = snapshotPayment(payment, await readDeposits(em, payment), { payUrl: deps.payUrl, height });
  const { merchantId, version } = payment;
  await recordEvents(em, [eventRow(deps.environment, { type, merchantId, version, payment: snapshot, at: now })]);
}

const isPaid = (status: PaymentStatus): boolean => status === 'SUCCEEDED' || status === 'PARTIALLY_REFUNDED';

function refundedStatus({ amountRefunded }: Payment, confirmed: bigint): PaymentStatus {
  return amountRefunded >= confirmed ? 'REFUNDED' : 'PARTIALLY_REFUNDED';
}

/** What a payment has confirmed, including what it has lost again. */
function everConfirmed(payment: Payment, deposits: readonly Deposit[]): bigint {
  const credited = deposits.filter((deposit) => isOwn(payment, deposit) && deposit.credits > 0);
  return credited.reduce((sum, { amount }) => sum + amount, 0n);
}
