// Mails to customers: which events are about one, to whom a mail goes, and whether it may be written.

import { query, type EntityManager } from '../../connection.ts';

/**
 * Holds events until the transaction ends, in the order of their ids: an erasure of the customer waits for the mails
 * that are made of them, or is over before their recipients are read.
 */
export async function holdEvents(em: EntityManager, ids: readonly string[]): Promise<void> {
  await query(em, 'select id from event where id = any($1::text[]) order by id for share', [ids]);
}

/** Whom an order's mails go to, and what they say of it. */
export interface OrderToMail {
  /** Null if the order names nobody. */
  readonly email: string | null;
  /** What was bought, in the merchant's words, or the id. */
  readonly about: string;
  readonly company: string;
  readonly support: string | null;
  readonly locale: string | null;
}

/**
 * Reads a payment or an invoice; null unless its merchant, whom nobody suspended, has an owner with a verified address.
 */
export async function readOrderToMail(em: EntityManager, orderId: string): Promise<OrderToMail | null> {
  const [row] = await query<OrderToMail>(
    em,
    `select o.email, o.about, m.company_name as company, m.support_email as support, m.locale
     from (
       select merchant_id, customer_email as email, coalesce(product_name, merchant_order_id, id) as about
       from payment where id = $1
       union all select merchant_id, customer_email, coalesce(description, merchant_invoice_id, id)
       from invoice where id = $1
     ) o
     cross join lateral (
       select company_name, support_email, locale, suspended_at from merchant where id = o.merchant_id offset 0) m
     where m.suspended_at is null and exists (
       select 1 from (select person_id from membership where merchant_id = o.merchant_id and role = 'OWNER' offset 0) s
       cross join lateral (select email_verified_at from person where id = s.person_id offset 0) w
       where w.email_verified_at is not null)`,
    [orderId],
  );
  return row ?? null;
}

/** The order that a refund of a payment is about: its invoice, if it has one. */
export async function readOrderOf(em: EntityManager, paymentId: string): Promise<string> {
  const [row] = await query<{ id: string }>(em, 'select coalesce(invoice_id, id) as id from payment where id = $1', [
    paymentId,
  ]);
  return row?.id ?? paymentId;
}

/** A mail to a customer. */
export interface NewCustomerMail {
  readonly id: string;
  readonly merchantId: string;
  readonly orderId: string;
  readonly template: string;
  readonly recipient: string;
  readonly locale: string;
  readonly params: object;
  readonly now: Date;
  readonly dueAt: Date;
  readonly dedupe: string;
  /** What stands for the recipient among those who want no more. */
  readonly digest: Buffer;
  /** How many may be written since an id, which is of a day ago. */
  readonly most: number;
  readonly since: string;
}

/**
 * Writes a mail to a customer, once; SKIPPED if they want none, or if there were too many of the merchant's in a day.
 */
export async function insertCustomerMail(em: EntityManager, mail: NewCustomerMail): Promise<void> {
  const { id, merchantId, orderId, template, recipient, locale, params, now, dueAt, dedupe, digest, most, since } =
    mail;
  await query(
    em,
    `insert into mail (id, merchant_id, order_id, template, recipient, locale, params, created_at, due_at, dedupe,
       status, ended_at)
     select $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::json, $8::timestamptz, $9::timestamptz,
       $10::text, case when may then 'QUEUED' else 'SKIPPED' end, case when may then null else $8::timestamptz end
     from (select (select count(*) from (
         select 1 from mail where merchant_id = $2 and order_id is not null and status <> 'SKIPPED' and id >= $12
         limit $13) of_day) < $13
       and not exists (select 1 from unsubscription where merchant_id = $2 and digest = $11) as may) judged
     on conflict (dedupe) where dedupe is not null do nothing`,
    [
      ...[id, merchantId, orderId, template, recipient, locale, JSON.stringify(params), now, dueAt, dedupe],
      ...[digest, since, most],
    ],
  );
}

/** Whether a customer wants no more mails of a merchant. */
export async function isUnsubscribed(em: EntityManager, merchantId: string, digest: Buffer): Promise<boolean> {
  const rows = await query(em, 'select 1 from unsubscription where merchant_id = $1 and digest = $2', [
    merchantId,
    digest,
  ]);
  return rows.length > 0;
}

/** Records that a customer wants no more mails of a merchant. */
export async function insertUnsubscription(
  em: EntityManager,
  { merchantId, digest }: { readonly merchantId: string; readonly digest: Buffer },
  now: Date,
): Promise<void> {
  await query(
    em,
    'insert into unsubscription (merchant_id, digest, created_at) values ($1, $2, $3) on conflict do nothing',
    [merchantId, digest, now],
  );
}
