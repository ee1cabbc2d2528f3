// How the sessions of our connections are set, whether to the primary, to a replica or through a pooler.

import { Client, type ClientConfig, type Pool, type PoolClient } from 'pg';

/**
 * Session settings of every connection; behind a pooler they are the role's. They let the server notice by itself when
 * we disappear, so that the locks of a transaction cut off midway are not held for hours. Only the transaction that
 * holds the migration lock is idle for longer than this time limit.
 */
const SESSION = [
  ['timezone', 'UTC'],
  ['idle_in_transaction_session_timeout', '30s'],
  ['tcp_keepalives_idle', '10'],
  ['tcp_keepalives_interval', '5'],
  ['tcp_keepalives_count', '3'],
] as const;

/** Besides, on a replica: a server that was promoted is not to be written to by a read. */
const READ_ONLY = [['default_transaction_read_only', 'on']] as const;

/**
 * We sign, credit and hand out addresses once a commit is confirmed, so a commit must be on the disk first, whatever
 * the server, database or role is set to. `remote_apply`, which promises more, stays.
 */
const COMMIT_SAFELY = `select set_config('synchronous_commit', 'on', false)
  where current_setting('synchronous_commit') not in ('on', 'remote_apply')`;

/** Poolers note this setting of a client, and give it to each connection that its transactions come to. */
const IN_UTC = `select set_config('TimeZone', 'UTC', false)`;

/** Which connections these are. */
export interface SessionOptions {
  /** Whether a pooler in transaction mode is in between. */
  readonly pooled: boolean;
  /** Whether statements that are sent often are kept by the server under a name. */
  readonly preparedStatements: boolean;
  readonly readOnly?: boolean;
}

/** What the pool is told of its connections. */
export function sessionOptionsOf({ pooled, preparedStatements, readOnly = false }: SessionOptions) {
  const settings = [...SESSION, ...(readOnly ? READ_ONLY : [])];
  return {
    ...(!pooled && { options: settings.map(([name, value]) => `-c ${name}=${value}`).join(' ') }),
    ...(!preparedStatements && { Client: NamelessClient }),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  } satisfies ClientConfig & { readonly Client?: typeof Client };
}

/** Sets each connection once before use. Through a pooler, safe commits may not reach every transaction. */
export function prepareConnections(pool: Pool, { withinMs, pooled }: { withinMs: number; pooled: boolean }): void {
  // The pool awaits onConnect, which its types do not declare.
  const options: { onConnect?: (client: Pick<PoolClient, 'query'>) => Promise<unknown> } = pool.options as object;
  options.onConnect = async (client) => {
    for (const text of pooled ? [IN_UTC, COMMIT_SAFELY] : [COMMIT_SAFELY])
      await client.query({ text, ...{ query_timeout: withinMs } });
  };
}

/** Sends every statement without its name, for poolers that do not know which connection has it. */
class NamelessClient extends Client {
  override query(...args: unknown[]): never {
    const [statement, ...rest] = args;
    const isNamed = typeof statement === 'object' && statement !== null && 'name' in statement;
    const sent = isNamed ? { ...statement, name: undefined } : statement;
    return (super.query as (...sent: unknown[]) => never)(sent, ...rest);
  }
}
