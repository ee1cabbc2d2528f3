// Dumps a database through a client (all rows of all tables at one moment), and makes a new database from such a dump.

import { createTestDatabase, runSql, type TestDatabase } from './database.ts';

/** Rows by table, as JSON. */
export type Dump = ReadonlyMap<string, string>;

/** Reads everything in one snapshot. */
export async function dumpDatabase(url: string): Promise<Dump> {
  const tables = await runSql<{ name: string }>(
    url,
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like 'migration%' order by 1`,
  );
  const each = tables.map(
    ({ name }) => `select '${name}' as name, coalesce(json_agg(to_json(t)), '[]')::text as rows from ${name} t`,
  );
  const rows = await runSql<{ name: string; rows: string }>(url, each.join(' union all '));
  return new Map(rows.map(({ name, rows: text }) => [name, text]));
}

/** A new database with these rows, like a restored dump: nothing tells the gateway that it is a copy. */
export async function loadDump(dump: Dump): Promise<TestDatabase> {
  const database = await createTestDatabase();
  const statements = [...dump].map(
    ([name, rows]) =>
      `insert into ${name} overriding system value select * from json_populate_recordset(null::${name}, ${quoted(rows)});`,
  );
  const truncate = [...dump.keys()].map((name) => `delete from ${name};`);
  await runSql(
    database.url,
    `set session_replication_role = replica; ${truncate.join(' ')} ${statements.join(' ')} set session_replication_role = origin;`,
  );
  const sequences = await runSql<{ table: string; column: string }>(
    database.url,
    `select table_name as table, column_name as column from information_schema.columns
     where table_schema = 'public' and is_identity = 'YES'`,
  );
  for (const { table, column } of sequences)
    await runSql(
      database.url,
      `select setval(pg_get_serial_sequence('${table}', '${column}'), coalesce(max(${column}), 0) + 1, false) from ${table}`,
    );
  return database;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
