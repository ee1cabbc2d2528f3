// Reconstructs the changes of a delivery from its rows, for subscribers: created, attempted, retried, disabled. Pure.

import type { Delivery } from '../../database/queries/webhooks/read-deliveries.ts';
import type { ChangedDelivery, Look, RecordedAttempt } from '../../database/queries/webhooks/read-delivery-changes.ts';

interface Step {
  /** The id of the transaction that made it. */
  readonly takenIn: bigint;
  readonly delivery: Delivery;
}

/**
 * The changes to a delivery within a look, in order, each with the delivery after that change. A change belongs to the
 * look of the highest transaction id among its own and those of the changes before it: a transaction may have started
 * before one whose work it waited for, and so have the lower id.
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
 * All changes of a delivery, in order. Only a waiting delivery can be disabled, so attempts before that were to be
 * retried, and a final attempt after it was in flight at the time. A 410 is both the last attempt and the end, in one
 * transaction.
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

function asOf(
  { deliveryId, eventId, endpointId, isPrimary, url, endpointUrl }: ChangedDelivery,
  attempts: readonly RecordedAttempt[],
): Delivery {
  const last = attempts.at(-1);
  const nextUrl = endpointUrl ?? url;
  return {
    deliveryId,
    eventId,
    endpointId,
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
