// The mailer's own place in the log of events, and the events after it.

import { query, toDate, type EntityManager } from '../../connection.ts';

const CURSOR = 'mail';

/** Creates the place at the end of the log, unless it exists: nobody is mailed what happened before. */
export async function createMailCursor(em: EntityManager): Promise<void> {
  await query(
    em,
    `insert into relay_cursor (name, position)
     select $1, coalesce((select last from event_counter where scope = 'position'), 0) on conflict do nothing`,
    [CURSOR],
  );
}

/** Whether there are events past the place; without its lock, as the relay of webhooks looks (relay-events.ts). */
export async function hasEventsToMail(em: EntityManager): Promise<boolean> {
  const [row] = await query<{ found: boolean }>(
    em,
    `select coalesce((select max(position) from event) > (select position from relay_cursor where name = $1), false)
       as found`,
    [CURSOR],
  );
  return row?.found ?? false;
}

/** Locks the place until the transaction ends; null if another process holds it. */
export async function lockMailCursor(em: EntityManager): Promise<string | null> {
  const [row] = await query<{ position: string }>(
    em,
    'select position from relay_cursor where name = $1 for update skip locked',
    [CURSOR],
  );
  return row?.position ?? null;
}

/** Moves the locked place. */
export async function moveMailCursor(em: EntityManager, position: string): Promise<void> {
  await query(em, 'update relay_cursor set position = $2 where name = $1', [CURSOR, position]);
}

/** An event that may be mailed. */
export interface EventToMail {
  readonly id: string;
  readonly merchantId: string;
  readonly type: string;
  /** As decimal text. */
  readonly position: string;
  readonly at: Date;
  /** The mails that the merchant has sent to customers. */
  readonly customerMails: readonly string[];
  /** Null for types that were not asked for. */
  readonly payload: Readonly<Record<string, unknown>> | null;
}

/**
 * The next events after a position, in order; with what they say, if they are of these types, or if customers are told
 * of such by their merchant.
 */
export async function readEventsToMail(
  em: EntityManager,
  position: string,
  { types, customerTypes, limit }: EventsToMail,
): Promise<EventToMail[]> {
  const rows = await query<Omit<EventToMail, 'at'> & { readonly at: string }>(
    em,
    `with batch as materialized (
       select id, merchant_id, type, position, created_at, payload from event
       where position > $1 order by position limit $4
     ), shop as materialized (
       select named.id, m.customer_mails from (select distinct merchant_id as id from batch) named
       cross join lateral (select customer_mails from merchant where id = named.id offset 0) m
     )
     select e.id, e.merchant_id as "merchantId", e.type, e.position, e.created_at as at,
       coalesce(s.customer_mails, '{}') as "customerMails",
       case when e.type = any($2) or (e.type = any($3) and s.customer_mails <> '{}') then e.payload end as payload
     from batch e left join shop s on s.id = e.merchant_id order by e.position`,
    [position, types, customerTypes, limit],
  );
  return rows.map((row) => ({ ...row, at: toDate(row.at) }));
}

interface EventsToMail {
  readonly types: readonly string[];
  readonly customerTypes: readonly string[];
  readonly limit: number;
}
