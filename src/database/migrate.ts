// Brings the schema up to date: one process at a time, one transaction for each step, and never over the head of a
// program that could not go on.

import { setTimeout as sleep } from 'node:timers/promises';
import { schemaOfProgram } from './program.ts';
import { grantRights } from './roles/make-grants.ts';
import { query, type Database, type EntityManager } from './connection.ts';
import { INITIAL_SCHEMA, type SchemaStep } from './migrations/index.ts';
import { hasSqlState, LOCK_NOT_AVAILABLE } from './sql-state.ts';
import { readSchemaVersion, refuseNewer, SchemaMismatch } from './schema-version.ts';

/** The schema is one of before the first release, which no migration brings up to date. */
export class MadeBeforeRelease extends Error {
  constructor() {
    super('The database was made before the first release');
    this.name = 'MadeBeforeRelease';
  }
}

/** An arbitrary number, the same in every process: one process migrates while the others wait for this lock. */
const MIGRATION_LOCK = 7_367_001;
const ASK_AGAIN_MS = 250;
const LOCK_TRIES = 30;
const BETWEEN_TRIES_MS = 1_000;

/** Called with a text for the terminal when something is waited for. */
export type OnWait = (text: string) => void;

/**
 * Applies the steps that the database lacks, each in a transaction of its own, and returns their names. Afterwards the
 * database's roles have the rights that the schema calls for. While another process does so, it waits.
 *
 * Throws `MadeBeforeRelease` where the steps do not lead on from what there is, and `SchemaMismatch` where the schema
 * is too new for this program, or a program is connected that could not go on beside the next one.
 */
export async function migrate(
  database: Pick<Database, 'orm' | 'steps'>,
  onWait: OnWait = () => undefined,
): Promise<string[]> {
  return inTurn(database, onWait, (em) => applyMissing(em, database, onWait));
}

/** Runs work while no other process changes the schema. Its transaction only holds the lock. */
export async function inTurn<T>(
  { orm }: Pick<Database, 'orm'>,
  onWait: OnWait,
  work: (em: EntityManager) => Promise<T>,
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    // Without the lock the transaction must end: an index that the other makes concurrently waits for every older one.
    const done = await orm.em.fork().transactional(async (em) => {
      await query(em, 'set local idle_in_transaction_session_timeout = 0');
      const attempt = 'select pg_try_advisory_xact_lock($1) as locked';
      const [row] = await query<{ locked: boolean }>(em, attempt, [MIGRATION_LOCK]);
      return row?.locked ? { of: await work(em) } : null;
    });
    if (done !== null) return done.of;
    if (tried === 1) onWait('Waiting for another process that migrates the database');
    await sleep(ASK_AGAIN_MS);
  }
}

/** The names of the applied steps. */
async function applyMissing(
  em: EntityManager,
  { orm, steps }: Pick<Database, 'orm' | 'steps'>,
  onWait: OnWait,
): Promise<string[]> {
  const found = await readSchemaVersion(em);
  if (found.version > 0 && !(await hasInitialSchema(em))) throw new MadeBeforeRelease();
  refuseNewer(found, steps.length);
  const applied: string[] = [];
  for (const [index, step] of steps.entries()) {
    if (index < found.version) continue;
    await refuseOverOthers(em, step, { version: index + 1, known: steps.length });
    await patiently(`a table that schema ${index + 1} changes`, onWait, () =>
      orm.migrator.up({ migrations: [step.name] }),
    );
    applied.push(step.name);
  }
  await grantRights(em);
  return applied;
}

async function hasInitialSchema(em: EntityManager): Promise<boolean> {
  return (await query(em, 'select 1 from migration where name = $1', [INITIAL_SCHEMA])).length > 0;
}

/** Throws if a program is connected that knows only a schema from before the oldest that may run beside the step. */
export async function refuseOverOthers(
  em: EntityManager,
  { oldestBeside }: Pick<SchemaStep, 'oldestBeside'>,
  { version, known }: { readonly version: number; readonly known: number },
): Promise<void> {
  const rows = await query<{ name: string }>(
    em,
    `select distinct application_name as name from pg_stat_activity
     where datname = current_database() and application_name like 'turnpike%'`,
  );
  const others = rows.map(({ name }) => name).filter((name) => (schemaOfProgram(name) ?? known) < oldestBeside);
  if (others.length === 0) return;
  throw new SchemaMismatch(
    `DATABASE_URL: programs are connected that cannot go on with schema ${version}, which needs those of schema ${oldestBeside} or newer: stop ${others.join(', ')} first`,
  );
}

/**
 * Runs what waits for a lock on a table only for a moment: again and again, instead of holding up everyone behind it.
 */
export async function patiently(what: string, onWait: OnWait, work: () => Promise<unknown>): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (!hasSqlState(error, LOCK_NOT_AVAILABLE) || tried === LOCK_TRIES) throw error;
      if (tried === 1) onWait(`Waiting for ${what}`);
      await sleep(BETWEEN_TRIES_MS);
    }
  }
}
