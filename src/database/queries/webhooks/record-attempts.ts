// Records webhook attempts and their consequences: one statement, so one commit, for a batch of deliveries.

import type { DeliveryStatus } from '../../../entities/enums.ts';
import { query, toDate, type EntityManager } from '../../connection.ts';

/** Identifies a claim of a lane's deliveries. The lease alone is unique. */
export interface ClaimKey {
  readonly lane: string;
  readonly lease: string;
}

/** An attempt made under a claim, and the delivery's state after it. */
export interface FinishedAttempt extends ClaimKey {
  readonly deliveryId: string;
  /** The number of the attempt, from 1. */
  readonly attempt: number;
  /** When it started. */
  readonly at: Date;
  readonly url: string;
  /** Null if there was no response. */
  readonly responseCode: number | null;
  readonly responseTimeMs: number;
  readonly responseStart: string | null;
  readonly error: string | null;
  readonly status: Exclude<DeliveryStatus, 'PENDING'>;
  /** When the next attempt is due; null if there is none. */
  readonly nextRetryAt: Date | null;
}

/** A recorded attempt's endpoint, as it was then; null if it went to a `callbackUrl`. */
export interface RecordedAttempt {
  readonly endpointId: string | null;
  readonly failingSince: Date | null;
}

// Nothing is recorded under a claim that is gone, and a claim cannot be removed while attempts are recorded under it.
// The attempt count shows that this attempt was not recorded before. A delivery that was disabled meanwhile stays so,
// unless the attempt succeeded. Rows are locked in id order, as everywhere, to avoid deadlocks; lanes come last (see
// claim-deliveries.ts). Each row is looked up by itself; otherwise the planner would read a table of ten thousand rows
// whole at each batch. While a delivery is claimed, its lane is due no later than the lease ends. So only a retry due
// sooner than that lowers the lane; in the documented schedule there is none, and lanes are not touched here.
const STATEMENT = `
with claim as materialized (
  select c.nth, held.leased_until from unnest($2::text[], $3::text[]) with ordinality as c(lane, lease, nth)
  cross join lateral (
    select leased_until from webhook_claim where lane = c.lane and lease = c.lease for key share
  ) held
), finished as materialized (
  select f.id, f.attempt, to_timestamp(f.at / 1000) as at, f.url, f.code, f.took, f.start, f.error, f.status,
    to_timestamp(f.retry / 1000) as retry_at, c.leased_until
  from json_to_recordset($1::json) as f(claim int, id text, attempt int, at float8, url text, code int, took int,
    start text, error text, status text, retry float8)
  join claim c on c.nth = f.claim
  order by f.id collate "C"
), held as materialized (
  select f.* from finished f cross join lateral (
    select from webhook_delivery where id = f.id and attempts = f.attempt - 1 for no key update
  ) d
), updated as (
  update webhook_delivery d set
    attempts = h.attempt,
    first_attempt_at = coalesce(d.first_attempt_at, h.at),
    last_attempt_at = h.at,
    response_code = h.code,
    response_time_ms = h.took,
    status = case when d.status = 'DISABLED' and h.status <> 'SUCCESS' then 'DISABLED' else h.status end,
    due_at = case when d.status = 'DISABLED' then null else h.retry_at end,
    next_retry_at = case when d.status = 'DISABLED' then null else h.retry_at end
  from held h where h.id = d.id
  returning d.id, d.lane, d.endpoint_id, d.status, d.due_at, h.attempt, h.at, h.url, h.code, h.took, h.start, h.error,
    h.leased_until
), logged as (
  insert into webhook_attempt (delivery_id, attempt, at, url, response_code, response_time_ms, response_start, error,
    status, next_retry_at)
  select id, attempt, at, url, code, took, start, error, status, due_at from updated
), told as (
  insert into webhook_change (delivery_ids) select array_agg(id) from updated having count(*) > 0
), sooner as materialized (
  select lane, min(due_at) as due_at from updated where due_at < leased_until group by lane
), lanes as materialized (
  select l.lane, s.due_at from webhook_lane l join sooner s using (lane) order by l.lane for no key update of l
), lowered as (
  update webhook_lane l set due_at = least(l.due_at, s.due_at) from lanes s where s.lane = l.lane
), over as (
  delete from webhook_claim c using unnest($4::text[], $5::text[]) as o(lane, lease) where c.lane = o.lane and c.lease = o.lease
)
select string_agg(u.id, ' ') as ids, u.endpoint_id as "endpointId", w.failing_since::text as "failingSince"
from updated u left join webhook_endpoint w on w.id = u.endpoint_id group by u.endpoint_id, w.failing_since`;

type Row = { ids: string; endpointId: string | null; failingSince: string | null };

/**
 * Records attempts. Returns the attempts recorded, by delivery; attempts whose claim is gone change nothing. The claims
 * `over` have nothing left to do after this and are removed.
 */
export async function recordAttempts(
  em: EntityManager,
  finished: readonly FinishedAttempt[],
  over: readonly ClaimKey[] = [],
): Promise<Map<string, RecordedAttempt>> {
  const { keys, rows: attempts } = byClaim(finished);
  const rows = await query<Row>(em, STATEMENT, [JSON.stringify(attempts), ...columnsOf(keys), ...columnsOf(over)]);
  return new Map(
    rows.flatMap(({ ids, endpointId, failingSince }) => {
      const endpoint = { endpointId, failingSince: toDate(failingSince) };
      return ids.split(' ').map((id) => [id, endpoint] as const);
    }),
  );
}

/** The claims in key order, and the attempts with the number of their claim, from 1. */
function byClaim(finished: readonly FinishedAttempt[]) {
  const ofClaims = [...Map.groupBy(finished, ({ lease }) => lease).values()];
  const claims = ofClaims.map((attempts) => ({ key: attempts[0] as FinishedAttempt, attempts }));
  claims.sort((one, other) => (textOf(one.key) < textOf(other.key) ? -1 : 1));
  const rows = claims.flatMap(({ attempts }, nth) => attempts.map((attempt) => toRow(attempt, nth + 1)));
  return { keys: claims.map(({ key }) => key), rows };
}

const textOf = ({ lane, lease }: ClaimKey): string => `${lane}\n${lease}`;

/** An attempt as the statement reads it: short names, times as numbers, no nulls. */
function toRow(finished: FinishedAttempt, claim: number) {
  const { deliveryId: id, attempt, at, url, responseCode: code, responseTimeMs: took, error, status } = finished;
  const { responseStart: start, nextRetryAt } = finished;
  const times = { at: at.getTime(), retry: nextRetryAt?.getTime() };
  return {
    claim,
    id,
    attempt,
    url,
    code: code ?? undefined,
    took,
    start: start ?? undefined,
    error: error ?? undefined,
    status,
    ...times,
  };
}

const columnsOf = (keys: readonly ClaimKey[]) => [keys.map(({ lane }) => lane), keys.map(({ lease }) => lease)];
