// The story of a delivery as live updates tell it, made of its rows: made, tried again and again, switched off. Pure.

import type { Delivery } from '../../database/queries/webhooks/read-deliveries.ts';
import type { ChangedDelivery, Look, RecordedAttempt } from '../../database/queries/webhooks/read-delivery-changes.ts';

interface Step {
  /** The transaction that took it. */
  readonly takenIn: bigint;
  readonly delivery: Delivery;
}

/**
 * What happened to a delivery within a look, in order, each step with the delivery as of then. A step belongs to the
 * look of the latest transaction among its own and those of the steps before it: a transaction may have started before
 * one whose work it waited for, and so have the lower id.
 */
export function changesWithin(
  { from, until }: Look,
  delivery: ChangedDelivery,
  attempts: readonly RecordedAttempt[],
): Delivery[] {
  const changes: Delivery[] = [];
  let latest = 0n;
  for (const step of stepsOf(delivery, attempts)) {
    if (step.takenIn > latest) latest = step.takenIn;
    if (latest >= from && latest < until) changes.push(step.delivery);
  }
  return changes;
}

/**
 * All its steps, in order. What waits is switched off, so what was tried before that was to be retried, and what ended
 * otherwise after it was under way meanwhile. A 410 is both the last attempt and the end, in one transaction.
 */
function stepsOf(delivery: ChangedDelivery, attempts: readonly RecordedAttempt[]): Step[] {
  const retried = attempts.filter(({ status }) => status === 'RETRYING');
  const last = attempts.filter(({ status }) => status !== 'RETRYING');
  const tried = (attempt: RecordedAttempt): Step => ({
    takenIn: attempt.recordedIn,
    delivery: asOf(delivery, attempts.slice(0, attempts.indexOf(attempt) + 1)),
  });
  const { madeIn, changedIn } = delivery;
  const isOff = changedIn !== madeIn && !attempts.some(({ recordedIn }) => recordedIn === changedIn);
  const off: Step = {
    takenIn: changedIn,
    delivery: { ...asOf(delivery, retried), status: 'DISABLED', nextRetryAt: null },
  };
  return [
    { takenIn: madeIn, delivery: asOf(delivery, []) },
    ...retried.map(tried),
    ...(isOff ? [off] : []),
    ...last.map(tried),
  ];
}

/** The delivery after these attempts. */
function asOf(
  { deliveryId, eventId, isPrimary, url, endpointUrl }: ChangedDelivery,
  attempts: readonly RecordedAttempt[],
): Delivery {
  const last = attempts.at(-1);
  const nextUrl = endpointUrl ?? url;
  return {
    deliveryId,
    eventId,
    isPrimary,
    url: last && last.status !== 'RETRYING' ? last.url : nextUrl,
    status: last?.status ?? 'PENDING',
    attempts: attempts.length,
    lastAttemptAt: last?.at ?? null,
    nextRetryAt: last?.nextRetryAt ?? null,
    responseCode: last?.responseCode ?? null,
    responseTimeMs: last?.responseTimeMs ?? null,
    attemptLog: attempts,
  };
}
