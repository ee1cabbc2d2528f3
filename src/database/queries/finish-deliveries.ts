// Records attempts and what follows from them: one statement, so one commit, for a batch of deliveries.

import type { DeliveryStatus } from '../../entities/enums.ts';
import { query, type EntityManager } from '../connection.ts';

/** An attempt that was made under a lease, and where it leaves its delivery. */
export interface FinishedAttempt {
  readonly deliveryId: string;
  readonly lease: string;
  readonly attempt: number;
  /** When it started. */
  readonly at: Date;
  readonly url: string;
  /** Null where there was no answer. */
  readonly responseCode: number | null;
  readonly responseTimeMs: number;
  readonly responseStart: string | null;
  readonly error: string | null;
  readonly status: Exclude<DeliveryStatus, 'PENDING'>;
  /** When the next attempt is due; null when there is none. */
  readonly nextRetryAt: Date | null;
}

// A delivery that was switched off meanwhile stays so, unless it did arrive. Rows are locked in the order of their ids,
// like wherever many of them are, so that nobody waits in a circle.
const STATEMENT = `
with finished as materialized (
  select * from json_to_recordset($1::json) as f("deliveryId" text, lease text, attempt int, at timestamptz, url text,
    "responseCode" int, "responseTimeMs" int, "responseStart" text, error text, status text, "nextRetryAt" timestamptz)
), held as materialized (
  select d.id from webhook_delivery d join finished f on f."deliveryId" = d.id and f.lease = d.lease
  order by d.id for update of d
), updated as (
  update webhook_delivery d set
    lease = null,
    attempts = f.attempt,
    first_attempt_at = coalesce(d.first_attempt_at, f.at),
    last_attempt_at = f.at,
    response_code = f."responseCode",
    response_time_ms = f."responseTimeMs",
    status = case when d.status = 'DISABLED' and f.status <> 'SUCCESS' then 'DISABLED' else f.status end,
    due_at = case when d.status = 'DISABLED' then null else f."nextRetryAt" end,
    next_retry_at = case when d.status = 'DISABLED' then null else f."nextRetryAt" end
  from finished f, held
  where held.id = d.id and f."deliveryId" = d.id and f.lease = d.lease
  returning d.id
), logged as (
  insert into webhook_attempt (delivery_id, attempt, at, url, response_code, response_time_ms, response_start, error)
  select "deliveryId", attempt, at, url, "responseCode", "responseTimeMs", "responseStart", error
  from finished where "deliveryId" in (select id from updated)
)
select id from updated`;

/** Records attempts. Answers the ids of those that still held their lease; for the others nothing changes. */
export async function finishDeliveries(em: EntityManager, finished: readonly FinishedAttempt[]): Promise<Set<string>> {
  const rows = await query<{ id: string }>(em, STATEMENT, [JSON.stringify(finished)]);
  return new Set(rows.map((row) => row.id));
}
