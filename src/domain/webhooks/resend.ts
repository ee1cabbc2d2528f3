// Resends an event: makes a new delivery of the same body for each of its present destinations.

import { lockSendableEvent, nextResend } from '../../database/queries/events/lock-event.ts';
import { lockEnabledEndpoints, insertDeliveries } from '../../database/queries/events/relay-events.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import { isId, newId } from '../../values/id.ts';
import type { Deps } from '../deps.ts';
import { destinationsOf } from './destinations.ts';
import type { IdempotentResult, IdempotencyKey } from '../idempotency.ts';
import { runIdempotent } from '../idempotent-request.ts';

/** The result of a resend. */
export interface ResentEvent {
  readonly eventId: string;
  readonly status: 'PENDING';
}

const NO_DESTINATION =
  'The event has nowhere to go: no endpoint that is on is subscribed to it, and it has no callbackUrl';

/**
 * Sends an event again, whatever became of earlier deliveries. Errors: 2001 if it has no destination; 2002; 2003; 2004
 * if it is unknown, another merchant's, or not sent as a webhook; 2014 if it was erased.
 */
export async function resendEvent(
  deps: Pick<Deps, 'db' | 'clock' | 'signals'>,
  merchantId: string,
  eventId: string,
  idempotencyKey: IdempotencyKey | null,
): Promise<IdempotentResult<ResentEvent>> {
  const answer = await runIdempotent<ResentEvent>(deps, idempotencyKey, async (em, now) => {
    const event = isId('evt', eventId) ? await lockSendableEvent(em, merchantId, eventId) : null;
    if (!event) throw new GatewayError('NOT_FOUND');
    if (event.erased) throw new GatewayError('EVENT_ERASED');
    const endpoints = await lockEnabledEndpoints(em, [merchantId]);
    const destinations = destinationsOf({ ...event, merchantId }, endpoints);
    if (destinations.length === 0) throw invalid([{ path: 'input', message: NO_DESTINATION }]);
    const resend = await nextResend(em, eventId);
    await insertDeliveries(
      em,
      destinations.map((destination) => ({
        ...destination,
        id: newId('dlv', now.getTime()),
        eventId,
        merchantId,
        resend,
      })),
    );
    return { eventId, status: 'PENDING' };
  });
  deps.signals.deliveries();
  return answer;
}
