// The API log: one row a call, written in batches behind the calls. A crash, of PostgreSQL too, loses at most the last
// second's.

import { query } from '../../database/connection.ts';
import type { Deps } from '../deps.ts';

/** One call as it ended. */
export interface ApiLogEntry {
  /** Null where nobody is known to have made it. Such a call is counted, and has no row. */
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
}

export interface ApiLog {
  readonly name: string;
  record(entry: ApiLogEntry): void;
  /** Writes what was recorded; says whether there was anything. */
  processNext(): Promise<boolean>;
  /** Writes all that was recorded, before the process ends. */
  flush(): Promise<void>;
  /**
   * Writes, before somebody reads, what was recorded until now: a caller finds the calls they have had answered.
   * A read of only what was before `until` waits for no later ones.
   */
  settle(until: Date | null): Promise<void>;
}

/** Rows kept in memory while the database does not take them; beyond, the oldest are dropped and counted. */
const MOST_WAITING = 50_000;
const BATCH = 2_000;
/** Characters of a text of the caller's that are kept. */
const LONGEST_TEXT = 200;
/** Streams may be open for months; column and GraphQL type hold 32 bits. */
const LONGEST_MS = 2 ** 31 - 1;

// It does not wait for the disk: the rows of the last moment may be lost at a crash, and calls that matter have theirs
// in the audit log.
const INSERT = `
with soon as materialized (select set_config('synchronous_commit', 'off', true))
insert into api_log (merchant_id, request_id, at, key_id, method, path, operation, status, error_code, duration_ms, ip)
select r.* from soon, json_to_recordset($1::json) as r("merchantId" text, "requestId" text, at timestamptz, "keyId" text,
  method text, path text, operation text, status int, "errorCode" text, "durationMs" int, ip text)`;
/**
 * The same for rows that may be stored already: a connection that fails does not say whether what it was told is done.
 */
const INSERT_AGAIN = `${INSERT}
where not exists (select 1 from api_log l where (l.merchant_id, l.at, l.request_id) = (r."merchantId", r.at, r."requestId")
  and l.path = r.path and l.operation is not distinct from r.operation and l.duration_ms = r."durationMs")`;

/** Words of our own paths, and ids that may be known. Anything else could be a secret that somebody put into a path. */
const TELLABLE = '([A-Za-z0-9.:-]{0,24}|((mer|ord|evt|dlv|whk|wdr|rfd|key|ses)|pk_(test|live))_[0-9a-z]{1,40})';
const SEGMENT = new RegExp(`^${TELLABLE}$`);
const WHOLE = new RegExp(`^(/${TELLABLE})*$`);

/** The path of a URL as it is logged: without its query, and without what is neither a word nor an id of ours. */
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

/** The entry as it is kept, however long what the caller chose. */
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
 * Makes the log of this process; a loop runs it. `onNobody` is told of calls without a known merchant: anybody makes as
 * many of them as they like, and nobody but the operator could read their rows.
 */
export function createApiLog(
  deps: Pick<Deps, 'db' | 'log'>,
  onNobody: (entry: ApiLogEntry) => void = () => undefined,
): ApiLog {
  let waiting: ApiLogEntry[] = [];
  let underWay: readonly ApiLogEntry[] = [];
  /** Whether the first of those that wait may be stored. */
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

  /** Writes one batch at a time: all who come while one is on its way share the next. */
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
      deps.log.error({ kept: waiting.length }, 'the API log is behind; its oldest rows were dropped');
    },
    async processNext() {
      if (waiting.length === 0) return false;
      await write();
      return waiting.length >= BATCH;
    },
    async flush() {
      while (waiting.length > 0) await write();
    },
    async settle(until) {
      const oldest = underWay[0] ?? waiting[0];
      if (!oldest || (until !== null && oldest.at >= until)) return;
      // What is not written is waiting again: the loop tells of it, and the reader is answered what there is.
      await (waiting.length > 0 ? write() : writing).catch(() => undefined);
    },
  };
}
