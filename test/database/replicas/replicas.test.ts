// Reads from real standbys: what was committed before is seen, whatever the standby does meanwhile. One that lags, is
// away, was promoted, or is a copy of another time is not read from.

import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { connectDatabase, query, type Database } from '../../../src/database/connection.ts';
import { migrate } from '../../../src/database/migrate.ts';
import type { ReadSource } from '../../../src/database/read-source.ts';
import { openReplicas, type Replicas } from '../../../src/database/replicas/replicas.ts';
import { recordCluster } from '../../../src/domain/witness/cluster.ts';
import { createServers, promote, type OwnServer } from '../../support/database/replica.ts';
import { until } from '../../support/until.ts';

const LONG = 240_000;
const WRITERS = 8;
const ROUNDS = 40;

const log = pino({ level: 'silent' });
const servers = createServers();
let primary: OwnServer;
let standby: OwnServer;
let db: Database;
let replicas: Replicas;
let told: { readonly reason?: string }[] = [];

beforeAll(async () => {
  primary = await servers.primary();
  db = await connectDatabase({ url: primary.url(), poolMax: 10, log });
  await migrate(db);
  await recordCluster({ db, log });
  await query(db.em, 'create table written (number int primary key, amount numeric(78, 0), at timestamptz)');
  await db.close();
  standby = await servers.replicaOf(primary);
  db = await connectDatabase({ url: primary.url(), poolMax: 10, log });
  await recordCluster({ db, log });
}, LONG);
afterAll(async () => {
  await db.close();
  await servers.close();
}, LONG);

beforeEach(async () => {
  told = [];
  const write = (line: string) => void told.push(JSON.parse(line) as { reason?: string });
  replicas = await openReplicas(db, {
    urls: [standby.url()],
    ...{ poolMax: 10, pooled: false, preparedStatements: true, log: pino({}, { write }) },
  });
});
afterEach(() => replicas.close());

/** Whether a replica answers now. */
const isRead = () => replicas.read(isStandby);
const isStandby = async ({ em }: ReadSource): Promise<boolean> => {
  const [row] = await query<{ standby: boolean }>(em, 'select pg_is_in_recovery() as standby');
  return row?.standby === true;
};
/** Looks until a replica answers. */
const untilRead = () => until(async () => (await replicas.worker.processNext(), isRead()));

/** Stops all processes of a server where they stand; returns how to let them go on. */
async function suspend(server: OwnServer): Promise<() => void> {
  const [folder] = await server.sql<{ path: string }>(`select current_setting('data_directory') as path`);
  const [postmaster = ''] = (await readFile(`${folder?.path ?? ''}/postmaster.pid`, 'utf8')).split('\n');
  process.kill(Number(postmaster), 'SIGSTOP');
  // It starts no more of them now, but one may end at any time.
  const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
  const pids = children.trim().split(' ').map(Number);
  for (const pid of pids) signal(pid, 'SIGSTOP');
  return () => {
    for (const pid of [...pids, Number(postmaster)]) signal(pid, 'SIGCONT');
  };
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

let last = 0;
const write = async (): Promise<number> => {
  last += 1;
  const number = last;
  await query(db.em, 'insert into written values ($1::int, $1::int, now())', [number]);
  return number;
};
const sees = (number: number) => async (source: ReadSource) => ({
  seen: (await query(source.em, 'select from written where number = $1', [number])).length === 1,
  standby: await isStandby(source),
});

it('a standby answers reads, with values as the primary gives them', async () => {
  await untilRead();
  await write();
  const statement = 'select number, amount, at, 5::bigint as big from written order by number limit 1';
  const read = async ({ em, pool }: ReadSource) => [
    await isStandby({ em, pool }),
    await query(em, statement),
    (await pool.query({ name: 'a-read', text: statement })).rows,
  ];
  const rows = await query(db.em, statement);
  expect(await until(async () => (await isRead()) && replicas.read(read))).toEqual([true, rows, rows]);
});

it(
  'each of many writers sees their own write at once',
  async () => {
    await untilRead();
    const missed: number[] = [];
    const before = replicas.figures().read;
    const writer = async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const number = await write();
        if (!(await replicas.read(sees(number))).seen) missed.push(number);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, writer));
    expect(missed).toEqual([]);
    expect(replicas.figures().read).toBeGreaterThan(before);
  },
  LONG,
);

it('while it lags the primary answers, and when it has caught up the standby does', async () => {
  await untilRead();
  await standby.sql('select pg_wal_replay_pause()');
  await until(async () => {
    const [row] = await standby.sql<{ state: string }>('select pg_get_wal_replay_pause_state() as state');
    return row?.state === 'paused';
  });
  const numbers = await Promise.all(Array.from({ length: WRITERS }, write));
  for (const number of numbers) expect(await replicas.read(sees(number))).toEqual({ seen: true, standby: false });
  expect(replicas.figures().refused.get('behind')).toBeGreaterThan(0);
  await replicas.worker.processNext();
  const [lag] = replicas.figures().lags;
  expect(lag?.bytes).toBeGreaterThan(0);
  await standby.sql('select pg_wal_replay_resume()');
  await untilRead();
  await replicas.worker.processNext();
});

it('a read that what is replayed cancels is done again on the primary', async () => {
  await standby.sql(`alter system set max_standby_streaming_delay = 0`);
  await standby.sql('select pg_reload_conf()');
  await untilRead();
  await write();
  const asked: boolean[] = [];
  const read = replicas.read(async (source) => {
    asked.push(await isStandby(source));
    if (asked.length === 1) await query(source.em, 'select pg_sleep(200) from written limit 1');
    return asked.length;
  });
  await until(async () => {
    const text = `select from pg_stat_activity where query like 'select pg_sleep(200)%' and wait_event = 'PgSleep'`;
    return (await standby.sql(text)).length > 0;
  });
  await query(db.em, 'delete from written');
  let isDone = false;
  void read.finally(() => (isDone = true));
  await until(async () => (await primary.sql('vacuum written'), isDone));
  expect(await read).toBe(2);
  expect(asked).toEqual([true, false]);
  expect(replicas.figures().refused.get('conflict')).toBe(1);
});

it('errors of a statement are passed on, and done once', async () => {
  await untilRead();
  let asked = 0;
  const read = replicas.read(({ em }) => {
    asked += 1;
    return query(em, 'select 1 / 0');
  });
  await expect(read).rejects.toThrow('division by zero');
  expect(asked).toBe(1);
  expect(await isRead()).toBe(true);
});

it('nothing can be written by a read', async () => {
  await untilRead();
  const read = replicas.read(({ em }) => query(em, 'insert into written values (-1, 1, now())'));
  await expect(read).rejects.toThrow(/read-only transaction/);
});

it(
  'when it stops, reads under way are done again on the primary; when it is back, it answers again',
  async () => {
    await untilRead();
    const asked: boolean[] = [];
    const read = replicas.read(async (source) => {
      asked.push(await isStandby(source));
      if (asked.length === 1) await query(source.em, 'select pg_sleep(300)');
      return asked.length;
    });
    await until(async () => {
      const text = `select from pg_stat_activity where query = 'select pg_sleep(300)' and wait_event = 'PgSleep'`;
      return (await standby.sql(text)).length > 0;
    });
    await standby.stop();
    expect(await read).toBe(2);
    expect(asked).toEqual([true, false]);
    const number = await write();
    expect(await replicas.read(sees(number))).toEqual({ seen: true, standby: false });
    await replicas.worker.processNext();
    expect(told.at(-1)?.reason).toMatch(/^it does not answer: /);
    expect(replicas.figures().lags).toEqual([null]);
    await standby.start();
    await untilRead();
  },
  LONG,
);

it(
  'one that hangs holds up no read for long, and is read from again when it goes on',
  async () => {
    await untilRead();
    const refusedBefore = replicas.figures().refused.get('away') ?? 0;
    const number = await write();
    const goOn = await suspend(standby);
    try {
      expect(await replicas.read(sees(number))).toEqual({ seen: true, standby: false });
      await replicas.worker.processNext();
      expect(told.at(-1)?.reason).toMatch(/^it does not answer: /);
      expect(replicas.figures().refused.get('away')).toBeGreaterThan(refusedBefore);
    } finally {
      goOn();
    }
    await untilRead();
  },
  LONG,
);

it(
  'a primary that was restored to an earlier time is not mixed with a standby that knows the later one',
  async () => {
    await db.close();
    await primary.stop();
    const copy = await primary.copy();
    await primary.start();
    db = await connectDatabase({ url: primary.url(), poolMax: 10, log });
    await recordCluster({ db, log });
    const later = await write();
    await replicas.close();
    replicas = await openReplicas(db, {
      ...{ urls: [standby.url()], poolMax: 10, pooled: false, preparedStatements: true, log },
    });
    await untilRead();
    expect(await replicas.read(sees(later))).toMatchObject({ seen: true });

    await primary.stop();
    await primary.restore(copy);
    await primary.start();
    await until(() =>
      query(db.em, 'select 1').then(
        () => true,
        () => false,
      ),
    );
    // Nobody has told the standby, which is ahead of the primary now.
    for (let nth = 0; nth < 20; nth += 1)
      expect(await replicas.read(sees(later))).toEqual({ seen: false, standby: false });
    await recordCluster({ db, log });
    await replicas.worker.processNext();
    expect(await replicas.read(sees(later))).toEqual({ seen: false, standby: false });
    expect(replicas.figures().refused.get('not-a-replica')).toBeGreaterThan(0);
  },
  LONG,
);

it(
  'one that was promoted is not read from, nor when it is made a standby again as it is',
  async () => {
    const other = await servers.replicaOf(primary);
    await until(() =>
      query(db.em, 'select 1').then(
        () => true,
        () => false,
      ),
    );
    await recordCluster({ db, log });
    await replicas.close();
    const write = (line: string) => void told.push(JSON.parse(line) as { reason?: string });
    replicas = await openReplicas(db, {
      urls: [other.url()],
      ...{ poolMax: 10, pooled: false, preparedStatements: true, log: pino({}, { write }) },
    });
    await untilRead();
    await promote(other);
    await other.sql('insert into written select n, n, now() from generate_series(1000000, 1010000) n');
    for (let nth = 0; nth < 5; nth += 1)
      expect(await replicas.read(sees(1_000_000))).toEqual({ seen: false, standby: false });
    expect(replicas.figures().refused.get('not-a-replica')).toBe(1);
    await replicas.worker.processNext();
    expect(told.at(-1)?.reason).toMatch(/^it is no standby/);

    const [folder] = await other.sql<{ path: string }>(`select current_setting('data_directory') as path`);
    await other.sql(`copy (select '') to '${folder?.path ?? ''}/standby.signal'`);
    await other.sql(`alter system set primary_conninfo = ''`);
    await other.stop();
    await other.start();
    await until(async () => {
      const [row] = await other.sql<{ standby: boolean }>('select pg_is_in_recovery() as standby');
      return row?.standby;
    });
    await replicas.worker.processNext();
    expect(told.at(-1)?.reason).toMatch(/^it was promoted once/);
    expect(await replicas.read(sees(1_000_000))).toEqual({ seen: false, standby: false });
  },
  LONG,
);
