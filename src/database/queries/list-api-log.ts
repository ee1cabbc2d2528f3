// Pages through a merchant's API log by date: a keyset on (time, id), so every page costs the same.

import type { Pool, QueryConfig } from 'pg';
import { toDate } from '../connection.ts';
import { firstOf } from './page-limit.ts';

/** One logged call. */
export interface ApiLogRow {
  /** The row's position: its time as text, exact to the microsecond, and its number. */
  readonly id: string;
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

export interface ApiLogFilter {
  readonly merchantId: string;
  readonly from: Date | null;
  readonly until: Date | null;
  /** The id of the row below which the page starts. */
  readonly before: string | null;
}

/*
 * The order and the range use the whole index, so that the planner does not choose the index of times alone, which
 * would read past all other merchants' calls. The upper bound is one row: the earlier of the end date and the cursor.
 */
const ROWS = `
select * from api_log
where (merchant_id, at, id) >= ($1, coalesce($2::timestamptz, '-infinity'), 0)
  and (merchant_id, at, id) < ($1, least($3::timestamptz, $4::timestamptz, 'infinity'),
    case when $4::timestamptz < coalesce($3::timestamptz, 'infinity') then $5::bigint else 0 end)`;
/** The last order qualifies its columns: plain `id` would sort by the selected text, with 99 after 100. */
const STATEMENT = `
select at::text || '|' || id as id, request_id as "requestId", at, key_id as "keyId", method, path, operation, status,
  error_code as "errorCode", duration_ms as "durationMs", ip
from (${firstOf(ROWS, 'merchant_id desc, at desc, id desc', '$6')}) page
order by page.merchant_id desc, page.at desc, page.id desc`;

/** At most `limit` calls, newest first, below `before`. */
export async function listApiLog(pool: Pool, filter: ApiLogFilter, limit: number): Promise<ApiLogRow[]> {
  const { rows } = await pool.query<Row>(apiLogPageOf(filter, limit));
  return rows.map((row) => Object.assign(row, { at: toDate(row.at) }));
}

/** The prepared statement of a page. */
export function apiLogPageOf({ merchantId, from, until, before }: ApiLogFilter, limit: number): QueryConfig {
  const [at = null, number = null] = before?.split('|') ?? [];
  return { name: 'list-api-log', text: STATEMENT, values: [merchantId, from, until, at, number, limit] };
}

type Row = Omit<ApiLogRow, 'at'> & { readonly at: string };
