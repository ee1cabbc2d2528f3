// Work that only one process of a deployment does at a time, where the work itself is not the database's.

import type { Pool } from 'pg';

/** Any number, the same in every process: the first half of the locks that are taken here. */
const SPACE = 7_367_002;

/**
 * Runs work while no other process that uses the database runs any of the same name; resolves or rejects as it does. The
 * lock is a transaction's, which reads and writes nothing and holds nobody up: it goes with the connection, whatever
 * becomes of us. Rejects, with nothing begun, when the database does not answer.
 */
export async function exclusively<T>(pool: Pool, name: string, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failure: unknown;
  try {
    await client.query('begin');
    await client.query('set local idle_in_transaction_session_timeout = 0');
    await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [SPACE, name]);
  } catch (error) {
    client.release(true);
    throw error;
  }
  try {
    return await work();
  } finally {
    // What was done is done: a connection that was lost meanwhile has only let the next one in early.
    await client.query('commit').catch((error: unknown) => (failure = error));
    client.release(failure !== undefined);
  }
}
