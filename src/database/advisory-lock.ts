// Runs work in only one process of the deployment at a time, under a named advisory lock.

import type { Pool } from 'pg';
import { query, type EntityManager } from './connection.ts';

/** An arbitrary number, the same in every process: the first half of each lock's key. */
const SPACE = 7_367_002;

/**
 * Runs work while no other process on this database runs work of the same name; resolves or rejects as the work does.
 * The lock belongs to a transaction that reads and writes nothing, so it ends with the connection if we crash. Rejects
 * before starting the work if the database does not answer.
 */
export async function withAdvisoryLock<T>(pool: Pool, name: string, work: () => Promise<T>): Promise<T> {
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
    // The work is done: if the connection was lost meanwhile, the next process has only started early.
    await client.query('commit').catch((error: unknown) => (failure = error));
    client.release(failure !== undefined);
  }
}

/**
 * Takes the lock of a name for the rest of the current transaction. False if another transaction has it: then its work
 * is being done.
 */
export async function tryAdvisoryLock(em: EntityManager, name: string): Promise<boolean> {
  const text = 'select pg_try_advisory_xact_lock($1, hashtext($2)) as taken';
  const [row] = await query<{ taken: boolean }>(em, text, [SPACE, name]);
  return row?.taken === true;
}

/** The same, but waits for it. */
export async function takeAdvisoryLock(em: EntityManager, name: string): Promise<void> {
  await query(em, 'select pg_advisory_xact_lock($1, hashtext($2))', [SPACE, name]);
}
