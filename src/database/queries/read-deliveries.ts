// The deliveries of one event with every attempt, for its merchant.

import type { DeliveryStatus } from '../../entities/enums.ts';
import { query, toDate, type EntityManager } from '../connection.ts';

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

type DeliveryRow = Omit<Delivery, 'lastAttemptAt' | 'nextRetryAt' | 'attemptLog'> & {
  lastAttemptAt: string | null;
  nextRetryAt: string | null;
  nextUrl: string | null;
};
type AttemptRow = Omit<Attempt, 'at'> & { deliveryId: string; at: string };

const DELIVERIES = `
select d.id as "deliveryId", d.event_id as "eventId", d.url, d.status, d.is_primary as "isPrimary", d.attempts,
  d.last_attempt_at as "lastAttemptAt", d.next_retry_at as "nextRetryAt", d.response_code as "responseCode",
  d.response_time_ms as "responseTimeMs", case when d.due_at is not null then coalesce(w.url, d.url) end as "nextUrl"
from webhook_delivery d left join webhook_endpoint w on w.id = d.endpoint_id
where d.event_id = $1 and d.merchant_id = $2
order by d.resend desc, d.id desc`;

const ATTEMPTS = `
select delivery_id as "deliveryId", attempt, at, url, response_code as "responseCode",
  response_time_ms as "responseTimeMs", response_start as "responseStart", error
from webhook_attempt where delivery_id = any($1) order by attempt`;

/** Reads them, newest first; none where the event is not this merchant's. */
export async function readDeliveries(em: EntityManager, merchantId: string, eventId: string): Promise<Delivery[]> {
  const rows = await query<DeliveryRow>(em, DELIVERIES, [eventId, merchantId]);
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.deliveryId);
  const attempts = await query<AttemptRow>(em, ATTEMPTS, [ids]);
  const logs = Map.groupBy(attempts, (attempt) => attempt.deliveryId);
  return rows.map(({ nextUrl, ...row }) => {
    const attemptLog = (logs.get(row.deliveryId) ?? []).map(({ deliveryId: _, at, ...attempt }) => {
      return { ...attempt, at: toDate(at) };
    });
    return {
      ...row,
      url: nextUrl ?? attemptLog.at(-1)?.url ?? row.url,
      lastAttemptAt: toDate(row.lastAttemptAt),
      nextRetryAt: toDate(row.nextRetryAt),
      attemptLog,
    };
  });
}
