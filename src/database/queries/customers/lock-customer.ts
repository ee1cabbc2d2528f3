// Finds the orders of a customer, and locks what names them: orders, the events of these, and the mails about them.
// Rows of a table are locked in the order of their ids, payments before invoices, as settling does. They are locked by
// id: a row that changed while its lock was awaited is at another place, and by its place it would be missed.

import { query, toDate, type EntityManager } from '../../connection.ts';

/** A row and its state. */
export interface CustomerOrder {
  readonly id: string;
  readonly status: string;
}

/** A payment or an invoice; those of an invoice name it. */
export interface LockedOrder extends CustomerOrder {
  readonly invoiceId: string | null;
  /** When it changed last. */
  readonly updatedAt: Date;
}

/** The ids of orders. */
export interface OrderIds {
  readonly paymentIds: readonly string[];
  readonly invoiceIds: readonly string[];
}

/** SQL: the ids of a table's rows of merchant $1 that name the address $2 (in lower case), as the index says it. */
const naming = (table: 'payment' | 'invoice') => `
  select id from ${table} where customer_email is not null and ($3::timestamptz is null or created_at <= $3)
    and (merchant_id || ' ' || lower(customer_email)) collate "C" = $1::text || ' ' || $2::text`;

/** A customer of a merchant, by their address in lower case; of orders until a time, or (null) of all. */
export interface Customer {
  readonly merchantId: string;
  readonly email: string;
  readonly until: Date | null;
}

/** Finds the invoices of a customer, and the payments that name them or belong to these. */
export async function findCustomerOrders(em: EntityManager, { merchantId, email, until }: Customer): Promise<OrderIds> {
  const rows = await query<{ id: string; isInvoice: boolean }>(
    em,
    `select id, false as "isInvoice" from (${naming('payment')}) p
     union all select id, true from (${naming('invoice')}) i`,
    [merchantId, email, until],
  );
  const invoiceIds = rows.flatMap(({ id, isInvoice }) => (isInvoice ? [id] : []));
  const quoted = await findQuoted(em, invoiceIds);
  const own = rows.flatMap(({ id, isInvoice }) => (isInvoice ? [] : [id]));
  return { paymentIds: [...new Set([...own, ...quoted])], invoiceIds };
}

/** The payments of invoices. */
export async function findQuoted(em: EntityManager, invoiceIds: readonly string[]): Promise<string[]> {
  const rows = await query<{ id: string }>(
    em,
    `select q.payment_id as id from unnest($1::text[]) as i(id)
     cross join lateral (select payment_id from quote where invoice_id = i.id offset 0) q`,
    [invoiceIds],
  );
  return rows.map(({ id }) => id);
}

type Row = Omit<LockedOrder, 'updatedAt'> & { readonly updatedAt: string };

/** Locks payments, and then invoices. */
export async function lockOrders(em: EntityManager, { paymentIds, invoiceIds }: OrderIds): Promise<LockedOrder[]> {
  const payments = await query<Row>(
    em,
    `select id, status, invoice_id as "invoiceId", updated_at as "updatedAt" from payment
     where id = any($1::text[]) order by id for update`,
    [paymentIds],
  );
  const invoices = await query<Row>(
    em,
    `select id, status, id as "invoiceId", updated_at as "updatedAt" from invoice
     where id = any($1::text[]) order by id for update`,
    [invoiceIds],
  );
  return [...payments, ...invoices].map((row) => ({ ...row, updatedAt: toDate(row.updatedAt) }));
}

/** The refunds of payments that have not ended. */
export function findOpenRefunds(
  em: EntityManager,
  paymentIds: readonly string[],
): Promise<(CustomerOrder & { readonly paymentId: string })[]> {
  return query(
    em,
    `select r.id, r.status, p.id as "paymentId" from unnest($1::text[]) as p(id)
     cross join lateral (select id, status from payout where payment_id = p.id offset 0) r
     where r.status not in ('COMPLETED', 'FAILED', 'REJECTED') order by r.id`,
    [paymentIds],
  );
}

/** An event of an order; `waits` while webhooks of it are still to be made. */
export interface CustomerEvent {
  readonly id: string;
  /** The payment or the invoice. */
  readonly orderId: string;
  readonly waits: boolean;
}

/**
 * Locks the events of payments, of their refunds and of invoices, so that none of them is resent or mailed meanwhile.
 */
export function lockOrderEvents(em: EntityManager, { paymentIds, invoiceIds }: OrderIds): Promise<CustomerEvent[]> {
  return query<CustomerEvent>(
    em,
    `select e.id, coalesce(e.invoice_id, e.payment_id, (select payment_id from payout where id = e.payout_id))
       as "orderId",
       e.body is not null and coalesce(e.position
         > (select position from relay_cursor where name = 'webhooks'), true) as waits
     from event e where e.id = any(array(
       select of_payment.id from unnest($1::text[]) as p(id)
       cross join lateral (select id from event where payment_id = p.id offset 0) of_payment
       union all select of_refund.id from unnest($1::text[]) as p(id)
       cross join lateral (select id from payout where payment_id = p.id offset 0) r
       cross join lateral (select id from event where payout_id = r.id offset 0) of_refund
       union all select of_invoice.id from unnest($2::text[]) as i(id)
       cross join lateral (select id from event where invoice_id = i.id offset 0) of_invoice))
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

/** Locks the mails to customers about orders that still say to whom. */
export function lockOrderMails(
  em: EntityManager,
  orderIds: readonly string[],
): Promise<(CustomerOrder & { readonly orderId: string })[]> {
  return query(
    em,
    `select m.id, m.status, m.order_id as "orderId" from mail m where m.id = any(array(
       select l.id from unnest($1::text[]) as o(id)
       cross join lateral (select id from mail where order_id = o.id and recipient <> '' offset 0) l))
     order by m.id for update of m`,
    [orderIds],
  );
}
