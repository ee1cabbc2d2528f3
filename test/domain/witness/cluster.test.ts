// The identity of the database: every way of becoming another copy is an adoption, once, and nothing else is.

import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { connectDatabase, query, type Database } from '../../../src/database/connection.ts';
import { isClusterRecorded, listClusterChanges, recordCluster } from '../../../src/domain/witness/cluster.ts';
import { createTestDatabase, databaseUrl, runSql, type TestDatabase } from '../../support/database/database.ts';
import { PATIENT_DATABASE } from '../../support/patience.ts';

const log = pino({ level: 'silent' });
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (let end = ends.pop(); end; end = ends.pop()) await end();
});

async function connect(url: string): Promise<Database> {
  const db = await connectDatabase({ url, poolMax: 4, log, patience: PATIENT_DATABASE });
  ends.push(() => db.close());
  return db;
}

async function open(): Promise<{ database: TestDatabase; db: Database }> {
  const database = await createTestDatabase();
  ends.push(() => database.drop());
  return { database, db: await connect(database.url) };
}

const kinds = async (db: Database) => (await listClusterChanges(db.em)).map(({ kind }) => kind);

const nextIndex = async (db: Database) => {
  const [row] = await query<{ next: number }>(db.em, 'select next_index::float8 as next from derivation_account');
  return row?.next ?? NaN;
};

async function addAccount(db: Database, next: number): Promise<void> {
  await query(db.em, `insert into derivation_account (account, xpub, next_index) values ('evm', 'xpub', $1)`, [next]);
}

describe('the identity of the database', () => {
  it('is recorded at the first start, and adopts nothing then', async () => {
    const { db } = await open();
    await addAccount(db, 7);
    expect(await isClusterRecorded(db.em)).toBe(false);
    expect(await recordCluster({ db, log })).toMatchObject({ kind: 'FIRST', adoption: 0 });
    expect(await isClusterRecorded(db.em)).toBe(true);
    expect(await recordCluster({ db, log })).toBeNull();
    expect(await nextIndex(db)).toBe(7);
  });

  it('is another one in another database of the same server; of ten processes that see it, one adopts', async () => {
    const { database, db } = await open();
    await addAccount(db, 2_000_000_000);
    await query(
      db.em,
      `insert into chain_cursor (network, height, hash, block_time, tip_height, tip_read_at)
       values ('ETH', 17, '0xab', now(), 18, now())`,
    );
    await recordCluster({ db, log });
    await db.close();
    const copy = `${new URL(database.url).pathname.slice(1)}_copy`;
    await runSql(
      databaseUrl(database.url, 'postgres'),
      `create database ${copy} template ${copy.replace('_copy', '')}`,
    );
    ends.push(() => runSql(databaseUrl(database.url, 'postgres'), `drop database ${copy} with (force)`));
    const other = await connect(databaseUrl(database.url, copy));
    expect(await isClusterRecorded(other.em)).toBe(false);
    const changes = await Promise.all(Array.from({ length: 10 }, () => recordCluster({ db: other, log })));
    expect(changes.filter((change) => change !== null)).toEqual([
      expect.objectContaining({
        ...{ kind: 'ADOPTION', adoption: 1, reason: 'it is another database of the server' },
        cursors: { ETH: { height: 17, hash: '0xab' } },
      }),
    ]);
    expect(await kinds(other)).toEqual(['FIRST', 'ADOPTION']);
    expect(await nextIndex(other)).toBe(2_001_000_000);
  });

  it('is another one when a dump was loaded over the same database', async () => {
    const { db } = await open();
    await recordCluster({ db, log });
    // What loading a dump does to the row: the same columns, written by another transaction.
    await query(db.em, 'create table dumped as select * from cluster_identity');
    await query(db.em, 'truncate cluster_identity');
    await query(db.em, 'insert into cluster_identity select * from dumped');
    expect(await isClusterRecorded(db.em)).toBe(false);
    expect(await recordCluster({ db, log })).toMatchObject({ kind: 'ADOPTION', reason: 'it was loaded from a dump' });
    expect(await isClusterRecorded(db.em)).toBe(true);
  });

  it('outlives what a server does to its rows by itself', async () => {
    const { database, db } = await open();
    await recordCluster({ db, log });
    await database.sql('vacuum (freeze) cluster_identity');
    await database.sql('vacuum (full, freeze) cluster_identity');
    expect(await isClusterRecorded(db.em)).toBe(true);
  });

  it('that a database does not keep as it was written adopts nothing, again and again', async () => {
    const { database, db } = await open();
    await addAccount(db, 7);
    await recordCluster({ db, log });
    await database.sql(`create function forget() returns trigger language plpgsql as
      $$ begin new.written_in = '0'; return new; end $$`);
    await database.sql(`create trigger forget before insert or update on cluster_identity
      for each row execute function forget()`);
    await database.sql(`update cluster_identity set timeline = 7`);
    for (let look = 0; look < 2; look += 1)
      await expect(recordCluster({ db, log })).rejects.toThrow('does not keep which copy it is');
    expect(await nextIndex(db)).toBe(7);
  });

  it('never leaps beyond the last index that can be derived', async () => {
    const { db } = await open();
    await addAccount(db, 2 ** 31 - 5);
    await recordCluster({ db, log });
    await query(db.em, `update cluster_identity set system_identifier = 'another'`);
    expect(await recordCluster({ db, log })).toMatchObject({ kind: 'ADOPTION' });
    expect(await nextIndex(db)).toBe(2 ** 31);
  });
});
