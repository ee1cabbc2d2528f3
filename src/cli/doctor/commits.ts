// Checks that what the database confirms is on its disk, and what a pooler does to that.

import { pino } from 'pino';
import type { PoolClient } from 'pg';
import { connectDatabase, type Database } from '../../database/connection.ts';
import type { Examination } from './examination.ts';
import { fault, orOk, reasonOf, warning, type Finding } from './finding.ts';
import { numberOf, openedOf } from './server.ts';

const SAFE_COMMITS = new Set(['on', 'remote_apply']);

export async function checkCommits(examination: Examination): Promise<Finding[]> {
  const { settings } = openedOf(examination).server;
  const commits = settings.get('synchronous_commit') ?? '';
  const mustBeOn = (name: string, risk: string) =>
    settings.get(name) === 'on' ? null : fault(`${name} is off: ${risk}`, `set ${name} = on, and reload the server`);
  // Each connection asks for safe commits itself; a pooler may pass that on to others, or not.
  const areUnsafe = examination.config.databasePooler && !SAFE_COMMITS.has(commits);
  return orOk(
    [
      mustBeOn('fsync', 'a crash of its machine can destroy the database'),
      mustBeOn('full_page_writes', 'a crash of its machine can tear pages'),
      areUnsafe
        ? fault(
            `synchronous_commit is ${commits} behind a pooler: what was confirmed can be lost`,
            'alter role … set synchronous_commit = on',
          )
        : null,
    ],
    SAFE_COMMITS.has(commits) ? 'on the disk before they are confirmed' : 'the gateway makes its own wait for the disk',
  );
}

export async function checkPooler(examination: Examination): Promise<Finding[]> {
  const { config } = examination;
  const { db, server } = openedOf(examination);
  const { databasePooler, databaseDirectUrl, preparedStatements } = config;
  const direct = databaseDirectUrl === null ? null : await judgeDirect(databaseDirectUrl);
  if (!databasePooler)
    return orOk([direct], direct === null && databaseDirectUrl !== null ? 'none; DATABASE_DIRECT_URL answers' : 'none');
  return orOk(
    [
      direct,
      databaseDirectUrl === null
        ? warning('migrations go through it', 'set DATABASE_DIRECT_URL to the server itself')
        : null,
      numberOf(server, 'idle_in_transaction_session_timeout') === 0
        ? warning(
            'locks of a process that is cut off in a transaction are held for hours',
            "alter role … set idle_in_transaction_session_timeout = '30s'",
          )
        : null,
      preparedStatements ? await tryPreparedStatements(db) : null,
    ],
    preparedStatements ? 'passes prepared statements on' : 'statements are sent without names',
  );
}

async function judgeDirect(url: string): Promise<Finding | null> {
  try {
    const direct = await connectDatabase({ url, poolMax: 1, log: pino({ level: 'silent' }) });
    await direct.close();
    return null;
  } catch (error) {
    const reason = reasonOf(error).replace('DATABASE_URL', 'DATABASE_DIRECT_URL');
    return fault(reason, 'look at DATABASE_DIRECT_URL: migrations and the commands of the operator use it');
  }
}

const TRY_WITHIN_MS = 5_000;
/** PostgreSQL's code for a statement whose name it does not know. */
const UNKNOWN_STATEMENT = '26000';

/** Others use the pooler at the same time, so that not every try gets the connection that it wants. */
const TRIES = 20;

/**
 * Prepares a statement, and lets another client hold the connection that has it: the pooler gives the first client
 * another one, and either prepares the statement there, too, or does not know it. With only one connection to give, the
 * pooler lets the first client wait, and nothing is found.
 */
async function tryPreparedStatements({ pool }: Database): Promise<Finding | null> {
  const [first, second] = [await pool.connect(), await pool.connect()];
  try {
    for (let tried = 0; tried < TRIES; tried += 1) {
      const prepared = await connectionOf(first, 'doctor');
      await second.query('begin');
      if ((await connectionOf(second)) === prepared) {
        await connectionOf(first, 'doctor');
        return null;
      }
      await second.query('rollback');
    }
    return null;
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNKNOWN_STATEMENT) return null;
    return fault(
      'does not pass prepared statements on: calls fail',
      'set DATABASE_PREPARED_STATEMENTS=false, or max_prepared_statements in PgBouncer 1.21 or newer',
    );
  } finally {
    for (const client of [first, second]) discard(client);
  }
}

/** Which of the pooler's connections a client has, asked by a prepared statement if it is given a name. */
async function connectionOf(client: PoolClient, name?: string): Promise<number | undefined> {
  const statement = { text: 'select pg_backend_pid() as id', ...(name && { name }), query_timeout: TRY_WITHIN_MS };
  const { rows } = await client.query<{ id: number }>(statement);
  return rows[0]?.id;
}

/** Closes the connection, so that neither the transaction nor the statement outlives the check. */
const discard = (client: PoolClient): void => client.release(true);
