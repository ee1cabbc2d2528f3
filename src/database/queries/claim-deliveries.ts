// Claims due webhook deliveries for sending, lane by lane. `due_at` is both schedule and lease: a claim moves it past the
// time within which the claimer must be done, so whatever becomes of the claimer, the delivery is due again.

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
  /** The token that fences what follows: only who holds it may record. */
  readonly lease: string;
  /** The number of the attempt to make, from 1: one more than were recorded. */
  readonly attempt: number;
  readonly firstAttemptAt: Date | null;
  /** The endpoint's URL as it is now. */
  readonly url: string;
  readonly body: string;
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

// Each lane is read from its earliest delivery on, as far as its share goes, however many are waiting behind.
const CLAIM = `
with picked as materialized (
  select due.id from unnest($1::text[], $2::int[]) as wanted(lane, share)
  cross join lateral (
    select d.id from webhook_delivery d where d.lane = wanted.lane and d.due_at <= statement_timestamp()
    order by d.due_at limit wanted.share for no key update skip locked
  ) due
), claimed as (
  update webhook_delivery d set lease = $3, due_at = statement_timestamp() + $4 * interval '1 millisecond'
  from picked where picked.id = d.id
  returning d.id, d.event_id, d.merchant_id, d.endpoint_id, d.lane, d.attempts, d.first_attempt_at, d.url
)
select c.id as "deliveryId", c.event_id as "eventId", c.merchant_id as "merchantId", c.endpoint_id as "endpointId", c.lane,
  c.attempts + 1 as attempt, c.first_attempt_at::text as "firstAttemptAt", coalesce(w.url, c.url) as url, e.body,
  m.webhook_secret as secret, case when m.previous_secret_expires_at > now() then m.previous_webhook_secret end
    as "previousSecret"
from claimed c
  join event e on e.id = c.event_id
  join merchant m on m.id = c.merchant_id
  left join webhook_endpoint w on w.id = c.endpoint_id`;

// A statement of its own, so that it sees what the claim has left, and everything that whoever held the lane before us
// has committed.
const SETTLE = `
update webhook_lane l set due_at = (
  select d.due_at from webhook_delivery d where d.lane = l.lane and d.due_at is not null order by d.due_at limit 1
) where l.lane = any($1::text[])
returning l.lane, coalesce(l.due_at <= statement_timestamp(), false) as more`;

/**
 * Claims what is due. The rules that keep a lane's `due_at` from ever being later than its earliest waiting delivery's:
 * whoever makes a delivery due earlier lowers the lane's under the lane's row lock, in the same transaction; only a claim
 * raises it, under the same lock, by a statement that began after it had the lock. (One statement for all was rejected:
 * its snapshot is older than its locks, so it misses what a relay committed in between.)
 *
 * Locks. A claim waits for nobody: it skips lanes and deliveries that are locked. Whoever else locks both either takes
 * lanes first and only inserts deliveries after (relay, resend), or takes deliveries first (finish, release); nobody
 * who holds a lane waits for a delivery. Several rows of one table are locked in the order of their keys, endpoints
 * before everything else.
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
  const claimed = await client.query<ClaimRow>(CLAIM, [lanes, wanted.map((each) => each.share), lease, leaseMs]);
  const settled = await client.query<{ lane: string; more: boolean }>(SETTLE, [lanes]);
  return { claims: claimed.rows.map((row) => toClaim(row, lease)), lanes: settled.rows };
}

async function holdDueLanes(client: PoolClient, choice: LaneChoice): Promise<DueLane[]> {
  const { closedLanes, closedMerchants, failingLanes, failingLimit } = choice;
  const others = [MOST_LANES, failingLanes, closedLanes, closedMerchants];
  const { rows } = await client.query<DueLane>(OTHER_LANES, others);
  if (failingLanes.length === 0 || failingLimit <= 0) return rows;
  const failing = [Math.min(MOST_LANES, failingLimit), failingLanes, closedLanes, closedMerchants];
  return [...rows, ...(await client.query<DueLane>(FAILING_LANES, failing)).rows];
}

type ClaimRow = Omit<Claim, 'firstAttemptAt' | 'secrets' | 'lease'> & {
  firstAttemptAt: string | null;
  secret: string;
  previousSecret: string | null;
};

function toClaim({ firstAttemptAt, secret, previousSecret, ...row }: ClaimRow, lease: string): Claim {
  const secrets = previousSecret === null ? [secret] : [secret, previousSecret];
  return { ...row, lease, firstAttemptAt: toDate(firstAttemptAt), secrets };
}
