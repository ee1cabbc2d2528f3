// Where a read may be done: on the primary, or on a replica that shows everything the primary had committed when the
// read was asked for.

import type { EntityManager } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';

/** What statements are sent to by prepared reads. */
export type Readable = Pick<Pool, 'query'>;

/**
 * A server to read from. On a replica it is one connection: one statement at a time, by `query` and `readRows` alone.
 */
export interface ReadSource {
  readonly pool: Readable;
  readonly em: EntityManager;
}

/** Reads that need not be done on the primary. */
export interface ReadReplicas {
  read<Result>(work: (source: ReadSource) => Promise<Result>): Promise<Result>;
}

/**
 * Reads from a replica if there is one that is not behind, and else from the primary. `work` must only read, in no
 * transaction of its own, and may be run twice.
 */
export function readAnywhere<Result>(
  db: ReadSource & { readonly replicas?: ReadReplicas },
  work: (source: ReadSource) => Promise<Result>,
): Promise<Result> {
  return db.replicas ? db.replicas.read(work) : work(db);
}
