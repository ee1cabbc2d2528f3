// Claims due webhook deliveries for sending, lane by lane. A claim is one row for all that is taken from a lane at
// once, with the end of its lease. Deliveries themselves are not touched; whatever becomes of the claimer, a claim
// whose lease is over is taken away at the next look at the lane.

import type { Pool, PoolClient } from 'pg';
import { toDate } from '../../connection.ts';

/** A delivery that is ours to send until its lease ends. */
export interface Claim {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly merchantId: string;
  /** Null where it goes to a payment's `callbackUrl`. */
  readonly endpointId: string | null;
  readonly lane: string;
  /** The token of its lane's claim, which fences what follows: only who holds it may record. */
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

// Longest due first. A lane that somebody else holds at this moment is theirs. What all deliveries of a lane have in
// common is read here, once for all of them; the lane of an endpoint's deliveries is the endpoint.
const lanesWhere = (condition: string) => `
with held as materialized (
  select lane, merchant_id, due_at from webhook_lane where due_at <= now() and ${condition}
  order by due_at limit $1 for no key update skip locked
)
select held.lane, held.merchant_id as "merchantId", w.id as "endpointId", w.url, m.webhook_secret as secret,
  case when m.previous_secret_expires_at > now() then m.previous_webhook_secret end as "previousSecret"
from held join merchant m on m.id = held.merchant_id left join webhook_endpoint w on w.id = held.lane
order by held.due_at`;
const OTHER_LANES = lanesWhere(
  'lane <> all($2::text[]) and lane <> all($3::text[]) and merchant_id <> all($4::text[])',
);
const FAILING_LANES = lanesWhere(
  'lane = any($2::text[]) and lane <> all($3::text[]) and merchant_id <> all($4::text[])',
);

// A recording of attempts under a claim holds it meanwhile; it is left for the next look then.
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
  select wanted.lane, wanted.lease, due.* from unnest($1::text[], $2::text[], $3::int[]) as wanted(lane, lease, share)
  cross join lateral (
    select d.id, d.event_id, d.attempts, d.first_attempt_at, d.endpoint_id, d.url from webhook_delivery d
    where d.lane = wanted.lane and d.due_at <= statement_timestamp()
      and (d.id, d.attempts) not in (select id, attempts from taken)
    order by d.due_at limit wanted.share
  ) due
), claimed as (
  insert into webhook_claim (lane, lease, delivery_ids, attempts, leased_until)
  select lane, lease, array_agg(id), array_agg(attempts), statement_timestamp() + $4 * interval '1 millisecond'
  from picked group by lane, lease
)
select id as "deliveryId", event_id as "eventId", lane, attempts + 1 as attempt, first_attempt_at::text as "firstAttemptAt",
  case when endpoint_id is null then url end as url from picked`;

// Once for all the places that an event goes to.
const BODIES = 'select id, body from event where id = any($1)';

// A statement of its own, so that it sees what the claim has left, and everything that the holder of the lane before us
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
 * or the end of the lease where that is taken: what makes a delivery due earlier lowers the lane's under the lane's
 * row lock, in the same transaction; only a claim raises it, under the same lock, by a statement that began after it
 * had the lock. (One statement for all was rejected: its snapshot is older than its locks, so it misses what a relay
 * committed in between.) Claims are made under their lane's lock too, so that nothing is taken twice.
 *
 * A claim stands until its row is gone, and only then is what it took another's. Recording holds the row, so an attempt
 * is either recorded before it is taken away, and seen by the one who takes it away, or not at all.
 *
 * Locks. A claim waits for nobody: it skips lanes and claims that are locked, and locks no deliveries. What else
 * locks both lanes and something else either takes lanes first and only inserts deliveries after (relay, resend), or
 * takes lanes last (finish, release); nobody who holds a lane waits for a delivery or a claim. Several rows of one
 * table are locked in the order of their keys, endpoints before everything else, claims before deliveries.
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
  const { choice, share, leaseMs } = request;
  const due = await holdDueLanes(client, choice);
  const shares = share(due);
  const wanted = due.flatMap((lane, nth) => {
    const most = shares[nth] ?? 0;
    return most > 0 ? [{ ...lane, lease: `${request.lease}.${nth}`, share: most }] : [];
  });
  if (wanted.length === 0) return { claims: [], lanes: [] };
  const names = wanted.map(({ lane }) => lane);
  await client.query(REAP, [names]);
  const leases = wanted.map(({ lease }) => lease);
  const { rows } = await client.query<ClaimRow>(CLAIM, [names, leases, wanted.map((each) => each.share), leaseMs]);
  const bodies = await readBodies(client, rows);
  const settled = await client.query<{ lane: string; more: boolean }>(SETTLE, [names]);
  const lanes = new Map(wanted.map((each) => [each.lane, toTerms(each)]));
  return { claims: rows.map((row) => toClaim(row, lanes.get(row.lane) as LaneTerms, bodies)), lanes: settled.rows };
}

interface HeldLane extends DueLane {
  /** Null where the lane is not an endpoint's, or its endpoint is gone. */
  readonly endpointId: string | null;
  readonly url: string | null;
  readonly secret: string;
  readonly previousSecret: string | null;
}

async function holdDueLanes(client: PoolClient, choice: LaneChoice): Promise<HeldLane[]> {
  const { closedLanes, closedMerchants, failingLanes, failingLimit } = choice;
  const others = [MOST_LANES, failingLanes, closedLanes, closedMerchants];
  const { rows } = await client.query<HeldLane>(OTHER_LANES, others);
  if (failingLanes.length === 0 || failingLimit <= 0) return rows;
  const failing = [Math.min(MOST_LANES, failingLimit), failingLanes, closedLanes, closedMerchants];
  return [...rows, ...(await client.query<HeldLane>(FAILING_LANES, failing)).rows];
}

async function readBodies(client: PoolClient, rows: readonly ClaimRow[]): Promise<ReadonlyMap<string, Buffer>> {
  const eventIds = [...new Set(rows.map((row) => row.eventId))];
  const { rows: events } = await client.query<{ id: string; body: string }>(BODIES, [eventIds]);
  return new Map(events.map(({ id, body }) => [id, Buffer.from(body)]));
}

/** What the claims of a lane have in common. */
type LaneTerms = Pick<Claim, 'lane' | 'lease' | 'merchantId' | 'endpointId' | 'url' | 'secrets'>;

function toTerms({ secret, previousSecret, url, ...lane }: HeldLane & { readonly lease: string }): LaneTerms {
  const { lane: name, lease, merchantId, endpointId } = lane;
  const secrets = previousSecret === null ? [secret] : [secret, previousSecret];
  return { lane: name, lease, merchantId, endpointId, url: url ?? '', secrets };
}

/** `url` is the delivery's own: it goes to no endpoint. */
type ClaimRow = Pick<Claim, 'deliveryId' | 'eventId' | 'lane' | 'attempt'> & {
  readonly firstAttemptAt: string | null;
  readonly url: string | null;
};

function toClaim(row: ClaimRow, terms: LaneTerms, bodies: ReadonlyMap<string, Buffer>): Claim {
  const { deliveryId, eventId, attempt, firstAttemptAt, url } = row;
  return {
    ...{ deliveryId, eventId, attempt, firstAttemptAt: toDate(firstAttemptAt) },
    ...{ merchantId: terms.merchantId, lane: terms.lane, lease: terms.lease, secrets: terms.secrets },
    endpointId: url === null ? terms.endpointId : null,
    url: url ?? terms.url,
    // An event that has a delivery has a body.
    body: bodies.get(eventId) as Buffer,
  };
}
