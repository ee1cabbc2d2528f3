// How far a standby is behind is read from its primary, by roles that may.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { connectDatabase, type Database } from '../../../../src/database/connection.ts';
import { readReplicationLag } from '../../../../src/database/queries/server/replication-lag.ts';
import { createServers, type OwnServer } from '../../../support/database/replica.ts';
import { untilPasses } from '../../../support/until.ts';

const servers = createServers();
const log = pino({ level: 'silent' });
let primary: OwnServer;
let replica: OwnServer;
let db: Database;

beforeAll(async () => {
  primary = await servers.primary();
  replica = await servers.replicaOf(primary);
  db = await connectDatabase({ url: primary.url(), poolMax: 2, log });
});
afterAll(async () => {
  await db.close();
  await servers.close();
});

it('a standby that keeps up is counted and has no lag', async () => {
  await untilPasses(async () => expect(await readReplicationLag(db.em)).toMatchObject({ standbys: 1, lagBytes: 0 }));
});

it('one that stops replaying is behind by what was written since, and by none once it goes on', async () => {
  await replica.sql('select pg_wal_replay_pause()');
  await primary.sql('create table written as select generate_series(1, 10000)');
  await untilPasses(async () => expect((await readReplicationLag(db.em))?.lagBytes).toBeGreaterThan(100_000));
  await replica.sql('select pg_wal_replay_resume()');
  await untilPasses(async () => expect(await readReplicationLag(db.em)).toMatchObject({ standbys: 1, lagBytes: 0 }));
});

it('a role that may not see it gets no figure instead of a wrong one', async () => {
  await primary.sql('create role plain login');
  const url = new URL(primary.url());
  url.username = 'plain';
  const own = await connectDatabase({ url: url.href, poolMax: 1, log });
  try {
    expect(await readReplicationLag(own.em)).toBeNull();
  } finally {
    await own.close();
  }
});

it('a standby that is gone is not counted', async () => {
  await replica.stop();
  await untilPasses(async () => expect(await readReplicationLag(db.em)).toMatchObject({ standbys: 0, lagBytes: 0 }));
});
