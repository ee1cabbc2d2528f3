// Connections whose other end is gone without a word, as a firewall that forgot them or a network that fell apart
// leaves them: a statement on one of them would wait for a quarter of an hour. A time limit for statements would cut
// migrations, reports and waits for locks that are only slow; so who has been silent for long is asked about instead,
// over a connection of its own, and only what the server does not work on any more is cut.

import pg, { type Client, type Pool, type PoolClient } from 'pg';

/** A statement that was not answered for so long is asked about, and again after as long. */
const SILENT_MS = 4_000;
/** The server has so long to answer that. */
const ANSWER_WITHIN_MS = 4_000;
const LOOK_EVERY_MS = 500;
/** While it is known not to answer, nobody waits for longer than this for a connection. */
const HOPELESS_MS = 1_000;

/** A connection that somebody works with, and how much went over it when it was last looked at. */
interface Line {
  readonly socket: Socket;
  readonly pid: number | null;
  /** Bytes written when everything that was asked had been answered. */
  writtenAtRest: number;
  bytesRead: number;
  /** Monotonic. */
  heardAt: number;
}

interface Socket {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  destroy(error?: Error): void;
}

/** What `pg` has and its types do not name. */
interface Wire {
  readonly connection: { readonly stream: Socket };
  readonly processID: number | null;
}

/** Watches the connections of a pool until it is told to stop. */
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
    // Without the server the connections that nobody works with are worth no more than the others.
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

// `own` is false behind a pooler, where process ids say nothing. What was answered only just now may still be on
// its way.
const ASK = `
select p.pid, pg_backend_pid() = $2 as own,
  a.pid is null or a.state <> 'active' and a.state_change < clock_timestamp() - interval '1 second' as lost
from unnest($1::int[]) as p (pid) left join pg_stat_activity a using (pid)`;

/** The lines on which the server does nothing for us; null where it cannot be reached. */
async function askAbout(pool: Pool, lines: readonly Line[]): Promise<Line[] | null> {
  const heard = lines.map((line) => line.socket.bytesRead);
  const client = new pg.Client({
    ...pool.options,
    connectionTimeoutMillis: ANSWER_WITHIN_MS,
    query_timeout: ANSWER_WITHIN_MS,
  });
  client.on('error', () => undefined); // The call in hand rejects as well.
  try {
    await client.connect();
    const pids = lines.map(({ pid }) => pid);
    const own = (client as Client & Wire).processID;
    const { rows } = await client.query<{ pid: number; own: boolean; lost: boolean }>(ASK, [pids, own]);
    const lost = new Set(rows.filter((row) => row.own && row.lost).map(({ pid }) => pid));
    return lines.filter((line, nth) => lost.has(line.pid ?? 0) && line.socket.bytesRead === heard[nth]);
  } catch (error) {
    // A refusal is an answer: the server is there, if only to say that it has no connection left.
    return error instanceof pg.DatabaseError ? [] : null;
  } finally {
    (client as Client & Wire).connection.stream.destroy();
  }
}
