// Since when an endpoint has been failing, and how many attempts failed since then.

import { query, toDate, type EntityManager } from '../../connection.ts';

/** An endpoint whose row is locked. */
export interface LockedEndpoint {
  readonly merchantId: string;
  readonly enabled: boolean;
  readonly failingSince: Date | null;
}

/** Locks an endpoint for a transaction that may disable it. Endpoints are always locked before deliveries. */
export async function lockEndpoint(em: EntityManager, endpointId: string): Promise<LockedEndpoint | null> {
  const [row] = await query<{ merchantId: string; enabled: boolean; failingSince: string | null }>(
    em,
    `select merchant_id as "merchantId", enabled, failing_since::text as "failingSince"
     from webhook_endpoint where id = $1 for no key update`,
    [endpointId],
  );
  return row ? { ...row, failingSince: toDate(row.failingSince) } : null;
}

/** Sets since when endpoints have been failing; null if their last attempt succeeded. Writes only changed rows. */
export async function setFailingSince(em: EntityManager, since: ReadonlyMap<string, Date | null>): Promise<void> {
  if (since.size === 0) return;
  await query(
    em,
    `with changed as materialized (
       select e.id, c.since from webhook_endpoint e join unnest($1::text[], $2::timestamptz[]) as c(id, since) using (id)
       where (e.failing_since is null) <> (c.since is null)
       order by e.id for no key update of e
     )
     update webhook_endpoint e set failing_since = changed.since from changed where changed.id = e.id`,
    [[...since.keys()], [...since.values()]],
  );
}

/** An endpoint's attempts since a time. */
export interface AttemptCount {
  /** Failed attempts that ended at or after that time: the first to end need not be the first to start. */
  readonly failed: number;
  /** The start of the last successful attempt at or after that time. */
  readonly lastSuccessAt: Date | null;
}

/** Counts the attempts. Reads all recent deliveries of the merchant, so only use it before disabling an endpoint. */
export async function countAttempts(
  em: EntityManager,
  endpoint: { readonly id: string; readonly merchantId: string; readonly since: Date },
): Promise<AttemptCount> {
  const [row] = await query<{ failed: number; lastSuccessAt: string | null }>(
    em,
    `select count(*) filter (where a.response_code is null or a.response_code not between 200 and 299)::int as failed,
       (max(a.at) filter (where a.response_code between 200 and 299 and a.at >= $3))::text as "lastSuccessAt"
     from webhook_delivery d join webhook_attempt a on a.delivery_id = d.id
     where d.merchant_id = $2 and d.endpoint_id = $1 and d.last_attempt_at >= $3::timestamptz - interval '1 minute'
       and a.at + a.response_time_ms * interval '1 millisecond' >= $3`,
    [endpoint.id, endpoint.merchantId, endpoint.since],
  );
  return { failed: row?.failed ?? 0, lastSuccessAt: toDate(row?.lastSuccessAt ?? null) };
}
