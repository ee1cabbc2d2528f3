// What the checks share: the configuration, the database, and the answers of nodes, each asked for once.

import { pino } from 'pino';
import type { ChainAdapter } from '../../chain/adapter.ts';
import type { BlockHead } from '../../chain/blocks.ts';
import type { Config } from '../../config/config.ts';
import { createDatabaseClock } from '../../database/clock.ts';
import { connectDatabase, type Database } from '../../database/connection.ts';
import { readServerSettings, type ServerSettings } from '../../database/queries/server/settings.ts';
import { readSchemaVersion, type SchemaVersion } from '../../database/schema-version.ts';
import type { Network } from '../../values/assets.ts';
import { findDatabaseUrl } from '../database-url.ts';
import { openNodes } from '../open-adapters.ts';
import { reasonOf } from './finding.ts';

/** What one node said. */
export interface NodeAnswer {
  readonly network: Network;
  /** From 1, in the order of the configuration, whose URLs may contain keys. */
  readonly place: number;
  readonly isDevelopmentChain: boolean;
  /** Null if it did not answer, or is not the node of that network. */
  readonly tip: BlockHead | null;
  readonly reason: string | null;
}

export interface Examination {
  readonly config: Config;
  /** How many processes the deployment has at most; null: not given. */
  readonly processes: number | null;
  /** The real time, by the database's clock if there is one. */
  now(): Date;
  /** Null if it cannot be reached; `unreachable` says why. */
  readonly db: Database | null;
  readonly unreachable: string | null;
  /** How far this machine's clock is ahead of the database's, in milliseconds; null without a database. */
  readonly aheadMs: number | null;
  readonly server: ServerSettings | null;
  readonly schema: SchemaVersion | null;
  askNodes(): Promise<readonly NodeAnswer[]>;
  close(): Promise<void>;
}

/** A silent one: the doctor reports failures itself. */
const log = pino({ level: 'silent' });
const CONNECTIONS = 3;

/** Connects to the database as the gateway would. Does not throw if that fails. */
export async function beginExamination(config: Config, processes: number | null): Promise<Examination> {
  const { db, unreachable } = await openDatabase(config);
  const asked = db && (await askServer(db));
  let answers: Promise<readonly NodeAnswer[]> | null = null;
  return {
    ...{ config, processes, db, unreachable },
    aheadMs: asked && asked.aheadMs,
    server: asked && asked.server,
    schema: asked && asked.schema,
    now: () => asked?.clock.now() ?? new Date(),
    askNodes: () => (answers ??= askNodes(config)),
    close: async () => db?.close(),
  };
}

/** What most checks need to know of it. Closes the connection if that cannot be read. */
async function askServer(db: Database) {
  try {
    const clock = await createDatabaseClock(db.em);
    const aheadMs = Date.now() - clock.now().getTime();
    return { clock, aheadMs, server: await readServerSettings(db.em), schema: await readSchemaVersion(db.em) };
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function openDatabase(config: Config): Promise<Pick<Examination, 'db' | 'unreachable'>> {
  const { databasePooler: pooled, preparedStatements } = config;
  try {
    const url = config.databaseUrl ?? (await findDatabaseUrl(config));
    const db = await connectDatabase({ url, poolMax: CONNECTIONS, log, pooled, preparedStatements });
    return { db, unreachable: null };
  } catch (error) {
    return { db: null, unreachable: reasonOf(error) };
  }
}

async function askNodes(config: Config): Promise<readonly NodeAnswer[]> {
  const networks = await openNodes(config);
  const asked = [...networks].flatMap(([network, adapters]) =>
    adapters.map((adapter, index) => askNode(config, network, adapter, index + 1)),
  );
  return Promise.all(asked);
}

/** A sandbox's node need not be on the chain that its network is named after, so only live nodes are verified. */
async function askNode(
  { environment }: Config,
  network: Network,
  adapter: ChainAdapter,
  place: number,
): Promise<NodeAnswer> {
  const node = { network, place, isDevelopmentChain: environment === 'sandbox' };
  try {
    if (environment === 'live') await adapter.verify();
    return { ...node, tip: await adapter.tip(), reason: null };
  } catch (error) {
    return { ...node, tip: null, reason: reasonOf(error).replace(`${network}: `, '') };
  }
}
