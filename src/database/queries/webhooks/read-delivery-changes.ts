// Reads the deliveries that changed between two polls, by the ids of the transactions that changed them.
//
// A poll stops at the oldest transaction that is still running. All transactions with lower ids have ended, and what
// they wrote is visible for good. Anything with that id or a higher one is left for a later poll, even if it is visible
// already. So each row belongs to exactly one poll: nothing is missed, however slow its transaction is and in whatever
// order transactions commit, and nothing is read twice. A clock or a sequence could not ensure that, because both are
// taken before the commit. The price: a long writing transaction, in any database of the server, delays these polls.

import type { Pool } from 'pg';
import type { DeliveryStatus } from '../../../entities/enums.ts';
import { toDate } from '../../connection.ts';
import type { Attempt } from './read-deliveries.ts';

/** A delivery, with the transactions that made it and last changed it (the same one unless it was disabled). */
export interface ChangedDelivery {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly endpointId: string | null;
  readonly merchantId: string;
  readonly isPrimary: boolean;
  /** The URL it was made for. */
  readonly url: string;
  /** Its endpoint's current URL; null without one. */
  readonly endpointUrl: string | null;
  readonly madeIn: bigint;
  readonly changedIn: bigint;
}

/** An attempt, and the delivery's state after it. */
export interface RecordedAttempt extends Attempt {
  readonly deliveryId: string;
  readonly status: DeliveryStatus;
  readonly nextRetryAt: Date | null;
  readonly recordedIn: bigint;
}

/** The transaction ids that a poll covers: from the first up to, but not including, the second. */
export interface Look {
  readonly from: bigint;
  readonly until: bigint;
}

/** The oldest transaction that is still running, or the next one to start. */
export async function readOldestRunning(pool: Pool): Promise<bigint> {
  const { rows } = await pool.query<{ oldest: string }>(
    'select pg_snapshot_xmin(pg_current_snapshot())::text as oldest',
  );
  return BigInt(rows[0]?.oldest ?? 0);
}

/**
 * The deliveries of these merchants that changed within a poll's range, oldest first. Making, trying or disabling
 * deliveries inserts a row of `webhook_change` in the same transaction. The `limit` makes PostgreSQL look up each one
 * by itself, however many there are.
 */
export async function readChangedDeliveryIds(
  pool: Pool,
  { from, until }: Look,
  merchantIds: readonly string[],
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select distinct own.id from webhook_change c cross join lateral unnest(c.delivery_ids) as changed(id)
     cross join lateral (
       select id from webhook_delivery where id = changed.id and merchant_id = any($3) limit 1
     ) own
     where c.recorded_in >= $1::xid8 and c.recorded_in < $2::xid8
     order by own.id`,
    [from.toString(), until.toString(), merchantIds],
  );
  return rows.map((row) => row.id);
}

type DeliveryRow = Omit<ChangedDelivery, 'madeIn' | 'changedIn'> & { madeIn: string; changedIn: string };
type AttemptRow = Omit<RecordedAttempt, 'at' | 'nextRetryAt' | 'recordedIn'> & {
  at: string;
  nextRetryAt: string | null;
  recordedIn: string;
};

const DELIVERIES = `
select d.id as "deliveryId", d.event_id as "eventId", d.endpoint_id as "endpointId", d.merchant_id as "merchantId",
  d.is_primary as "isPrimary", d.url, w.url as "endpointUrl", d.made_in::text as "madeIn", d.changed_in::text as "changedIn"
from webhook_delivery d left join webhook_endpoint w on w.id = d.endpoint_id
where d.id = any($1) order by d.id`;

// Attempts recorded before the status column existed are never within a poll; they are read for later attempts' logs.
const ATTEMPTS = `
select d.id as "deliveryId", attempt, at::text, url, response_code as "responseCode",
  response_time_ms as "responseTimeMs", response_start as "responseStart", error,
  coalesce(status, 'RETRYING') as status, next_retry_at::text as "nextRetryAt", recorded_in::text as "recordedIn"
from unnest($1::text[]) as d(id)
cross join lateral (select * from webhook_attempt where delivery_id = d.id offset 0) a order by d.id, attempt`;

/** Deliveries by their ids, in id order, each with its attempts, oldest first. */
export async function readChangedDeliveries(
  pool: Pool,
  ids: readonly string[],
): Promise<{ delivery: ChangedDelivery; attempts: readonly RecordedAttempt[] }[]> {
  const deliveries = await pool.query<DeliveryRow>(DELIVERIES, [ids]);
  const attempts = await pool.query<AttemptRow>(ATTEMPTS, [ids]);
  const logs = Map.groupBy(attempts.rows, (attempt) => attempt.deliveryId);
  return deliveries.rows.map((row) => ({
    delivery: { ...row, madeIn: BigInt(row.madeIn), changedIn: BigInt(row.changedIn) },
    attempts: (logs.get(row.deliveryId) ?? []).map((attempt) => ({
      ...attempt,
      at: toDate(attempt.at),
      nextRetryAt: toDate(attempt.nextRetryAt),
      recordedIn: BigInt(attempt.recordedIn),
    })),
  }));
}
