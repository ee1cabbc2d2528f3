// What became of the attempts at each endpoint, by the hour.

import { readEndpointHours, type EndpointHour } from '../../database/queries/webhooks/endpoint-hours.ts';
import { readAnywhere } from '../../database/read-source.ts';
import type { Deps } from '../deps.ts';
import { CLASSES, percentileOf } from './response-times.ts';

export const DEFAULT_HOURS = 24;
/** A week. Hours are kept a day longer (domain/retention.ts). */
export const MOST_HOURS = 168;

const HOUR_MS = 3_600_000;

/** The last failed attempt. */
export interface EndpointFailure {
  /** When it started. */
  readonly at: Date;
  readonly responseCode: number | null;
  /** Why there was no answer, in words. */
  readonly error: string | null;
}

/** The attempts that started in one hour. */
export interface HourOfEndpoint {
  /** When the hour began. */
  readonly at: Date;
  readonly succeeded: number;
  readonly failed: number;
}

export interface EndpointStatistics {
  readonly endpointId: string;
  readonly attempts: number;
  readonly succeeded: number;
  readonly failed: number;
  /** From 0 to 1; null without attempts. */
  readonly successRate: number | null;
  /** Half of the attempts, and 19 of 20, took no longer, in milliseconds; null without attempts. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly lastFailure: EndpointFailure | null;
  /** Every hour, oldest first; the last one is the present hour. */
  readonly hours: readonly HourOfEndpoint[];
}

/** The statistics of a merchant's endpoints, newest endpoint first, over this many hours with the present one. */
export async function findEndpointStatistics(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  merchantId: string,
  hours: number,
): Promise<EndpointStatistics[]> {
  const present = Math.floor(clock.now().getTime() / HOUR_MS) * HOUR_MS;
  const since = present - (hours - 1) * HOUR_MS;
  const rows = await readAnywhere(db, ({ pool }) => readEndpointHours(pool, merchantId, new Date(since)));
  const starts = Array.from({ length: hours }, (_, nth) => since + nth * HOUR_MS);
  return [...Map.groupBy(rows, ({ endpointId }) => endpointId)].map(([id, own]) => toStatistics(id, own, starts));
}

/** `starts`: when each hour began, in Unix milliseconds. */
function toStatistics(endpointId: string, rows: readonly EndpointHour[], starts: readonly number[]) {
  const byHour = new Map(rows.map((row) => [row.hour?.getTime(), row]));
  const hours = starts.map((start) => {
    const { succeeded, failed } = byHour.get(start) ?? {};
    return { at: new Date(start), succeeded: succeeded ?? 0, failed: failed ?? 0 };
  });
  const succeeded = hours.reduce((sum, hour) => sum + hour.succeeded, 0);
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0);
  const took = new Array<number>(CLASSES).fill(0);
  for (const row of rows) for (const [nth, count] of (row.took ?? []).entries()) took[nth] = (took[nth] ?? 0) + count;
  const attempts = succeeded + failed;
  return {
    ...{ endpointId, attempts, succeeded, failed, hours },
    successRate: attempts === 0 ? null : succeeded / attempts,
    p50Ms: percentileOf(took, 0.5),
    p95Ms: percentileOf(took, 0.95),
    lastFailure: lastFailureOf(rows),
  };
}

function lastFailureOf(rows: readonly EndpointHour[]): EndpointFailure | null {
  const last = rows.findLast(({ failedAt }) => failedAt !== null);
  return last?.failedAt ? { at: last.failedAt, responseCode: last.responseCode, error: last.error } : null;
}
