// Cuts connections whose server end is gone without notice, such as after a firewall dropped them: a statement on one
// would otherwise hang for a quarter of an hour. A statement timeout would also cut migrations, reports and lock waits
// that are only slow. So the server is asked, over a separate connection, about connections that have long been silent,
// and only those that it no longer works on are cut, and those whose commit waits for a synchronous standby.

import pg, { type Client, type Pool, type PoolClient } from 'pg';

/** A statement unanswered for this long is asked about, and again after the same time. */
const SILENT_MS = 4_000;
const LOOK_EVERY_MS = 500;
/** While the server does not answer, nobody waits longer than this for a connection. */
const HOPELESS_MS = 1_000;

/**
 * A commit waits for a synchronous standby that is missing, or a statement waits for the locks of such a commit. It has
 * effect once the standby is there, so it may be repeated only with its idempotency key.
 */
export class CommitWaits extends Error {
  constructor() {
    super('Connection terminated: commits wait for a synchronous standby');
    this.name = 'CommitWaits';
  }
}

/**
 * Whether a commit of our role in this database has waited for so long that the standby must be missing, as an
 * expression of SQL. A role does not see what the sessions of others wait for.
 */
export const COMMITS_WAIT = `exists (select from pg_stat_activity where datname = current_database()
    and wait_event = 'SyncRep' and query_start < clock_timestamp() - interval '3 seconds')`;

/** A pool connection, and its traffic when it was last checked. */
interface Line {
  readonly socket: Socket;
  readonly pid: number | null;
  /** Bytes written when everything sent so far had been answered. */
  writtenAtRest: number;
  bytesRead: number;
  /** Monotonic time of the last sign of life. */
  heardAt: number;
}

interface Socket {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  destroy(error?: Error): void;
}

/** Parts of a `pg` client that its types do not declare. */
interface Wire {
  readonly connection: { readonly stream: Socket };
  readonly processID: number | null;
}

export interface ConnectionWatch {
  /** Whether commits of this process were given up because they wait for a synchronous standby, and still do. */
  commitsWait(): boolean;
  stop(): void;
}

interface WatchOptions {
  /** Whether another pooler is in between, to which the connections lead. */
  readonly pooled: boolean;
  /** The time limit for the question about silent connections. */
  readonly answerWithinMs: number;
}

/** Watches the connections of a pool. */
export function cutDeadConnections(pool: Pool, { pooled, answerWithinMs }: WatchOptions): ConnectionWatch {
  const all = new Map<PoolClient, Line>();
  const working = new Set<Line>();
  const { connectionTimeoutMillis: usualWaitMs, max: usualMax } = pool.options;
  // Connections that were cut while their commits waited. The server works on them for as long as that lasts: to cancel
  // them would make visible what no standby has. Each keeps its place in the pool, so that retries do not use up the
  // server's connections.
  const left = new Set<number>();
  // Behind a pooler, those that were cut while it had no connection left to ask on: they may have waited, too.
  let unexplained = 0;
  let isThere = true;
  let asking = false;

  pool.on('connect', (client) => {
    const { connection, processID } = client as PoolClient & Wire;
    const line: Line = { socket: connection.stream, pid: processID, writtenAtRest: 0, bytesRead: 0, heardAt: 0 };
    all.set(client, line);
    client.on('drain', () => (line.writtenAtRest = line.socket.bytesWritten));
  });
  pool.on('acquire', (client) => {
    const line = all.get(client);
    if (!line) return;
    line.writtenAtRest = line.socket.bytesWritten;
    line.heardAt = performance.now();
    working.add(line);
  });
  pool.on('release', (_error, client) => void working.delete(all.get(client) as Line));
  pool.on('remove', (client) => {
    working.delete(all.get(client) as Line);
    all.delete(client);
  });

  const isSilent = (line: Line, now: number): boolean => {
    const { socket } = line;
    const heard = socket.bytesRead !== line.bytesRead || socket.bytesWritten === line.writtenAtRest;
    if (heard) line.heardAt = now;
    line.bytesRead = socket.bytesRead;
    return now - line.heardAt >= SILENT_MS;
  };

  async function look(): Promise<void> {
    const now = performance.now();
    const silent = [...working].filter((line) => isSilent(line, now));
    if (silent.length === 0 && isThere && left.size === 0) return;
    const answer = await askAbout(pool, silent, { left: [...left], withinMs: answerWithinMs });
    isThere = answer !== null;
    // Without the server, idle connections are dead as well.
    const dead = answer?.lost ?? [...silent, ...[...all.values()].filter((line) => !working.has(line))];
    for (const line of silent) line.heardAt = performance.now();
    for (const line of dead) line.socket.destroy(new Error('Connection terminated: PostgreSQL does not answer'));
    for (const { socket } of answer?.waiting ?? []) socket.destroy(new CommitWaits());
    unexplained = pooled && !isThere ? unexplained + silent.length : 0;
    if (isThere || !pooled) left.clear();
    for (const pid of answer?.left ?? []) left.add(pid);
    const places = left.size + unexplained;
    pool.options.max = Math.max(0, usualMax - places);
    pool.options.connectionTimeoutMillis = isThere && places === 0 ? usualWaitMs : HOPELESS_MS;
  }

  const timer = setInterval(() => {
    if (asking) return;
    asking = true;
    void look().finally(() => (asking = false));
  }, LOOK_EVERY_MS);
  timer.unref();
  return { commitsWait: () => left.size > 0, stop: () => clearInterval(timer) };
}

// `own` is false behind a pooler, where process ids mean nothing. An answer finished within the last second may still
// be on its way.
const ASK = `
select p.pid, pg_backend_pid() = $2 as own,
  a.pid is null or a.state <> 'active' and a.state_change < clock_timestamp() - interval '1 second' as lost,
  coalesce(a.wait_event = 'SyncRep', false) as commits, coalesce(a.wait_event_type = 'Lock', false) as locked,
  ${COMMITS_WAIT} as "commitsWait",
  array(select pid from pg_stat_activity where datname = current_database() and usename = current_user
    and (wait_event = 'SyncRep' or wait_event_type = 'Lock') and pg_backend_pid() <> $2) as held
from unnest($1::int[]) as p (pid) left join pg_stat_activity a using (pid)`;

/** No process's: there is a row of the answer, whatever is asked about. */
const NOBODY = -1;

interface Row {
  readonly pid: number;
  readonly own: boolean;
  readonly lost: boolean;
  readonly commits: boolean;
  readonly locked: boolean;
  readonly commitsWait: boolean;
  /** Behind a pooler: the processes that wait for commits or locks, of all clients with our role. */
  readonly held: readonly number[];
}

interface Answer {
  /** Those for which the server does nothing any more. */
  readonly lost: readonly Line[];
  /** Those that wait for a standby, for themselves or for another's locks. */
  readonly waiting: readonly Line[];
  /** The processes of the server that are left behind, with those of `waiting`. */
  readonly left: readonly number[];
}

/** Asks about silent connections, and about those left behind; null if the server cannot be reached. */
async function askAbout(
  pool: Pool,
  lines: readonly Line[],
  { left, withinMs }: { readonly left: readonly number[]; readonly withinMs: number },
): Promise<Answer | null> {
  const heard = lines.map((line) => line.socket.bytesRead);
  const client = new pg.Client({
    ...pool.options,
    connectionTimeoutMillis: withinMs,
    query_timeout: withinMs,
  });
  client.on('error', () => undefined); // The pending call rejects as well.
  try {
    await client.connect();
    const pids = [NOBODY, ...lines.map(({ pid }) => pid), ...left];
    const { rows } = await client.query<Row>(ASK, [pids, (client as Client & Wire).processID]);
    const stillSilent = lines.filter((line, nth) => line.socket.bytesRead === heard[nth]);
    return judge(stillSilent, rows, left);
  } catch (error) {
    // A refusal is an answer: the server is up, even if it has no connection left.
    return error instanceof pg.DatabaseError ? { lost: [], waiting: [], left } : null;
  } finally {
    (client as Client & Wire).connection.stream.destroy();
  }
}

function judge(lines: readonly Line[], rows: readonly Row[], left: readonly number[]): Answer {
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const waits = ({ commits, locked, commitsWait }: Row) => commits || (locked && commitsWait);
  // Behind a pooler it is not known which of the silent ones wait, and for the moment none of them gets on.
  const isWaiting = (row: Row) => (row.own ? waits(row) : row.commitsWait);
  const rowOf = ({ pid }: Line) => byPid.get(pid ?? 0);
  const waiting = lines.filter((line) => is(rowOf(line), isWaiting));
  const ours = [...new Set([...left, ...waiting.map(({ pid }) => pid ?? 0)])];
  // A pooler drops its connection to the server with ours and opens another, so all that wait are counted there.
  const held = is(byPid.get(NOBODY), ({ own, commitsWait }) => !own && commitsWait)
    ? byPid.get(NOBODY)?.held
    : undefined;
  return {
    lost: lines.filter((line) => is(rowOf(line), ({ own, lost }) => own && lost)),
    waiting,
    left: held ?? ours.filter((pid) => is(byPid.get(pid), (row) => row.own && waits(row))),
  };
}

const is = (row: Row | undefined, condition: (row: Row) => boolean): boolean => row !== undefined && condition(row);
