// Records what the API process changes in the database, by triggers that commit with the change: what is rolled back
// leaves nothing, and a write that undoes another is recorded too, which a digest of tables would miss.

import pg from 'pg';

/** `application_name` of the API's connections. */
export const API_NAME = 'fuzzed-api';

export interface Changes {
  /** Returns the changes since the last call, as `table operation`. */
  take(): Promise<string[]>;
  close(): Promise<void>;
}

/**
 * Tables that calls may write whatever their outcome: the log of calls, the range of addresses that a process has
 * claimed, the identity of this copy of the database, the count of wrong passwords, and the tries of challenges. An API
 * key's `last_used_at` and a session's `last_seen_at` are treated the same way.
 */
const BOOKKEEPING = [
  ...['api_log', 'challenge', 'cluster_change', 'cluster_identity', 'derivation_account', 'migration'],
  'sign_in_failure',
];

const FUNCTION = `
create schema if not exists fuzz;
create table if not exists fuzz.change (id bigint generated always as identity primary key, what text not null);
grant usage on schema fuzz to public;
grant all on all tables in schema fuzz to public;
create or replace function fuzz.note() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'api_key' and tg_op = 'UPDATE'
    and to_jsonb(old) - 'last_used_at' = to_jsonb(new) - 'last_used_at' then return null; end if;
  if tg_table_name = 'owner_session' and tg_op = 'UPDATE'
    and to_jsonb(old) - 'last_seen_at' = to_jsonb(new) - 'last_seen_at' then return null; end if;
  insert into fuzz.change (what) values (tg_table_name || ' ' || tg_op);
  return null;
end $$;`;

/** Creates the triggers, on every table but those for bookkeeping. */
export async function openChanges(databaseUrl: string): Promise<Changes> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined); // The running query rejects as well.
  await client.connect();
  await client.query(FUNCTION);
  const { rows } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename <> all ($1)",
    [BOOKKEEPING],
  );
  for (const { name } of rows)
    await client.query(`create trigger fuzz_note after insert or update or delete on "${name}" for each row
      when (current_setting('application_name') = '${API_NAME}') execute function fuzz.note()`);
  return {
    async take() {
      const taken = await client.query<{ what: string }>('delete from fuzz.change returning what');
      return [...new Set(taken.rows.map(({ what }) => what))].sort();
    },
    close: () => client.end(),
  };
}
