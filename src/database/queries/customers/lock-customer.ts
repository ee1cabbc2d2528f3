// Locks what names a customer: their orders, the events of these, and the mails to them. Rows of a table are locked in
// the order of their ids, payments before invoices, as settling does.

import { query, type EntityManager } from '../../connection.ts';

/** An order and its state. */
export interface CustomerOrder {
  readonly id: string;
  readonly status: string;
}

/** SQL: the ids of a table's rows of merchant $1 that name the address $2 (in lower case), as the index says it. */
const naming = (table: 'payment' | 'invoice') => `
  select id from ${table} where customer_email is not null
    and (merchant_id || ' ' || lower(customer_email)) collate "C" = $1::text || ' ' || $2::text`;

/** Locks the payments of a merchant that name an address, or whose invoice does. */
export function lockCustomerPayments(em: EntityManager, merchantId: string, email: string): Promise<CustomerOrder[]> {
  return query<CustomerOrder>(
    em,
    `select p.id, p.status from payment p where p.ctid = any(array(
       select o.ctid from (
         ${naming('payment')}
         union select q.payment_id from (${naming('invoice')}) i
         cross join lateral (select payment_id from quote where invoice_id = i.id offset 0) q
       ) named cross join lateral (select ctid from payment where id = named.id offset 0) o))
     order by p.id for update of p`,
    [merchantId, email],
  );
}

/** Locks the invoices of a merchant that name an address. */
export function lockCustomerInvoices(em: EntityManager, merchantId: string, email: string): Promise<CustomerOrder[]> {
  return query<CustomerOrder>(
    em,
    `select i.id, i.status from invoice i where i.ctid = any(array(
       select o.ctid from (${naming('invoice')}) named
       cross join lateral (select ctid from invoice where id = named.id offset 0) o))
     order by i.id for update of i`,
    [merchantId, email],
  );
}

/** The refunds of payments that have not ended. */
export function findOpenRefunds(em: EntityManager, paymentIds: readonly string[]): Promise<CustomerOrder[]> {
  return query<CustomerOrder>(
    em,
    `select r.id, r.status from unnest($1::text[]) as p(id)
     cross join lateral (select id, status from payout where payment_id = p.id offset 0) r
     where r.status not in ('COMPLETED', 'FAILED', 'REJECTED') order by r.id`,
    [paymentIds],
  );
}

/** An event of a customer's order; `waits` while webhooks of it are still to be made. */
export interface CustomerEvent {
  readonly id: string;
  readonly waits: boolean;
}

/** Locks the events of payments, of their refunds and of invoices, so that none of them is resent meanwhile. */
export function lockOrderEvents(
  em: EntityManager,
  paymentIds: readonly string[],
  invoiceIds: readonly string[],
): Promise<CustomerEvent[]> {
  return query<CustomerEvent>(
    em,
    `select e.id, e.body is not null and coalesce(e.position
       > (select position from relay_cursor where name = 'webhooks'), true) as waits
     from event e where e.ctid = any(array(
       select of_payment.ctid from unnest($1::text[]) as p(id)
       cross join lateral (select ctid from event where payment_id = p.id offset 0) of_payment
       union all select of_refund.ctid from unnest($1::text[]) as p(id)
       cross join lateral (select id from payout where payment_id = p.id offset 0) r
       cross join lateral (select ctid from event where payout_id = r.id offset 0) of_refund
       union all select of_invoice.ctid from unnest($2::text[]) as i(id)
       cross join lateral (select ctid from event where invoice_id = i.id offset 0) of_invoice))
     order by e.id for no key update of e`,
    [paymentIds, invoiceIds],
  );
}

/** Of these events, those that still have a webhook to send. Read it once they are locked. */
export async function findWaitingWebhooks(em: EntityManager, eventIds: readonly string[]): Promise<string[]> {
  const rows = await query<{ id: string }>(
    em,
    `select e.id from unnest($1::text[]) as e(id) where exists (
       select 1 from (select due_at from webhook_delivery where event_id = e.id offset 0) d where d.due_at is not null)
     order by 1`,
    [eventIds],
  );
  return rows.map(({ id }) => id);
}

/** Locks the mails of these templates that went, or are to go, to an address on behalf of a merchant. */
export function lockCustomerMails(
  em: EntityManager,
  { merchantId, email, templates }: CustomerMails,
): Promise<CustomerOrder[]> {
  return query<CustomerOrder>(
    em,
    `select id, status from mail where recipient = $1 and merchant_id = $2 and template = any($3)
     order by id for update`,
    [email, merchantId, templates],
  );
}

interface CustomerMails {
  readonly merchantId: string;
  readonly email: string;
  readonly templates: readonly string[];
}
