// The hours of endpoints, in which recorded attempts are counted, and which statistics are read from.

import { query, toDate, type EntityManager } from '../../connection.ts';
import type { Readable } from '../../read-source.ts';

/** What is added to an hour of an endpoint. */
export interface AttemptsOfHour {
  readonly endpointId: string;
  readonly hour: Date;
  readonly succeeded: number;
  readonly failed: number;
  /** How many took how long, by class. */
  readonly took: readonly number[];
  /** The last that failed; null if none did. */
  readonly failedAt: Date | null;
  readonly responseCode: number | null;
  readonly error: string | null;
}

// Does not wait for the disk, as counts that a crash loses are missed by nobody. Rows are changed in key order.
const COUNT = `
with soon as materialized (select set_config('synchronous_commit', 'off', true))
insert into webhook_endpoint_hour as h (endpoint_id, hour, succeeded, failed, took, failed_at, response_code, error)
select r.* from soon, json_to_recordset($1::json) as r("endpointId" text, hour timestamptz, succeeded int, failed int,
  took int[], "failedAt" timestamptz, "responseCode" int, error text)
order by r."endpointId" collate "C", r.hour
on conflict (endpoint_id, hour) do update set
  succeeded = h.succeeded + excluded.succeeded,
  failed = h.failed + excluded.failed,
  took = array(select mine + added from unnest(h.took, excluded.took) with ordinality as t(mine, added, nth) order by nth),
  (failed_at, response_code, error) = (select * from (values (h.failed_at, h.response_code, h.error),
    (excluded.failed_at, excluded.response_code, excluded.error)) as f(at, code, error) order by at desc nulls last limit 1)`;

/** Each endpoint's hour may be given once. */
export async function countAttemptsOfHours(em: EntityManager, hours: readonly AttemptsOfHour[]): Promise<void> {
  await query(em, COUNT, [JSON.stringify(hours)]);
}

/** An endpoint, and one of its hours; those fields are null if it has none. */
export type EndpointHour = { readonly endpointId: string } & {
  readonly [Name in keyof Omit<AttemptsOfHour, 'endpointId'>]: AttemptsOfHour[Name] | null;
};

// A merchant has at most 21 endpoints, and each has a row for an hour, however many attempts it saw.
const READ = `
select w.id as "endpointId", h.hour, h.succeeded, h.failed, h.took, h.failed_at as "failedAt",
  h.response_code as "responseCode", h.error
from webhook_endpoint w left join webhook_endpoint_hour h on h.endpoint_id = w.id and h.hour >= $2
where w.merchant_id = $1 and w.deleted_at is null order by w.id desc, h.hour`;

/** The hours from `since`, oldest first, of each endpoint, newest first. One without hours has one row. */
export async function readEndpointHours(pool: Readable, merchantId: string, since: Date): Promise<EndpointHour[]> {
  const { rows } = await pool.query<Row>({ name: 'read-endpoint-hours', text: READ, values: [merchantId, since] });
  return rows.map((row) => ({ ...row, hour: toDate(row.hour), failedAt: toDate(row.failedAt) }));
}

type Row = Omit<EndpointHour, 'hour' | 'failedAt'> & { readonly hour: string | null; readonly failedAt: string | null };
