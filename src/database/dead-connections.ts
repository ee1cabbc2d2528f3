// Cuts connections whose server end is gone without notice, such as after a firewall dropped them: a statement on one
// would otherwise hang for a quarter of an hour. A statement timeout would also cut migrations, reports and lock waits
// that are only slow. So the server is asked, over a separate connection, about connections that have long been silent,
// and only those that it no longer works on are cut.

import pg, { type Client, type Pool, type PoolClient } from 'pg';

/** A statement unanswered for this long is asked about, and again after the same time. */
const SILENT_MS = 4_000;
/** The time limit for that question. */
const ANSWER_WITHIN_MS = 4_000;
const LOOK_EVERY_MS = 500;
/** While the server does not answer, nobody waits longer than this for a connection. */
const HOPELESS_MS = 1_000;

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

/** Watches the connections of a pool; returns a function that stops it. */
export function cutDeadConnections(pool: Pool): () => void {
  const all = new Map<PoolClient, Line>();
  const working = new Set<Line>();
  const usualWaitMs = pool.options.connectionTimeoutMillis;
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
    if (silent.length === 0 && isThere) return;
    const lost = await askAbout(pool, silent);
    isThere = lost !== null;
    pool.options.connectionTimeoutMillis = isThere ? usualWaitMs : HOPELESS_MS;
    // Without the server, idle connections are dead as well.
    const dead = lost ?? [...silent, ...[...all.values()].filter((line) => !working.has(line))];
    for (const line of silent) line.heardAt = performance.now();
    for (const line of dead) line.socket.destroy(new Error('Connection terminated: PostgreSQL does not answer'));
  }

  const timer = setInterval(() => {
    if (asking) return;
    asking = true;
    void look().finally(() => (asking = false));
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

// `own` is false behind a pooler, where process ids mean nothing. An answer finished within the last second may still
// be on its way.
const ASK = `
select p.pid, pg_backend_pid() = $2 as own,
  a.pid is null or a.state <> 'active' and a.state_change < clock_timestamp() - interval '1 second' as lost
from unnest($1::int[]) as p (pid) left join pg_stat_activity a using (pid)`;

/** The connections for which the server does nothing any more; null if it cannot be reached. */
async function askAbout(pool: Pool, lines: readonly Line[]): Promise<Line[] | null> {
  const heard = lines.map((line) => line.socket.bytesRead);
  const client = new pg.Client({
    ...pool.options,
    connectionTimeoutMillis: ANSWER_WITHIN_MS,
    query_timeout: ANSWER_WITHIN_MS,
  });
  client.on('error', () => undefined); // The pending call rejects as well.
  try {
    await client.connect();
    const pids = lines.map(({ pid }) => pid);
    const own = (client as Client & Wire).processID;
    const { rows } = await client.query<{ pid: number; own: boolean; lost: boolean }>(ASK, [pids, own]);
    const lost = new Set(rows.filter((row) => row.own && row.lost).map(({ pid }) => pid));
    return lines.filter((line, nth) => lost.has(line.pid ?? 0) && line.socket.bytesRead === heard[nth]);
  } catch (error) {
    // A refusal is an answer: the server is up, even if it has no connection left.
    return error instanceof pg.DatabaseError ? [] : null;
  } finally {
    (client as Client & Wire).connection.stream.destroy();
  }
}
