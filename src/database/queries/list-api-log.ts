// Pages through a merchant's API log by date: a keyset on (time, id), so every page costs the same. What is looked for
// besides is looked for among a bounded number of rows at a time.

import type { QueryConfig } from 'pg';
import { toDate } from '../connection.ts';
import type { Readable } from '../read-source.ts';
import { firstOf } from './page-limit.ts';
import { pageOfWalk, walkOf, type WalkedPage, type WalkedRow } from './walk.ts';

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

/** Which calls; null does not narrow. */
export interface ApiLogFilter {
  readonly merchantId: string;
  readonly from: Date | null;
  readonly until: Date | null;
  /** The id of the row below which the page starts. */
  readonly before: string | null;
}

/** What the walk of a page looks for. */
export interface ApiLogSearch extends ApiLogFilter {
  readonly keyId: string | null;
  readonly method: string | null;
  /** The first digit of the status. */
  readonly statusClass: number | null;
  /** How the path begins. */
  readonly path: string | null;
  readonly errorCode: string | null;
  /** With a key, or in somebody's own session. */
  readonly source: 'KEY' | 'SESSION' | null;
}

/** How far a page that looks for calls goes back. */
export const API_LOG_STEPS = 10_000;

/*
 * The order and the range use the whole index, so that the planner does not choose the index of times alone, which
 * would read past all other merchants' calls. The upper bound is one row: the earlier of the end date and the cursor.
 */
const ROWS = `
select * from api_log
where (merchant_id, at, id) >= ($1, coalesce($2::timestamptz, '-infinity'), 0)
  and (merchant_id, at, id) < ($1, least($3::timestamptz, $4::timestamptz, 'infinity'),
    case when $4::timestamptz < coalesce($3::timestamptz, 'infinity') then $5::bigint else 0 end)`;
const ORDER = 'merchant_id desc, at desc, id desc';
/** Those that failed have an index of their own. */
const FAILED = `${ROWS} and (error_code is not null or status >= 400)`;
const FITS = `($7::text is null or w.key_id = $7) and ($8::text is null or w.method = $8)
    and ($9::int is null or w.status / 100 = $9) and ($10::text is null or starts_with(w.path, $10))
    and ($11::text is null or w.error_code = $11) and ($12::text is null or (w.key_id is null) = ($12 = 'SESSION'))`;

/** The last order qualifies its columns: plain `id` would sort by the selected text, with 99 after 100. */
const statementOf = (page: string, more = '') => `
select at::text || '|' || id as id, request_id as "requestId", at, key_id as "keyId", method, path, operation, status,
  error_code as "errorCode", duration_ms as "durationMs", ip${more}
from (${page}) page
order by page.merchant_id desc, page.at desc, page.id desc`;
const WALK = { limit: '$6', steps: '$13', most: API_LOG_STEPS };
const walkedOf = (rows: string) => statementOf(walkOf(rows, ORDER, FITS, WALK), ', fits, "isEnd"');

const STATEMENT = statementOf(firstOf(ROWS, ORDER, '$6'));
const STATEMENTS = { all: walkedOf(ROWS), failed: walkedOf(FAILED) };

/** At most `limit` calls, newest first, below `before`. */
export async function listApiLog(pool: Readable, filter: ApiLogFilter, limit: number): Promise<ApiLogRow[]> {
  const { rows } = await pool.query<Row>(apiLogPageOf(filter, limit));
  return rows.map(toRow);
}

/** The next calls that fit, newest first: at most `limit`, and fewer where the walk ended before. */
export async function searchApiLog(
  pool: Readable,
  search: ApiLogSearch,
  limit: number,
): Promise<WalkedPage<ApiLogRow>> {
  const { rows } = await pool.query<Row & WalkedRow>(apiLogWalkOf(search, limit + 1));
  const page = pageOfWalk(rows, limit);
  return { ...page, rows: page.rows.map(toRow) };
}

/** The prepared statement of a page. */
export function apiLogPageOf(filter: ApiLogFilter, limit: number): QueryConfig {
  return { name: 'list-api-log', text: STATEMENT, values: rangeOf(filter, limit) };
}

/** The prepared statement of a walk. */
export function apiLogWalkOf(search: ApiLogSearch, limit: number): QueryConfig {
  const { keyId, method, statusClass, path, errorCode, source } = search;
  const shape = errorCode !== null || (statusClass !== null && statusClass >= 4) ? 'failed' : 'all';
  const values = [...rangeOf(search, limit), keyId, method, statusClass, path, errorCode, source, API_LOG_STEPS];
  return { name: `search-api-log-${shape}`, text: STATEMENTS[shape], values };
}

function rangeOf({ merchantId, from, until, before }: ApiLogFilter, limit: number): unknown[] {
  const [at = null, number = null] = before?.split('|') ?? [];
  return [merchantId, from, until, at, number, limit];
}

type Row = Omit<ApiLogRow, 'at'> & { readonly at: string };

const toRow = (row: Row): ApiLogRow => Object.assign(row, { at: toDate(row.at) });
