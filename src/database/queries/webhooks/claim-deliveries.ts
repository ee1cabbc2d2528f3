// Claims due webhook deliveries for sending, lane by lane. A claim is one row for all deliveries taken from a lane at
// once, with the end of its lease. The deliveries themselves are not touched; if the claimer dies, its claim is removed
// at the next look at the lane after the lease has ended.

import type { Pool, PoolClient } from 'pg';
import type { WebhookForm } from '../../../values/formats/greenfield.ts';
import { toDate } from '../../connection.ts';

/** A delivery that is ours to send until its lease ends. */
export interface Claim {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly merchantId: string;
  /** Null if it goes to a payment's `callbackUrl`. */
  readonly endpointId: string | null;
  readonly lane: string;
  /** The token of its lane's claim. It fences the recording: only the claim's holder may record an attempt. */
  readonly lease: string;
  /** The number of the attempt to make, from 1: one more than were recorded. */
  readonly attempt: number;
  readonly firstAttemptAt: Date | null;
  /** The endpoint's current URL. */
  readonly url: string;
  /** In which form it is sent; ours to a `callbackUrl`. */
  readonly form: WebhookForm;
  /** The exact bytes to send, shared by all deliveries of an event. */
  readonly body: Buffer;
  /** The span that made the event; null without tracing. */
  readonly trace: string | null;
  /** The merchant's webhook secret, and the previous one while the two overlap by the database's clock. */
  readonly secrets: readonly string[];
}

/** A lane with a due delivery. */
export interface DueLane {
  readonly lane: string;
  readonly merchantId: string;
}

/** Which lanes to look at. Closed and failing lanes may overlap; other lanes may be new to the claimer. */
export interface LaneChoice {
  readonly closedLanes: readonly string[];
  readonly closedMerchants: readonly string[];
  /** Lanes that are looked at separately, so that many failing ones do not hide the working ones. */
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

/** The result of a claim. */
export interface ClaimResult {
  readonly claims: readonly Claim[];
  /** The lanes that got a share; `more` if one still has something due. */
  readonly lanes: readonly { readonly lane: string; readonly more: boolean }[];
}

/** The most lanes looked at in one claim. */
const MOST_LANES = 256;

// Longest due first, skipping lanes that another process has locked. What all deliveries of a lane share is read here
// once. The lane of an endpoint's deliveries is the endpoint's id.
const lanesWhere = (condition: string) => `
with held as materialized (
  select lane, merchant_id, due_at from webhook_lane where due_at <= now() and ${condition}
  order by due_at limit $1 for no key update skip locked
)
select held.lane, held.merchant_id as "merchantId", w.id as "endpointId", w.url, w.form, m.webhook_secret as secret,
  case when m.previous_secret_expires_at > now() then m.previous_webhook_secret end as "previousSecret"
from held join merchant m on m.id = held.merchant_id left join webhook_endpoint w on w.id = held.lane
order by held.due_at`;
const OTHER_LANES = lanesWhere(
  'lane <> all($2::text[]) and lane <> all($3::text[]) and merchant_id <> all($4::text[])',
);
const FAILING_LANES = lanesWhere(
  'lane = any($2::text[]) and lane <> all($3::text[]) and merchant_id <> all($4::text[])',
);

// Skips a claim that is locked because attempts are being recorded under it; the next look removes it.
const REAP = `
with over as materialized (
  select lane, lease from webhook_claim where lane = any($1::text[]) and leased_until <= statement_timestamp()
  for update skip locked
)
delete from webhook_claim c using over where c.lane = over.lane and c.lease = over.lease`;

// The claimed deliveries of these lanes, with their attempt counts. `not in` makes PostgreSQL hash this list once.
const TAKEN = `
taken as materialized (
  select held.id, held.attempts from webhook_claim c
  cross join lateral unnest(c.delivery_ids, c.attempts) as held(id, attempts)
  where c.lane = any($1::text[]) and held.id <> all(c.given_back)
)`;

// Reads each lane from its earliest delivery up to its share, however many deliveries wait behind.
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

// Once for all destinations of an event.
const BODIES = 'select id, body, trace from event where id = any($1)';

// A separate statement, so that it sees the claim's result and everything that the lane's previous holder committed.
// Claimed deliveries are due again when their lease ends.
const REFRESH_LANES = `
with ${TAKEN}
update webhook_lane l set due_at = least((
  select d.due_at from webhook_delivery d
  where d.lane = l.lane and d.due_at is not null and (d.id, d.attempts) not in (select id, attempts from taken)
  order by d.due_at limit 1
), (select min(c.leased_until) from webhook_claim c where c.lane = l.lane)) where l.lane = any($1::text[])
returning l.lane, coalesce(l.due_at <= statement_timestamp(), false) as more`;

/**
 * Claims due deliveries.
 *
 * Due times. A lane's `due_at` is never later than its earliest waiting delivery's, or the end of the lease if that is
 * claimed. So whatever makes a delivery due earlier lowers the lane's `due_at` under the lane's row lock, in the same
 * transaction; only a claim raises it, under the same lock, by a statement that began after it had the lock. (One
 * statement for all was rejected: its snapshot is older than its locks, so it misses what a relay committed in
 * between.) Claims are made under their lane's lock too, so nothing is claimed twice.
 *
 * Leases. A claim stands until its row is deleted; only then can another process take its deliveries. Recording locks
 * the row, so an attempt is either recorded before the claim is removed, and visible to its remover, or not at all.
 *
 * Locks. A claim never waits: it skips locked lanes and claims, and locks no deliveries. Other transactions that lock
 * lanes and something else either take the lanes first and then only insert deliveries (relay, resend), or take the
 * lanes last (record, release); no holder of a lane waits for a delivery or a claim. Rows of one table are locked in
 * key order, endpoints before everything else, claims before deliveries.
 *
 * The commit waits for the disk. Otherwise a crash of the server could undo it while this process still posts the
 * claimed deliveries, and each of them would be posted twice.
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
    // Drops the connection, and with it the transaction, whatever their state.
    client.release(true);
    throw error;
  }
}

async function claimInside(client: PoolClient, request: ClaimRequest): Promise<ClaimResult> {
  const { choice, share, leaseMs } = request;
  const due = await lockDueLanes(client, choice);
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
  const refreshed = await client.query<{ lane: string; more: boolean }>(REFRESH_LANES, [names]);
  const lanes = new Map(wanted.map((each) => [each.lane, toTerms(each)]));
  return { claims: rows.map((row) => toClaim(row, lanes.get(row.lane) as LaneTerms, bodies)), lanes: refreshed.rows };
}

interface LockedLane extends DueLane {
  /** Null if the lane is not an endpoint's, or its endpoint was deleted. */
  readonly endpointId: string | null;
  readonly url: string | null;
  readonly form: WebhookForm | null;
  readonly secret: string;
  readonly previousSecret: string | null;
}

async function lockDueLanes(client: PoolClient, choice: LaneChoice): Promise<LockedLane[]> {
  const { closedLanes, closedMerchants, failingLanes, failingLimit } = choice;
  const others = [MOST_LANES, failingLanes, closedLanes, closedMerchants];
  const { rows } = await client.query<LockedLane>(OTHER_LANES, others);
  if (failingLanes.length === 0 || failingLimit <= 0) return rows;
  const failing = [Math.min(MOST_LANES, failingLimit), failingLanes, closedLanes, closedMerchants];
  return [...rows, ...(await client.query<LockedLane>(FAILING_LANES, failing)).rows];
}

async function readBodies(client: PoolClient, rows: readonly ClaimRow[]): Promise<ReadonlyMap<string, EventText>> {
  const eventIds = [...new Set(rows.map((row) => row.eventId))];
  const { rows: events } = await client.query<{ id: string; body: string; trace: string | null }>(BODIES, [eventIds]);
  return new Map(events.map(({ id, body, trace }) => [id, { body: Buffer.from(body), trace }]));
}

type EventText = Pick<Claim, 'body' | 'trace'>;

/** What all claims of a lane have in common. */
type LaneTerms = Pick<Claim, 'lane' | 'lease' | 'merchantId' | 'endpointId' | 'url' | 'form' | 'secrets'>;

function toTerms({ secret, previousSecret, url, form, ...lane }: LockedLane & { readonly lease: string }): LaneTerms {
  const { lane: name, lease, merchantId, endpointId } = lane;
  const secrets = previousSecret === null ? [secret] : [secret, previousSecret];
  return { lane: name, lease, merchantId, endpointId, url: url ?? '', form: form ?? 'TURNPIKE', secrets };
}

/** `url` is the delivery's own if it goes to no endpoint, otherwise null. */
type ClaimRow = Pick<Claim, 'deliveryId' | 'eventId' | 'lane' | 'attempt'> & {
  readonly firstAttemptAt: string | null;
  readonly url: string | null;
};

function toClaim(row: ClaimRow, terms: LaneTerms, bodies: ReadonlyMap<string, EventText>): Claim {
  const { deliveryId, eventId, attempt, firstAttemptAt, url } = row;
  return {
    ...{ deliveryId, eventId, attempt, firstAttemptAt: toDate(firstAttemptAt) },
    ...{ merchantId: terms.merchantId, lane: terms.lane, lease: terms.lease, secrets: terms.secrets },
    endpointId: url === null ? terms.endpointId : null,
    url: url ?? terms.url,
    form: url === null ? terms.form : 'TURNPIKE',
    // Every event with a delivery has a body.
    ...(bodies.get(eventId) as EventText),
  };
}
