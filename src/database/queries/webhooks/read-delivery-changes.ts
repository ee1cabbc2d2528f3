// Reads what happened to deliveries between two looks, by the transactions that recorded it.
//
// A look stops at the oldest transaction that is still running: whatever has a lower id is over by then, and what it
// wrote is visible, for good; whatever has that id or a higher one is left for a later look, even where it is visible
// already. So each row belongs to exactly one look. Nothing is missed, however slow its transaction and in whatever
// order they commit, and nothing is read twice. A clock or a sequence could not do that: both are taken before the
// commit. The price: a transaction that writes for long, in any database of the server, holds these looks up.

import type { Pool } from 'pg';
import type { DeliveryStatus } from '../../../entities/enums.ts';
import { toDate } from '../../connection.ts';
import type { Attempt } from './read-deliveries.ts';

/** A delivery with the transactions that made it and changed it last (the same one unless it was switched off). */
export interface ChangedDelivery {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly merchantId: string;
  readonly isPrimary: boolean;
  /** Where it was made to go. */
  readonly url: string;
  /** Where its endpoint is now; null without one. */
  readonly endpointUrl: string | null;
  readonly madeIn: bigint;
  readonly changedIn: bigint;
}

/** An attempt, and where it left its delivery. */
export interface RecordedAttempt extends Attempt {
  readonly deliveryId: string;
  readonly status: DeliveryStatus;
  readonly nextRetryAt: Date | null;
  readonly recordedIn: bigint;
}

/** The transactions that a look is about: from the first, the second not included. */
export interface Look {
  readonly from: bigint;
  readonly until: bigint;
}

/** The oldest transaction that is still running, or the next one there will be. */
export async function readOldestRunning(pool: Pool): Promise<bigint> {
  const { rows } = await pool.query<{ oldest: string }>(
    'select pg_snapshot_xmin(pg_current_snapshot())::text as oldest',
  );
  return BigInt(rows[0]?.oldest ?? 0);
}

/**
 * The deliveries of these merchants to which something happened within a look, oldest first. What makes, tries or
 * switches off deliveries writes a row of `webhook_change` in the same transaction. With `limit` each is looked up by
 * itself, however many there are.
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
select d.id as "deliveryId", d.event_id as "eventId", d.merchant_id as "merchantId", d.is_primary as "isPrimary", d.url,
  w.url as "endpointUrl", d.made_in::text as "madeIn", d.changed_in::text as "changedIn"
from webhook_delivery d left join webhook_endpoint w on w.id = d.endpoint_id
where d.id = any($1) order by d.id`;

// Attempts from before there was a status are never within a look; they are here for the log of later ones.
const ATTEMPTS = `
select delivery_id as "deliveryId", attempt, at::text, url, response_code as "responseCode",
  response_time_ms as "responseTimeMs", response_start as "responseStart", error,
  coalesce(status, 'RETRYING') as status, next_retry_at::text as "nextRetryAt", recorded_in::text as "recordedIn"
from webhook_attempt where delivery_id = any($1) order by delivery_id, attempt`;

/** Deliveries by their ids, in that order, each with its attempts, oldest first. */
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
