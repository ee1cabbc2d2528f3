// A merchant's API log by date: a keyset on (time, id), so no page costs more than another.

import { query, toDate, type EntityManager } from '../connection.ts';

/** One call. */
export interface ApiLogRow {
  readonly requestId: string;
  readonly at: Date;
  readonly keyId: string | null;
  readonly method: string;
  readonly path: string;
  readonly operation: string | null;
  readonly status: number;
  readonly errorCode: string | null;
  readonly durationMs: number;
  readonly ip: string;
}

/** Where a page ends: the row's time as text, exact to the microsecond, and its number. */
export interface ApiLogPosition {
  readonly at: string;
  readonly row: string;
}

export interface ApiLogFilter {
  readonly merchantId: string;
  readonly from: Date | null;
  readonly until: Date | null;
  readonly before: ApiLogPosition | null;
}

/** At most `limit` calls, newest first, below `before`. */
export async function listApiLog(
  em: EntityManager,
  { merchantId, from, until, before }: ApiLogFilter,
  limit: number,
): Promise<(ApiLogRow & { readonly position: ApiLogPosition })[]> {
  const rows = await query<Omit<ApiLogRow, 'at'> & { at: string; row: string }>(
    em,
    `select id::text as row, request_id as "requestId", at, key_id as "keyId", method, path, operation, status,
       error_code as "errorCode", duration_ms as "durationMs", ip
     from api_log
     where merchant_id = $1 and at >= coalesce($2::timestamptz, '-infinity') and at < coalesce($3::timestamptz, 'infinity')
       and (at, id) < (coalesce($4::timestamptz, 'infinity'), coalesce($5::bigint, 0))
     order by at desc, id desc limit $6`,
    [merchantId, from, until, before?.at ?? null, before?.row ?? null, limit],
  );
  return rows.map(({ row, ...rest }) => ({ ...rest, at: toDate(rest.at), position: { at: rest.at, row } }));
}
