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
  /** Null for types that were not asked for, and for an event that was erased. */
  readonly payload: Readonly<Record<string, unknown>> | null;
}

/** The next events after a position, in order; with what they say, if they are of these types. */
export async function readEventsToMail(
  em: EntityManager,
  position: string,
  { types, limit }: { readonly types: readonly string[]; readonly limit: number },
): Promise<EventToMail[]> {
  const rows = await query<Omit<EventToMail, 'at'> & { readonly at: string }>(
    em,
    `select id, merchant_id as "merchantId", type, position, created_at as at,
       case when type = any($2) then payload end as payload
     from event where position > $1 order by position limit $3`,
    [position, types, limit],
  );
  return rows.map((row) => ({ ...row, at: toDate(row.at) }));
}
