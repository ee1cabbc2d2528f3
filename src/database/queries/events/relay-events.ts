// The relay's queries: its cursor in the numbered event log, the events after it, and the deliveries to insert.

import type { WebhookForm } from '../../../values/formats/greenfield.ts';
import { query, type EntityManager } from '../../connection.ts';

const CURSOR = 'webhooks';

/** An event past the cursor. If it is not `sendable`, it has no webhook body and is skipped. */
export interface RelayEvent {
  readonly id: string;
  readonly merchantId: string;
  readonly type: string;
  /** The global position, as decimal text. */
  readonly position: string;
  readonly sendable: boolean;
  /** The callback URL of its payment or invoice. */
  readonly callbackUrl: string | null;
  /** The only URL that a test event goes to, if it names one. */
  readonly targetUrl: string | null;
}

/** An enabled endpoint. */
export interface RelayEndpoint {
  readonly id: string;
  readonly merchantId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly isPrimary: boolean;
  readonly form: WebhookForm;
}

/** A delivery to make. */
export interface NewDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly merchantId: string;
  readonly endpointId: string | null;
  readonly isPrimary: boolean;
  readonly lane: string;
  readonly url: string;
  /** Counts the sendings of its event to its URL: 0 is the first, and each resend adds one. */
  readonly resend?: number;
}

/**
 * Whether there are events past the cursor, checked without its lock because taking the lock writes each time. It
 * compares the highest position, which an index gives. Asked for any higher position, the planner expects a third of
 * the log to match and reads all of it to find none (130 ms at 100,000 events).
 */
export async function hasEventsToRelay(em: EntityManager): Promise<boolean> {
  const [row] = await query<{ found: boolean }>(
    em,
    `select coalesce((select max(position) from event)
       > coalesce((select position from relay_cursor where name = $1), 0), false) as found`,
    [CURSOR],
  );
  return row?.found ?? false;
}

/** Creates the cursor at the beginning of the log, unless it exists. */
export async function createRelayCursor(em: EntityManager): Promise<void> {
  await query(em, 'insert into relay_cursor (name, position) values ($1, 0) on conflict do nothing', [CURSOR]);
}

/** Locks the cursor until the transaction ends; null if another process holds it. */
export async function lockRelayCursor(em: EntityManager): Promise<string | null> {
  const [row] = await query<{ position: string }>(
    em,
    'select position from relay_cursor where name = $1 for update skip locked',
    [CURSOR],
  );
  return row?.position ?? null;
}

/** Moves the locked cursor to a position. */
export async function moveRelayCursor(em: EntityManager, position: string): Promise<void> {
  await query(em, 'update relay_cursor set position = $2 where name = $1', [CURSOR, position]);
}

/** The next events after a position, in order. */
export function readEventsToRelay(em: EntityManager, position: string, limit: number): Promise<RelayEvent[]> {
  return query<RelayEvent>(
    em,
    `select e.id, e.merchant_id as "merchantId", e.type, e.position, e.body is not null as sendable,
       case when e.body is null then null
         when e.invoice_id is null then (select p.callback_url from payment p where p.id = e.payment_id)
         else (select i.callback_url from invoice i where i.id = e.invoice_id) end as "callbackUrl",
       e.target_url as "targetUrl"
     from event e where e.position > $1 order by e.position limit $2`,
    [position, limit],
  );
}

/**
 * The enabled endpoints of these merchants, primary endpoints first. They cannot be switched off before the transaction
 * ends, so that no delivery is made for an endpoint that is off.
 */
export function lockEnabledEndpoints(em: EntityManager, merchantIds: readonly string[]): Promise<RelayEndpoint[]> {
  return query<RelayEndpoint>(
    em,
    `with held as materialized (
       select * from webhook_endpoint where merchant_id = any($1) and enabled order by id for share
     )
     select id, merchant_id as "merchantId", url, events, is_primary as "isPrimary", form from held
     order by is_primary desc, id`,
    [merchantIds],
  );
}

/**
 * Inserts deliveries, due at once, and leaves existing ones as they are. Their lanes are written first and stay locked
 * until the transaction ends, even if they were not changed (see claim-deliveries.ts).
 */
export async function insertDeliveries(em: EntityManager, deliveries: readonly NewDelivery[]): Promise<void> {
  const lanes = new Map(deliveries.map(({ lane, merchantId }) => [lane, merchantId]));
  await query(
    em,
    `insert into webhook_lane as l (lane, merchant_id, due_at)
     select lane, merchant_id, now() from unnest($1::text[], $2::text[]) as d(lane, merchant_id)
     order by lane collate "C"
     on conflict (lane) do update set due_at = excluded.due_at where l.due_at is null or l.due_at > excluded.due_at`,
    [[...lanes.keys()], [...lanes.values()]],
  );
  await query(
    em,
    `with made as (
       insert into webhook_delivery (id, event_id, merchant_id, endpoint_id, is_primary, lane, url, status, resend, due_at,
         created_at)
       select id, "eventId", "merchantId", "endpointId", "isPrimary", lane, url, 'PENDING', coalesce(resend, 0), now(), now()
       from json_to_recordset($1::json) as d(id text, "eventId" text, "merchantId" text, "endpointId" text,
         "isPrimary" boolean, lane text, url text, resend int)
       on conflict do nothing returning id
     )
     insert into webhook_change (delivery_ids) select array_agg(id) from made having count(*) > 0`,
    [JSON.stringify(deliveries)],
  );
}
