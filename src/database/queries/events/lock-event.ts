// Locks an event that is to be resent, so that two resends of it run one after the other.

import { query, type EntityManager } from '../../connection.ts';

/** A locked event that has a webhook body, or had one. */
export interface SendableEvent {
  /** Its body was removed with its customer. */
  readonly erased: boolean;
  readonly type: string;
  /** The callback URL of its payment or invoice. */
  readonly callbackUrl: string | null;
  /** The only URL that a test event goes to, if it names one. */
  readonly targetUrl: string | null;
}

/** Locks a merchant's event until the transaction ends; null if they have no such event, or it is never sent. */
export async function lockSendableEvent(
  em: EntityManager,
  merchantId: string,
  eventId: string,
): Promise<SendableEvent | null> {
  const [event] = await query<SendableEvent>(
    em,
    `select e.type, e.erased, case when e.invoice_id is null
         then (select p.callback_url from payment p where p.id = e.payment_id)
         else (select i.callback_url from invoice i where i.id = e.invoice_id) end as "callbackUrl",
       e.target_url as "targetUrl"
     from event e where e.id = $1 and e.merchant_id = $2 and (e.body is not null or e.erased)
     for no key update of e`,
    [eventId, merchantId],
  );
  return event ?? null;
}

/** The number of a locked event's next resend. */
export async function nextResend(em: EntityManager, eventId: string): Promise<number> {
  const [row] = await query<{ next: number }>(
    em,
    'select coalesce(max(resend), 0) + 1 as next from webhook_delivery where event_id = $1',
    [eventId],
  );
  return row?.next ?? 1;
}
