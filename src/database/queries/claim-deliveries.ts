// Claims due webhook deliveries for sending, lane by lane. A claim is one row for all that is taken from a lane at once,
// with the end of its lease. Deliveries themselves are not touched; whatever becomes of the claimer, a claim whose lease
// is over is taken away by whoever looks at the lane next.

import type { Pool, PoolClient } from 'pg';
import { toDate } from '../connection.ts';

/** A delivery that is ours to send until its lease ends. */
export interface Claim {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly merchantId: string;
  /** Null where it goes to a payment's `callbackUrl`. */
  readonly endpointId: string | null;
  readonly lane: string;
  /** The token that, with the lane, fences what follows: only who holds it may record. */
  readonly lease: string;
  /** The number of the attempt to make, from 1: one more than were recorded. */
  readonly attempt: number;
  readonly firstAttemptAt: Date | null;
  /** The endpoint's URL as it is now. */
  readonly url: string;
  /** The very bytes to send, which the deliveries of an event share. */
  readonly body: Buffer;
  /** The merchant's webhook secret, and the one before it while the two overlap by the database's clock. */
  readonly secrets: readonly string[];
}

/** A lane with something due in it. */
export interface DueLane {
  readonly lane: string;
  readonly merchantId: string;
}

/** Which lanes to look at. `closed` and `failing` may overlap; a lane in neither may be unknown to the claimer. */
export interface LaneChoice {
  readonly closedLanes: readonly string[];
  readonly closedMerchants: readonly string[];
  /** Lanes that are looked at apart from all others, so that many of them do not hide those that work. */
  readonly failingLanes: readonly string[];
  readonly failingLimit: number;
}

export interface ClaimRequest {
  readonly choice: LaneChoice;
  /** How many deliveries each of these lanes may get, in their order. */
  share(lanes: readonly DueLane[]): readonly number[];
  /** A token that was never used before. */
  readonly lease: string;
  readonly leaseMs: number;
}

/** What a claim found. */
export interface ClaimResult {
  readonly claims: readonly Claim[];
  /** The lanes that had a share; `more` where something due is left in them. */
  readonly lanes: readonly { readonly lane: string; readonly more: boolean }[];
}

/** Lanes looked at in a claim. */
const MOST_LANES = 256;

// Longest due first. A lane that somebody else holds at this moment is his.
const lanesWhere = (condition: string) => `
select lane, merchant_id as "merchantId" from webhook_lane where due_at <= now() and ${condition}
order by due_at limit $1 for no key update skip locked`;
const OTHER_LANES = lanesWhere(
  'lane <> all($2::text[]) and lane <> all($3::text[]) and merchant_id <> all($4::text[])',
);
const FAILING_LANES = lanesWhere(
  'lane = any($2::text[]) and lane <> all($3::text[]) and merchant_id <> all($4::text[])',
);

// Whoever is recording attempts under a claim holds it meanwhile; it is left for the next look then.
const REAP = `
with over as materialized (
  select lane, lease from webhook_claim where lane = any($1::text[]) and leased_until <= statement_timestamp()
  for update skip locked
)
delete from webhook_claim c using over where c.lane = over.lane and c.lease = over.lease`;

// What is taken of these lanes: deliveries as of so many attempts. With `not in`, it is made a hash table once.
const TAKEN = `
taken as materialized (
  select held.id, held.attempts from webhook_claim c
  cross join lateral unnest(c.delivery_ids, c.attempts) as held(id, attempts)
  where c.lane = any($1::text[]) and held.id <> all(c.given_back)
)`;

// Each lane is read from its earliest delivery on, as far as its share goes, however many are waiting behind.
const CLAIM = `
with ${TAKEN}, picked as materialized (
  select due.* from unnest($1::text[], $2::int[]) as wanted(lane, share)
  cross join lateral (
    select d.id, d.event_id, d.merchant_id, d.endpoint_id, d.lane, d.attempts, d.first_attempt_at, d.url
    from webhook_delivery d
    where d.lane = wanted.lane and d.due_at <= statement_timestamp()
      and (d.id, d.attempts) not in (select id, attempts from taken)
    order by d.due_at limit wanted.share
  ) due
), claimed as (
  insert into webhook_claim (lane, lease, delivery_ids, attempts, leased_until)
  select lane, $3, array_agg(id), array_agg(attempts), statement_timestamp() + $4 * interval '1 millisecond'
  from picked group by lane
)
select c.id as "deliveryId", c.event_id as "eventId", c.merchant_id as "merchantId", c.endpoint_id as "endpointId", c.lane,
  c.attempts + 1 as attempt, c.first_attempt_at::text as "firstAttemptAt", coalesce(w.url, c.url) as url,
  m.webhook_secret as secret, case when m.previous_secret_expires_at > now() then m.previous_webhook_secret end
    as "previousSecret"
from picked c
  join merchant m on m.id = c.merchant_id
  left join webhook_endpoint w on w.id = c.endpoint_id`;

// Once for all the places that an event goes to.
const BODIES = 'select id, body from event where id = any($1)';

// A statement of its own, so that it sees what the claim has left, and everything that whoever held the lane before us
// has committed. What is taken is due again when its lease ends.
const SETTLE = `
with ${TAKEN}
update webhook_lane l set due_at = least((
  select d.due_at from webhook_delivery d
  where d.lane = l.lane and d.due_at is not null and (d.id, d.attempts) not in (select id, attempts from taken)
  order by d.due_at limit 1
), (select min(c.leased_until) from webhook_claim c where c.lane = l.lane)) where l.lane = any($1::text[])
returning l.lane, coalesce(l.due_at <= statement_timestamp(), false) as more`;

/**
 * Claims what is due. The rules that keep a lane's `due_at` from ever being later than its earliest waiting delivery's,
 * or the end of the lease where that is taken: whoever makes a delivery due earlier lowers the lane's under the lane's
 * row lock, in the same transaction; only a claim raises it, under the same lock, by a statement that began after it had
 * the lock. (One statement for all was rejected: its snapshot is older than its locks, so it misses what a relay
 * committed in between.) Claims are made under their lane's lock too, so that nothing is taken twice.
 *
 * A claim stands until its row is gone, and only then is what it took another's. Recording holds the row, so an attempt
 * is either recorded before it is taken away, and seen by whoever takes it away, or not at all.
 *
 * Locks. A claim waits for nobody: it skips lanes and claims that are locked, and locks no deliveries. Whoever else locks
 * both lanes and something else either takes lanes first and only inserts deliveries after (relay, resend), or takes
 * lanes last (finish, release); nobody who holds a lane waits for a delivery or a claim. Several rows of one table are
 * locked in the order of their keys, endpoints before everything else, claims before deliveries.
 *
 * The commit waits for the disk. One that did not would be undone by a crash of the server while its claims still wait
 * to be posted here, and each of them would be posted twice.
 */
export async function claimDeliveries(pool: Pool, request: ClaimRequest): Promise<ClaimResult> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await claimInside(client, request);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    // The connection is dropped, and its transaction with it, whatever state either is in.
    client.release(true);
    throw error;
  }
}

async function claimInside(client: PoolClient, request: ClaimRequest): Promise<ClaimResult> {
  const { choice, share, lease, leaseMs } = request;
  const due = await holdDueLanes(client, choice);
  const shares = share(due);
  const wanted = due.map(({ lane }, index) => ({ lane, share: shares[index] ?? 0 })).filter((each) => each.share > 0);
  if (wanted.length === 0) return { claims: [], lanes: [] };
  const lanes = wanted.map(({ lane }) => lane);
  await client.query(REAP, [lanes]);
  const claimed = await client.query<ClaimRow>(CLAIM, [lanes, wanted.map((each) => each.share), lease, leaseMs]);
  const bodies = await readBodies(client, claimed.rows);
  const settled = await client.query<{ lane: string; more: boolean }>(SETTLE, [lanes]);
  return { claims: claimed.rows.map((row) => toClaim(row, lease, bodies)), lanes: settled.rows };
}

async function holdDueLanes(client: PoolClient, choice: LaneChoice): Promise<DueLane[]> {
  const { closedLanes, closedMerchants, failingLanes, failingLimit } = choice;
  const others = [MOST_LANES, failingLanes, closedLanes, closedMerchants];
  const { rows } = await client.query<DueLane>(OTHER_LANES, others);
  if (failingLanes.length === 0 || failingLimit <= 0) return rows;
  const failing = [Math.min(MOST_LANES, failingLimit), failingLanes, closedLanes, closedMerchants];
  return [...rows, ...(await client.query<DueLane>(FAILING_LANES, failing)).rows];
}

async function readBodies(client: PoolClient, rows: readonly ClaimRow[]): Promise<ReadonlyMap<string, Buffer>> {
  const eventIds = [...new Set(rows.map((row) => row.eventId))];
  const { rows: events } = await client.query<{ id: string; body: string }>(BODIES, [eventIds]);
  return new Map(events.map(({ id, body }) => [id, Buffer.from(body)]));
}

type ClaimRow = Omit<Claim, 'firstAttemptAt' | 'secrets' | 'lease' | 'body'> & {
  firstAttemptAt: string | null;
  secret: string;
  previousSecret: string | null;
};

function toClaim(row: ClaimRow, lease: string, bodies: ReadonlyMap<string, Buffer>): Claim {
  const { deliveryId, eventId, merchantId, endpointId, lane, attempt, url, secret, previousSecret } = row;
  return {
    ...{ deliveryId, eventId, merchantId, endpointId, lane, attempt, url, lease },
    // An event that has a delivery has a body.
    body: bodies.get(eventId) as Buffer,
    firstAttemptAt: toDate(row.firstAttemptAt),
    secrets: previousSecret === null ? [secret] : [secret, previousSecret],
  };
}
