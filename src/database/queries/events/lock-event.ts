// An event that is to be sent once more, held so that two resends of it take their turns.

import { query, type EntityManager } from '../../connection.ts';

/** An event that has a webhook body. */
export interface HeldEvent {
  readonly type: string;
  /** Its payment's. */
  readonly callbackUrl: string | null;
  /** The one URL that a test event goes to, if it names one. */
  readonly targetUrl: string | null;
}

/**
 * Holds a merchant's event for the transaction at hand; null where they have none of this id, or it was never one to
 * send.
 */
export async function holdSendableEvent(
  em: EntityManager,
  merchantId: string,
  eventId: string,
): Promise<HeldEvent | null> {
  const [event] = await query<HeldEvent>(
    em,
    `select e.type, (select p.callback_url from payment p where p.id = e.payment_id) as "callbackUrl",
       e.target_url as "targetUrl"
     from event e where e.id = $1 and e.merchant_id = $2 and e.body is not null
     for no key update of e`,
    [eventId, merchantId],
  );
  return event ?? null;
}

/** The number of a held event's next resend: one more than its latest has. */
export async function nextResend(em: EntityManager, eventId: string): Promise<number> {
  const [row] = await query<{ next: number }>(
    em,
    'select coalesce(max(resend), 0) + 1 as next from webhook_delivery where event_id = $1',
    [eventId],
  );
  return row?.next ?? 1;
}
