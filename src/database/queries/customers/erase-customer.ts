// Removes what names a customer from rows that are locked, and keeps the books as they are.

import { query, type EntityManager } from '../../connection.ts';

/** What is null from then on in payloads and kept answers, wherever they have it. */
export const PERSONAL_FIELDS = ['customerEmail', 'customer', 'metadata', 'returnUrl'] as const;

/** SQL: the places of the rows of a table with the ids $1, looked up for each. */
const rowsOf = (table: string) => `array(
  select t.ctid from unnest($1::text[]) as given(id)
  cross join lateral (select ctid from ${table} where id = given.id offset 0) t)`;

/** Removes the customer from payments and invoices; their versions and times stay. */
export async function eraseFromOrders(
  em: EntityManager,
  paymentIds: readonly string[],
  invoiceIds: readonly string[],
): Promise<void> {
  await query(
    em,
    `update payment set customer_email = null, metadata = null, return_url = null where ctid = any(${rowsOf('payment')})`,
    [paymentIds],
  );
  await query(
    em,
    `update invoice set customer_email = null, customer = null, metadata = null, return_url = null
     where ctid = any(${rowsOf('invoice')})`,
    [invoiceIds],
  );
}

/** Removes the customer from events: their bodies whole, what receivers answered, and fields of the payloads. */
export async function eraseFromEvents(em: EntityManager, eventIds: readonly string[]): Promise<void> {
  await query(
    em,
    // By their deliveries, too: places are only unique within a partition.
    `with deliveries as materialized (
       select d.id from unnest($1::text[]) as e(id)
       cross join lateral (select id from webhook_delivery where event_id = e.id offset 0) d
     )
     update webhook_attempt set response_start = null where ctid = any(array(
       select a.ctid from deliveries d
       cross join lateral (select ctid from webhook_attempt where delivery_id = d.id offset 0) a))
       and delivery_id = any(array(select id from deliveries))`,
    [eventIds],
  );
  await query(
    em,
    `update event set erased = erased or body is not null, body = null, payload = (payload::jsonb || (
       select coalesce(jsonb_object_agg(name, null), '{}') from unnest($2::text[]) as name where payload::jsonb ? name
     ))::json where ctid = any(${rowsOf('event')})`,
    [eventIds, PERSONAL_FIELDS],
  );
}

/** Blanks mails: that they were written stays, to whom and what does not. */
export async function eraseFromMails(em: EntityManager, mailIds: readonly string[]): Promise<void> {
  await query(em, `update mail set recipient = '', params = '{}' where ctid = any(${rowsOf('mail')})`, [mailIds]);
}

/** An answer that is kept for an idempotency key. */
export interface KeptAnswer {
  readonly scope: string;
  readonly operation: string;
  readonly key: string;
  readonly result: unknown;
}

/**
 * Locks the kept answers of a merchant, and of their payment links, that have one of these texts. They are kept for two
 * days, and all of them are read.
 */
export function lockAnswersWith(
  em: EntityManager,
  merchantId: string,
  texts: readonly string[],
): Promise<KeptAnswer[]> {
  return query<KeptAnswer>(
    em,
    `select scope, operation, key, result from idempotency
     where scope = any(array(
       select $1 union all (select id from payment_link where merchant_id = $1)))
       and exists (select 1 from unnest($2::text[]) as given where position(given in lower(result::text)) > 0)
     order by scope, operation, key for update`,
    [merchantId, texts],
  );
}

/** Replaces kept answers. */
export async function replaceAnswers(em: EntityManager, answers: readonly KeptAnswer[]): Promise<void> {
  for (const { scope, operation, key, result } of answers)
    await query(em, 'update idempotency set result = $4 where scope = $1 and operation = $2 and key = $3', [
      ...[scope, operation, key],
      JSON.stringify(result),
    ]);
}

/** An erasure to record; `digest` stands for the customer. */
export interface NewErasure {
  readonly id: string;
  readonly merchantId: string;
  readonly digest: Buffer;
  readonly payments: number;
  readonly events: number;
  readonly mails: number;
  readonly at: Date;
}

/** Records an erasure, unless it is one that is repeated. */
export async function insertErasure(em: EntityManager, erasure: NewErasure): Promise<void> {
  const { id, merchantId, digest, payments, events, mails, at } = erasure;
  await query(
    em,
    `insert into erasure (id, merchant_id, digest, payments, events, mails, created_at)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
    [id, merchantId, digest, payments, events, mails, at],
  );
}
