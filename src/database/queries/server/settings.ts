// What the database's server is, and how it and our role are set up. It needs no right but to connect.

import { query, type EntityManager } from '../../connection.ts';

export interface ServerSettings {
  /** As the server says it, such as `15.14 (Debian 15.14-0+deb12u1)`. */
  readonly version: string;
  /** The first number of the version. */
  readonly major: number;
  /** Bytes of this database. */
  readonly size: number;
  readonly isStandby: boolean;
  /** Whether this connection comes from another machine, as the server sees it. */
  readonly isRemote: boolean;
  readonly isEncrypted: boolean;
  /** Settings by name, as a new session of our role has them, in the server's units; without those it may not see. */
  readonly settings: ReadonlyMap<string, string>;
}

const NAMES = [
  ...['fsync', 'full_page_writes', 'synchronous_commit', 'synchronous_standby_names', 'default_transaction_read_only'],
  ...['statement_timeout', 'transaction_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'],
  ...['max_connections', 'superuser_reserved_connections', 'reserved_connections', 'archive_mode', 'data_directory'],
];

const SERVER = `select current_setting('server_version') as version,
    current_setting('server_version_num')::int / 10000 as major,
    pg_database_size(current_database())::text as size,
    pg_is_in_recovery() as "isStandby",
    coalesce(not inet_client_addr() <<= any ('{127.0.0.0/8,::1}'::inet[])
      and inet_client_addr() <> inet_server_addr(), false) as "isRemote",
    coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as "isEncrypted"`;

export async function readServerSettings(em: EntityManager): Promise<ServerSettings> {
  const [server] = await query<Omit<ServerSettings, 'size' | 'settings'> & { size: string }>(em, SERVER);
  if (!server) throw new Error('The database server says nothing about itself');
  const text = 'select name, reset_val as value from pg_settings where name = any ($1)';
  const rows = await query<{ name: string; value: string }>(em, text, [NAMES]);
  const settings = new Map(rows.map(({ name, value }) => [name, value]));
  return { ...server, size: Number(server.size), settings };
}
