// Divides the tables of history by month, once and for good, while programs go on using them: what is there becomes the
// first partition as it lies.

import { query, type Database, type EntityManager } from './connection.ts';
import { grantRights } from './roles/make-grants.ts';
import { inTurn, patiently, refuseOverOthers, type OnWait } from './migrate.ts';
import { LOCK_TIMEOUT_MS, PARTITIONS_STEP } from './migrations/index.ts';
import { requireFitting } from './schema-version.ts';

interface Division {
  readonly table: 'api_log' | 'webhook_attempt';
  readonly key: string;
  /** What the whole table has: the indexes of what is there are taken over, and made nowhere again. */
  readonly indexes: readonly string[];
  /** A column whose numbers go on. */
  readonly identity?: string;
}

const DIVISIONS: readonly Division[] = [
  {
    ...{ table: 'api_log', key: 'at', identity: 'id' },
    indexes: [
      'create index api_log_age on api_log (at)',
      'create index api_log_merchant on api_log (merchant_id, at, id)',
      `create index api_log_failed on api_log (merchant_id, at, id) where error_code is not null or status >= 400`,
    ],
  },
  {
    ...{ table: 'webhook_attempt', key: 'delivery_id' },
    indexes: ['alter table webhook_attempt add primary key (delivery_id, attempt)'],
  },
];

/** Until the end of the present month, and for no less than a day, all rows go where those of before are. */
const LEAST_AHEAD_MS = 86_400_000;

/**
 * Divides the tables that are not yet; returns their names. From then on no program may run that does not know
 * partitions. Throws `SchemaMismatch` if one is connected, or if the schema is not this program's.
 */
export async function partitionHistory(
  database: Pick<Database, 'orm' | 'em' | 'steps'>,
  now: Date,
  onWait: OnWait = () => undefined,
): Promise<string[]> {
  return inTurn(database, onWait, async (turn) => {
    await requireFitting(database);
    const left: Division[] = [];
    for (const division of DIVISIONS) if (!(await isDivided(turn, division.table))) left.push(division);
    if (left.length > 0) await shutOutOlder(database);
    for (const division of left) await divide(database.orm.em.fork(), division, { now, onWait });
    return left.map(({ table }) => table);
  });
}

async function isDivided(em: EntityManager, table: string): Promise<boolean> {
  const text = 'select 1 from pg_partitioned_table where partrelid = to_regclass($1)';
  return (await query(em, text, [table])).length > 0;
}

/**
 * Older programs delete rows by their places, which are only unique within a partition. The bar comes first, so that
 * one that starts meanwhile either meets it or is found to be connected.
 */
async function shutOutOlder({ em, steps }: Pick<Database, 'em' | 'steps'>): Promise<void> {
  const version = steps.findIndex(({ name }) => name === PARTITIONS_STEP) + 1;
  const set = 'update schema_version set oldest_beside = $2 where version = $1';
  await query(em, set, [version, version]);
  try {
    await refuseOverOthers(em, { oldestBeside: version }, { version, known: steps.length });
  } catch (error) {
    if (!(await isDivided(em, 'api_log'))) await query(em, set, [version, steps[version - 1]?.oldestBeside]);
    throw error;
  }
}

/**
 * Divides one table. That all of its rows belong into the first partition is proved by a check, which is made without
 * keeping anyone waiting; then the rest takes moments under the lock.
 */
async function divide(
  em: EntityManager,
  { table, key, indexes, identity }: Division,
  { now, onWait }: { readonly now: Date; readonly onWait: OnWait },
): Promise<void> {
  const check = `${table}_before`;
  const end = startOfNextMonth(new Date(now.getTime() + LEAST_AHEAD_MS));
  const [row] = await query<{ bound: string }>(em, 'select quote_literal(partition_bound($1, $2)) as bound', [
    table,
    end,
  ]);
  const bound = row?.bound ?? '';
  const change = (work: (inside: EntityManager) => Promise<void>) =>
    patiently(`the table ${table}`, onWait, () =>
      em.transactional(async (inside) => {
        await query(inside, `set local lock_timeout = ${String(LOCK_TIMEOUT_MS)}`);
        await work(inside);
      }),
    );
  const dropCheck = `alter table ${table} drop constraint if exists ${check}`;
  await change(async (inside) => {
    await query(inside, dropCheck);
    await query(inside, `alter table ${table} add constraint ${check} check (${key} < ${bound}) not valid`);
  });
  try {
    await query(em, `alter table ${table} validate constraint ${check}`);
    await change(async (inside) => {
      for (const statement of await swapOf(inside, { table, key, indexes, identity: identity ?? null }, bound))
        await query(inside, statement);
      await query(inside, 'select make_partitions($1, $2)', [table, now]);
      await grantRights(inside);
    });
  } catch (error) {
    // Rows of the next month would fail it. After a kill the observer does this.
    await query(em, dropCheck).catch(() => undefined);
    throw error;
  }
  await query(em, `analyze ${table}`);
}

/** The statements that put a table with partitions in the place of the one that is there, which becomes the first. */
async function swapOf(
  em: EntityManager,
  { table, key, indexes, identity }: Omit<Division, 'identity'> & { readonly identity: string | null },
  bound: string,
): Promise<string[]> {
  const before = `${table}_before`;
  await query(em, `lock table ${table} in access exclusive mode`);
  const names = await query<{ name: string }>(
    em,
    `select i.relname as name from pg_index x join pg_class i on i.oid = x.indexrelid where x.indrelid = to_regclass($1)`,
    [table],
  );
  const numbers: string[] = [];
  if (identity !== null) {
    const text = 'select nextval(pg_get_serial_sequence($1, $2))::text as next';
    const [row] = await query<{ next: string }>(em, text, [table, identity]);
    numbers.push(`alter table ${before} alter ${identity} drop identity`);
    numbers.push(
      `alter table ${table} alter ${identity} add generated always as identity (start with ${row?.next ?? ''})`,
    );
  }
  return [
    `alter table ${table} rename to ${before}`,
    ...names.map(({ name }) => `alter index ${name} rename to ${name.replace(table, before)}`),
    `create table ${table} (like ${before} including defaults including storage) partition by range (${key})`,
    ...numbers,
    ...indexes,
    `alter table ${table} attach partition ${before} for values from (minvalue) to (${bound})`,
    `alter table ${before} drop constraint ${before}`,
    `create table ${table}_default partition of ${table} default`,
    ...(identity === null ? [] : [`alter table ${table}_default add primary key (${identity})`]),
  ];
}

const startOfNextMonth = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1));
