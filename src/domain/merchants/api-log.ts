// The API log: one row for each call, written in batches in the background. A crash, even of PostgreSQL, loses at most
// the last second.

import { query } from '../../database/connection.ts';
import type { Deps } from '../deps.ts';

/** A call, logged when it has ended. */
export interface ApiLogEntry {
  /** Null if the caller is unknown. Such a call is counted but not stored. */
  readonly merchantId: string | null;
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
  /** Null without tracing, and if the call was not sampled. */
  readonly traceId?: string | null;
}

export interface ApiLog {
  readonly name: string;
  record(entry: ApiLogEntry): void;
  /** Writes a batch of recorded calls; returns whether more are waiting. */
  processNext(): Promise<boolean>;
  /** Writes all recorded calls, before the process ends. */
  flush(): Promise<void>;
  /**
   * Writes what was recorded so far before the log is read, so that callers find their own completed calls. A read of
   * calls before `until` does not wait for later ones.
   */
  flushUntil(until: Date | null): Promise<void>;
}

/** The most rows kept in memory while the database is down. Beyond that, the oldest are dropped and logged. */
const MOST_WAITING = 50_000;
const BATCH = 2_000;
/** The most characters kept of a caller's text. */
const LONGEST_TEXT = 200;
/** The longest duration: streams may be open for months, but the column and the GraphQL type hold 32 bits. */
const LONGEST_MS = 2 ** 31 - 1;

// Does not wait for the disk: a crash may lose the last rows, but calls that matter are also in the audit log.
const INSERT = `
with soon as materialized (select set_config('synchronous_commit', 'off', true))
insert into api_log (merchant_id, request_id, at, key_id, method, path, operation, status, error_code, duration_ms, ip, trace_id)
select r.* from soon, json_to_recordset($1::json) as r("merchantId" text, "requestId" text, at timestamptz, "keyId" text,
  method text, path text, operation text, status int, "errorCode" text, "durationMs" int, ip text, "traceId" text)`;
/** The same for rows that may be stored already, after a connection failed without confirming the insert. */
const INSERT_AGAIN = `${INSERT}
where not exists (select 1 from api_log l where (l.merchant_id, l.at, l.request_id) = (r."merchantId", r.at, r."requestId")
  and l.path = r.path and l.operation is not distinct from r.operation and l.duration_ms = r."durationMs")`;

/** Words of our own paths, and public ids. Anything else could be a secret that a caller put into a path. */
const TELLABLE = '([A-Za-z0-9.:-]{0,24}|((mer|ord|evt|dlv|whk|wdr|rfd|key|ses)|pk_(test|live))_[0-9a-z]{1,40})';
const SEGMENT = new RegExp(`^${TELLABLE}$`);
const WHOLE = new RegExp(`^(/${TELLABLE})*$`);

/** The path of a URL as it is logged: without the query, and with unknown segments replaced. */
export function loggedPath(url: string): string {
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  if (WHOLE.test(path)) return path;
  return path
    .split('/')
    .map((segment) => (SEGMENT.test(segment) ? segment : '…'))
    .join('/');
}

const bounded = (text: string) => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text);

/** The entry with the caller's texts shortened. */
function toRow(entry: ApiLogEntry): ApiLogEntry {
  const { requestId, method, path, operation, ip, durationMs } = entry;
  return {
    ...entry,
    requestId: bounded(requestId),
    method: bounded(method),
    path: bounded(path),
    operation: operation === null ? null : bounded(operation),
    ip: bounded(ip),
    durationMs: Math.min(durationMs, LONGEST_MS),
  };
}

/**
 * Creates the log of this process; a loop runs it. Calls by unknown callers go to `onNobody` instead: anyone could make
 * any number of them, and only the operator could read their rows.
 */
export function createApiLog(
  deps: Pick<Deps, 'db' | 'log'>,
  onNobody: (entry: ApiLogEntry) => void = () => undefined,
): ApiLog {
  let waiting: ApiLogEntry[] = [];
  let underWay: readonly ApiLogEntry[] = [];
  /** Whether the first waiting rows may be stored already. */
  let isAgain = false;
  let writing: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;

  async function writeBatch(): Promise<void> {
    const batch = waiting.slice(0, BATCH);
    if (batch.length === 0) return;
    waiting = waiting.slice(batch.length);
    underWay = batch;
    try {
      await query(deps.db.em, isAgain ? INSERT_AGAIN : INSERT, [JSON.stringify(batch)]);
      isAgain = false;
    } catch (error) {
      isAgain = true;
      waiting = [...batch, ...waiting];
      throw error;
    } finally {
      underWay = [];
    }
  }

  /** Writes one batch at a time. Calls made during a write share the next one. */
  function write(): Promise<void> {
    next ??= writing
      .catch(() => undefined)
      .then(() => {
        next = null;
        writing = writeBatch();
        return writing;
      });
    return next;
  }

  return {
    name: 'api-log',
    record(entry) {
      if (entry.merchantId === null) return onNobody(entry);
      waiting.push(toRow(entry));
      if (waiting.length <= MOST_WAITING) return;
      waiting = waiting.slice(-MOST_WAITING / 2);
      deps.log.error({ kept: waiting.length }, 'the API log cannot keep up; its oldest rows were dropped');
    },
    async processNext() {
      if (waiting.length === 0) return false;
      await write();
      return waiting.length >= BATCH;
    },
    async flush() {
      while (waiting.length > 0) await write();
    },
    async flushUntil(until) {
      const oldest = underWay[0] ?? waiting[0];
      if (!oldest || (until !== null && oldest.at >= until)) return;
      // On failure the rows are waiting again: the loop reports the error, and the reader gets what is stored.
      await (waiting.length > 0 ? write() : writing).catch(() => undefined);
    },
  };
}
