// Connections to a replica, and what is read from on one of them.

import type { EntityManager } from '@mikro-orm/postgresql';
import type { CompiledQuery } from 'kysely';
import pg, { type Pool, type PoolClient } from 'pg';
import type { ReadSource } from '../read-source.ts';
import { prepareConnections, sessionOptionsOf, type SessionOptions } from '../session.ts';
import { ANSWER_WITHIN_MS } from './place.ts';

export interface ReplicaOptions extends Omit<SessionOptions, 'readOnly'> {
  readonly url: string;
  readonly poolMax: number;
  readonly applicationName: string;
  readonly primary: { readonly pool: Pool; readonly em: EntityManager };
}

/** A pool whose values are read as the primary's are. */
export function openPool({ url, applicationName, primary, ...session }: ReplicaOptions, max: number): Pool {
  const { types } = primary.pool.options;
  const pool = new pg.Pool({
    ...{ connectionString: url, application_name: applicationName, max, types },
    ...sessionOptionsOf({ ...session, readOnly: true }),
    connectionTimeoutMillis: ANSWER_WITHIN_MS,
  });
  // What breaks while it is idle shows at the next look.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => void client.on('error', () => undefined));
  prepareConnections(pool, { withinMs: ANSWER_WITHIN_MS, pooled: session.pooled });
  return pool;
}

const managers = new WeakMap<PoolClient, EntityManager>();

/** Reads on a connection, with an entity manager for statements that want one. */
export function sourceOf(client: PoolClient, primary: EntityManager): ReadSource {
  return {
    pool: client,
    get em() {
      const known = managers.get(client);
      if (known) return known;
      const em = primary.fork();
      const executor = { executeQuery: ({ sql, parameters }: CompiledQuery) => client.query(sql, [...parameters]) };
      em.setTransactionContext(executor);
      managers.set(client, em);
      return em;
    },
  };
}

/** Whether the connection is gone: the server says that it ends it, or nothing can be asked on it any more. */
export function isLost(client: PoolClient, error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.severity !== 'ERROR';
  return (client as PoolClient & { readonly _queryable?: boolean })._queryable === false;
}

/** Its host and port: a URL may contain a password. */
export function nameOf(url: string): string {
  const { host, port } = new pg.Client(url);
  return `${host}:${String(port)}`;
}
