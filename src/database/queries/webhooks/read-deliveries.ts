// The deliveries of one event with every attempt, for its merchant.

import type { DeliveryStatus } from '../../../entities/enums.ts';
import { query, toDate, type EntityManager } from '../../connection.ts';

/** One attempt as recorded. */
export interface Attempt {
  /** From 1. */
  readonly attempt: number;
  /** When it started. */
  readonly at: Date;
  readonly url: string;
  /** Null where there was no answer; `error` says why in words then. */
  readonly responseCode: number | null;
  /** How long it took, answered or not. */
  readonly responseTimeMs: number;
  /** The first 1 KiB of the answer. */
  readonly responseStart: string | null;
  readonly error: string | null;
}

/** One event on its way to one destination. */
export interface Delivery {
  readonly deliveryId: string;
  readonly eventId: string;
  /** Where the next attempt goes, or where the last one went. */
  readonly url: string;
  readonly status: DeliveryStatus;
  readonly isPrimary: boolean;
  /** Attempts recorded. */
  readonly attempts: number;
  readonly lastAttemptAt: Date | null;
  readonly nextRetryAt: Date | null;
  readonly responseCode: number | null;
  readonly responseTimeMs: number | null;
  readonly attemptLog: readonly Attempt[];
}

/** A delivery without its attempts. */
export type ListedDelivery = Omit<Delivery, 'attemptLog'>;
/** The same as the driver gives it. */
export type DeliveryRow = Omit<ListedDelivery, 'lastAttemptAt' | 'nextRetryAt'> & {
  readonly lastAttemptAt: string | null;
  readonly nextRetryAt: string | null;
};
type AttemptRow = Omit<Attempt, 'at'> & { deliveryId: string; at: string };

/** Columns of a delivery `d`; its URL is for the statement to say. */
export const DELIVERY_COLUMNS = `d.id as "deliveryId", d.event_id as "eventId", d.status, d.is_primary as "isPrimary",
  d.attempts, d.last_attempt_at as "lastAttemptAt", d.next_retry_at as "nextRetryAt",
  d.response_code as "responseCode", d.response_time_ms as "responseTimeMs"`;

/** Reads a row. In place: what else is made of each row of a page is what takes time there. */
export function toDelivery(row: DeliveryRow): ListedDelivery {
  const { lastAttemptAt, nextRetryAt } = row;
  return Object.assign(row, { lastAttemptAt: toDate(lastAttemptAt), nextRetryAt: toDate(nextRetryAt) });
}

// An event has few deliveries. They are taken first: the planner must not start from all of the merchant's.
const DELIVERIES = `
with own as materialized (select * from webhook_delivery where event_id = $1)
select ${DELIVERY_COLUMNS}, d.url, case when d.due_at is not null then coalesce(w.url, d.url) end as "nextUrl"
from own d left join webhook_endpoint w on w.id = d.endpoint_id
where d.merchant_id = $2
order by d.resend desc, d.id desc`;

const ATTEMPTS = `
select delivery_id as "deliveryId", attempt, at, url, response_code as "responseCode",
  response_time_ms as "responseTimeMs", response_start as "responseStart", error
from webhook_attempt where delivery_id = any($1) order by attempt`;

/** Reads them, newest first; none where the event is not this merchant's. */
export async function readDeliveries(em: EntityManager, merchantId: string, eventId: string): Promise<Delivery[]> {
  const rows = await query<DeliveryRow & { nextUrl: string | null }>(em, DELIVERIES, [eventId, merchantId]);
  if (rows.length === 0) return [];
  const logs = await readAttempts(
    em,
    rows.map((row) => row.deliveryId),
  );
  return rows.map(({ nextUrl, ...row }) => {
    const attemptLog = logs.get(row.deliveryId) ?? [];
    return { ...toDelivery(row), url: nextUrl ?? attemptLog.at(-1)?.url ?? row.url, attemptLog };
  });
}

/** Every attempt of these deliveries, oldest first, by delivery; one that was not tried has no entry. */
export async function readAttempts(
  em: EntityManager,
  deliveryIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Attempt[]>> {
  const logs = new Map<string, Attempt[]>();
  for (const { deliveryId, at, ...attempt } of await query<AttemptRow>(em, ATTEMPTS, [deliveryIds])) {
    const log = logs.get(deliveryId);
    const read = { ...attempt, at: toDate(at) };
    if (log) log.push(read);
    else logs.set(deliveryId, [read]);
  }
  return logs;
}
