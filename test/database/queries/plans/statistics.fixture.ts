// Statistics of other times: keeps what PostgreSQL knows about the tables, and puts it back when they hold something
// else.

import type pg from 'pg';

/** What was true when statistics were made. */
export type Age = 'accurate' | 'none' | 'empty' | 'nothing waited' | 'everything waited';

const OURS = `select oid from pg_class where relnamespace = 'public'::regnamespace`;

/** Makes the store of statistics, and keeps the server from analysing by itself. For a superuser. */
export async function openStatistics(client: pg.Client): Promise<void> {
  await client.query('set allow_system_table_mods = on');
  await client.query('create schema kept');
  await client.query(`create table kept.statistic as select ''::text as age, s.* from pg_statistic s where false`);
  await client.query(
    `create table kept.class as select ''::text as age, oid, relpages, reltuples, relallvisible from pg_class where false`,
  );
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and oid in (${OURS})`,
  );
  for (const { name } of rows) await client.query(`alter table ${name} set (autovacuum_enabled = false)`);
}

/** Keeps the present statistics under a name. */
export async function keepStatistics(client: pg.Client, age: Age): Promise<void> {
  await client.query(`insert into kept.statistic select '${age}', s.* from pg_statistic s where starelid in (${OURS})`);
  await client.query(
    `insert into kept.class select '${age}', oid, relpages, reltuples, relallvisible from pg_class where oid in (${OURS})`,
  );
}

/** Makes the statistics what they were. */
export async function ageStatistics(client: pg.Client, age: Age): Promise<void> {
  const { rows } = await client.query<{ columns: string }>(
    `select string_agg(attname, ', ' order by attnum) as columns from pg_attribute where attrelid = 'pg_statistic'::regclass and attnum > 0`,
  );
  await client.query('begin');
  await client.query(`delete from pg_statistic where starelid in (${OURS})`);
  await client.query(`insert into pg_statistic select ${rows[0]?.columns} from kept.statistic where age = '${age}'`);
  await client.query(
    `update pg_class c set relpages = k.relpages, reltuples = k.reltuples, relallvisible = k.relallvisible
     from kept.class k where k.age = '${age}' and k.oid = c.oid`,
  );
  await client.query('commit');
}
