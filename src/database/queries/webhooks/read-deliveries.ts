// Reads the deliveries of one event, each with its attempts.

import type { DeliveryStatus } from '../../../entities/enums.ts';
import { query, toDate, type EntityManager } from '../../connection.ts';

/** A recorded attempt. */
export interface Attempt {
  /** From 1. */
  readonly attempt: number;
  /** When it started. */
  readonly at: Date;
  readonly url: string;
  /** Null if there was no response; `error` then says why, in words. */
  readonly responseCode: number | null;
  /** How long it took, with or without a response. */
  readonly responseTimeMs: number;
  /** The first 1 KiB of the response. */
  readonly responseStart: string | null;
  readonly error: string | null;
}

/** The delivery of one event to one destination. */
export interface Delivery {
  readonly deliveryId: string;
  readonly eventId: string;
  /** Null if it goes to a `callbackUrl`, or to the address of one test. */
  readonly endpointId: string | null;
  /** Where the next attempt goes, or the last one went. */
  readonly url: string;
  readonly status: DeliveryStatus;
  readonly isPrimary: boolean;
  /** The number of attempts recorded. */
  readonly attempts: number;
  readonly lastAttemptAt: Date | null;
  readonly nextRetryAt: Date | null;
  readonly responseCode: number | null;
  readonly responseTimeMs: number | null;
  readonly attemptLog: readonly Attempt[];
}

/** A delivery without its attempts. */
export type ListedDelivery = Omit<Delivery, 'attemptLog'>;
/** The same, as the driver returns it. */
export type DeliveryRow = Omit<ListedDelivery, 'lastAttemptAt' | 'nextRetryAt'> & {
  readonly lastAttemptAt: string | null;
  readonly nextRetryAt: string | null;
};
type AttemptRow = Omit<Attempt, 'at'> & { deliveryId: string; at: string };

/** The columns of a delivery `d`, except the URL, which each statement selects itself. */
export const DELIVERY_COLUMNS = `d.id as "deliveryId", d.event_id as "eventId", d.endpoint_id as "endpointId", d.status,
  d.is_primary as "isPrimary", d.attempts, d.last_attempt_at as "lastAttemptAt", d.next_retry_at as "nextRetryAt",
  d.response_code as "responseCode", d.response_time_ms as "responseTimeMs"`;

/** Converts a row in place, because copying each row of a page would be slow. */
export function toDelivery(row: DeliveryRow): ListedDelivery {
  const { lastAttemptAt, nextRetryAt } = row;
  return Object.assign(row, { lastAttemptAt: toDate(lastAttemptAt), nextRetryAt: toDate(nextRetryAt) });
}

// An event has few deliveries. They are read first, so that the planner does not start from all of the merchant's.
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

/** Reads an event's deliveries, newest first; empty if the event is not this merchant's. */
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

/** All attempts of these deliveries, oldest first, by delivery. Deliveries that were not tried have no entry. */
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
