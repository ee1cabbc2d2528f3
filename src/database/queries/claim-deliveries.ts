// Claims due webhook deliveries for sending. `due_at` is both schedule and lease: a claim moves it past the time within
// which the claimer must be done, so whatever becomes of the claimer, the delivery is due again.

import { query, toDate, type EntityManager } from '../connection.ts';

/** A delivery that is ours to send until its lease ends. */
export interface Claim {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly merchantId: string;
  /** Null where it goes to a payment's `callbackUrl`. */
  readonly endpointId: string | null;
  readonly lane: string;
  /** The token that fences what follows: only who holds it may record. */
  readonly lease: string;
  /** The number of the attempt to make, from 1: one more than were recorded. */
  readonly attempt: number;
  readonly firstAttemptAt: Date | null;
  /** The endpoint's URL as it is now. */
  readonly url: string;
  readonly body: string;
  /** The merchant's webhook secret. */
  readonly secret: string;
}

export interface ClaimLimits {
  /** At most so many in all. */
  readonly limit: number;
  /** At most so many of a lane, those in flight included. */
  readonly perLane: number;
  /** What this process has in flight, by lane. */
  readonly inFlight: ReadonlyMap<string, number>;
  /** A token that was never used before. */
  readonly lease: string;
  readonly leaseMs: number;
}

// `now()`, not `clock_timestamp()`, which the index on due_at could not serve. Full lanes are left out of the scan, so
// that a lane with many due deliveries never hides those of others behind its own.
const STATEMENT = `
with due as (
  select id, lane, due_at from webhook_delivery
  where due_at <= now() and lane <> all($5::text[])
  order by due_at limit $1
  for update skip locked
), placed as (
  select due.id, row_number() over (partition by lane order by due_at) + coalesce(busy.count, 0) as place
  from due left join unnest($6::text[], $7::int[]) as busy(lane, count) using (lane)
), claimed as (
  update webhook_delivery d set lease = $2, due_at = now() + $3 * interval '1 millisecond'
  from placed where placed.id = d.id and placed.place <= $4
  returning d.*
)
select d.id as "deliveryId", d.event_id as "eventId", d.merchant_id as "merchantId", d.endpoint_id as "endpointId",
  d.lane, d.lease, d.attempts + 1 as attempt, d.first_attempt_at as "firstAttemptAt",
  coalesce(w.url, d.url) as url, e.body, m.webhook_secret as secret
from claimed d
  join event e on e.id = d.event_id
  join merchant m on m.id = d.merchant_id
  left join webhook_endpoint w on w.id = d.endpoint_id`;

/** Claims what is due, longest due first. It finds none only if none is due outside of the lanes that are full. */
export async function claimDeliveries(em: EntityManager, limits: ClaimLimits): Promise<Claim[]> {
  const { limit, lease, leaseMs, perLane, inFlight } = limits;
  const full = [...inFlight].filter(([, count]) => count >= perLane).map(([lane]) => lane);
  const rows = await query<Omit<Claim, 'firstAttemptAt'> & { firstAttemptAt: string | null }>(em, STATEMENT, [
    limit,
    lease,
    leaseMs,
    perLane,
    full,
    [...inFlight.keys()],
    [...inFlight.values()],
  ]);
  return rows.map((row) => ({ ...row, firstAttemptAt: toDate(row.firstAttemptAt) }));
}

/** Gives claims back that were not sent, or not to the end: they are due at once. */
export async function releaseClaims(em: EntityManager, claims: readonly Claim[]): Promise<void> {
  if (claims.length === 0) return;
  await query(
    em,
    `update webhook_delivery d set lease = null, due_at = now()
     from unnest($1::text[], $2::text[]) as c(id, lease)
     where d.id = c.id and d.lease = c.lease and d.due_at is not null`,
    [claims.map((claim) => claim.deliveryId), claims.map((claim) => claim.lease)],
  );
}
