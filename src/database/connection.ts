// The connection to PostgreSQL through MikroORM, and `query`, which runs raw SQL in the current transaction.

import { MikroORM, type EntityManager } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { CompiledQuery, type QueryExecutorProvider } from 'kysely';
import type { Logger } from 'pino';
import type { Pool } from 'pg';
import { ENTITIES } from '../entities/index.ts';
import { isTracing, traced } from '../tracing.ts';
import { GatewayDriver } from './driver.ts';
import { applicationNameOf } from './program.ts';
import { cutDeadConnections, type ConnectionWatch } from './dead-connections.ts';
import { measureWaits, type PoolWaits } from './pool-waits.ts';
import type { ReadReplicas } from './read-source.ts';
import { prepareConnections, sessionOptionsOf } from './session.ts';
import { migrationsOf, SCHEMA_STEPS, type SchemaStep } from './migrations/index.ts';

export type { EntityManager };

export interface Database {
  readonly orm: MikroORM;
  /** The root entity manager. Fork it for a unit of work; `query` takes it as it is. */
  readonly em: EntityManager;
  /** The underlying pool, for prepared statements. */
  readonly pool: Pool;
  /** How long work waited for its connections. */
  readonly waits: PoolWaits;
  /** What is known of its connections. */
  readonly watch: Pick<ConnectionWatch, 'commitsWait'>;
  /** The steps of the schema that this program knows. */
  readonly steps: readonly SchemaStep[];
  /** Replicas to read from; without them, everything is read here. */
  readonly replicas?: ReadReplicas;
  close(): Promise<void>;
}

/** The server could not be reached. The message never contains the URL, which may contain a password. */
export class DatabaseUnreachable extends Error {
  /** In the words of the system or the server. */
  readonly reason: string;
  /** Whether waiting may help: nothing answers there, or the server is just starting. */
  readonly mayCome: boolean;

  constructor(cause: unknown, variable: UrlVariable = 'DATABASE_URL') {
    const said = messageOf(cause);
    const reason = /startup parameter/.test(said) ? `${said}; behind PgBouncer set DATABASE_POOLER=true` : said;
    super(`${variable}: cannot connect to PostgreSQL: ${reason}`, { cause });
    this.name = 'DatabaseUnreachable';
    this.reason = reason;
    this.mayCome = !codesOf(cause).some((code) => FINAL.test(code)) && !FINAL_MESSAGES.test(said);
  }
}

/**
 * Codes for what does not become right by waiting. PostgreSQL's: the user, the password, the database, the protocol.
 * Node's: the server's certificate.
 */
const FINAL = /^(08P|22|28|3D|42|ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)/;
/** The same, where there is no code of its own: files that the URL names, and a server without TLS. */
const FINAL_MESSAGES = /, open '|does not support SSL/;

/** The codes of an error and its causes. */
function codesOf(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) return [];
  const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown };
  const nested = Array.isArray(errors) ? errors.flatMap(codesOf) : codesOf(cause);
  return [...(typeof code === 'string' ? [code] : []), ...nested];
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** The environment variables with a URL of the database. */
export type UrlVariable = 'DATABASE_URL' | 'DATABASE_DIRECT_URL' | 'CELL_DIRECTORY_URL' | `The gateway on ${string}`;

export interface DatabaseOptions {
  /** A `postgresql://` URL; the folder of a Unix socket is given as `?host=`. */
  url: string;
  /** The variable that the URL is from, for errors; `DATABASE_URL` by default. */
  variable?: UrlVariable;
  poolMax: number;
  log: Logger;
  /** Whether a pooler in transaction mode is in between: each transaction may be on another connection. */
  pooled?: boolean;
  /** Whether statements that are sent often are kept by the server under a name; true by default. */
  preparedStatements?: boolean;
  /** `DATABASE_PATIENCE` by default. */
  patience?: DatabasePatience;
  /** The steps of the schema; those of this version by default. */
  steps?: readonly SchemaStep[];
  /**
   * For a second database of this process: without a name of its own, its statements would run in the transaction that
   * the first one has open, and so in the first one's tables.
   */
  contextName?: string;
}

/** Time limits of a database, in milliseconds. */
export const DATABASE_PATIENCE = {
  /** For a new connection, and for one that is in use. */
  connection: 6_000,
  /** For the answer to whether the server still works on statements. */
  answer: 4_000,
} as const;
export type DatabasePatience = { readonly [Name in keyof typeof DATABASE_PATIENCE]: number };

/** Connects; throws if the server cannot be reached. */
export async function connectDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, poolMax, log, patience = DATABASE_PATIENCE, steps = SCHEMA_STEPS } = options;
  const { pooled = false, preparedStatements = true, contextName = 'default' } = options;
  let pool: Pool | undefined;
  let waits: PoolWaits | undefined;
  let watch: ConnectionWatch | undefined;
  const orm = await MikroORM.init({
    driver: GatewayDriver,
    clientUrl: 'postgresql://unused/turnpike',
    entities: [...ENTITIES],
    contextName,
    extensions: [Migrator],
    allowGlobalContext: true,
    logger: (message) => log.warn(message),
    forceUtcTimezone: true,
    // Each step is a transaction, with the migrator's own row of it. Those that are not transactions need no outer one.
    migrations: {
      ...{ migrationsList: migrationsOf(steps), allOrNothing: false },
      ...{ snapshot: false, tableName: 'migration', silent: true },
    },
    driverOptions: {
      connectionString: url,
      max: poolMax,
      application_name: applicationNameOf(steps.length),
      ...sessionOptionsOf({ pooled, preparedStatements }),
      connectionTimeoutMillis: patience.connection,
      onPoolCreated: (created: Pool) => {
        pool = created;
        waits = measureWaits(created);
        prepareConnections(created, { withinMs: patience.connection, pooled });
        watch = cutDeadConnections(created, { pooled, answerWithinMs: patience.answer });
      },
    },
  });
  const close = async (): Promise<void> => {
    watch?.stop();
    await orm.close(true);
  };
  try {
    await orm.em.getConnection().execute('select 1');
  } catch (error) {
    await close();
    throw new DatabaseUnreachable(error, options.variable);
  }
  if (pool === undefined || waits === undefined || watch === undefined)
    throw new Error('MikroORM made no connection pool');
  return {
    orm,
    em: orm.em,
    pool,
    waits,
    watch,
    steps,
    close,
  };
}

/**
 * Runs one statement with `$1` parameters, in the transaction of `em` if it has one. Values are as the driver returns
 * them: numeric and bigint as text, timestamps as text in UTC (see `toDate`), JSON parsed.
 */
export async function query<Row = Record<string, unknown>>(
  em: EntityManager,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  const executor: QueryExecutorProvider & { executeQuery(compiled: CompiledQuery): Promise<{ rows: unknown[] }> } =
    em.getTransactionContext() ?? em.getConnection().getClient();
  const run = () => executor.executeQuery(CompiledQuery.raw(text, [...parameters]));
  const result = await (isTracing() ? traced('sql', 'within', { 'db.query.text': shorten(text) }, run) : run());
  return result.rows as Row[];
}

/** Our own text of a statement, without its parameters. */
const shorten = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 200);

/** Reads a timestamp as the driver returns it. */
export function toDate(text: string): Date;
export function toDate(text: string | null): Date | null;
export function toDate(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
