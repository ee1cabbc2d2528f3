// Records attempts and what follows from them: one statement, so one commit, for a batch of deliveries.

import type { DeliveryStatus } from '../../entities/enums.ts';
import { query, toDate, type EntityManager } from '../connection.ts';

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

/** An attempt that was recorded, and its endpoint as it was then; null where it went to a `callbackUrl`. */
export interface RecordedAttempt {
  readonly endpointId: string | null;
  readonly failingSince: Date | null;
}

// A delivery that was switched off meanwhile stays so, unless it did arrive. Rows are locked in the order of their ids,
// like wherever many of them are, so that nobody waits in a circle; lanes come after deliveries (see claim-deliveries).
// Each is looked up by itself: given the choice, the planner reads a table of ten thousand rows whole, at each batch.
// While a delivery is under its lease, its lane is due no later than the lease ends, so only a retry that is due sooner
// than that lowers its lane: by the documented schedule none is, and lanes are not touched here.
const STATEMENT = `
with finished as materialized (
  select * from json_to_recordset($1::json) as f("deliveryId" text, lease text, attempt int, at timestamptz, url text,
    "responseCode" int, "responseTimeMs" int, "responseStart" text, error text, status text, "nextRetryAt" timestamptz)
  order by "deliveryId" collate "C"
), held as materialized (
  select d.due_at as lease_ends_at, f.* from finished f cross join lateral (
    select due_at from webhook_delivery where id = f."deliveryId" and lease = f.lease for no key update
  ) d
), updated as (
  update webhook_delivery d set
    lease = null,
    attempts = h.attempt,
    first_attempt_at = coalesce(d.first_attempt_at, h.at),
    last_attempt_at = h.at,
    response_code = h."responseCode",
    response_time_ms = h."responseTimeMs",
    status = case when d.status = 'DISABLED' and h.status <> 'SUCCESS' then 'DISABLED' else h.status end,
    due_at = case when d.status = 'DISABLED' then null else h."nextRetryAt" end,
    next_retry_at = case when d.status = 'DISABLED' then null else h."nextRetryAt" end
  from held h where h."deliveryId" = d.id
  returning d.id, d.lane, d.endpoint_id, d.status as new_status, d.due_at, h.*
), logged as (
  insert into webhook_attempt (delivery_id, attempt, at, url, response_code, response_time_ms, response_start, error,
    status, next_retry_at)
  select id, attempt, at, url, "responseCode", "responseTimeMs", "responseStart", error, new_status, due_at from updated
), sooner as materialized (
  select lane, min(due_at) as due_at from updated where due_at < lease_ends_at group by lane
), lanes as materialized (
  select l.lane, s.due_at from webhook_lane l join sooner s using (lane) order by l.lane for no key update of l
), lowered as (
  update webhook_lane l set due_at = least(l.due_at, s.due_at) from lanes s where s.lane = l.lane
)
select u.id, u.endpoint_id as "endpointId", w.failing_since::text as "failingSince"
from updated u left join webhook_endpoint w on w.id = u.endpoint_id`;

type Row = { id: string; endpointId: string | null; failingSince: string | null };

/** Records attempts. Answers those that still held their lease, by delivery; for the others nothing changes. */
export async function finishDeliveries(
  em: EntityManager,
  finished: readonly FinishedAttempt[],
): Promise<Map<string, RecordedAttempt>> {
  const rows = await query<Row>(em, STATEMENT, [JSON.stringify(finished)]);
  return new Map(
    rows.map(({ id, endpointId, failingSince }) => [id, { endpointId, failingSince: toDate(failingSince) }]),
  );
}
