// A PostgreSQL server for one test, copies of its files, and a replica that streams from it and can be cut off.

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import {
  copyFiles,
  cutOffReplica,
  makeReplica,
  promoteReplica,
  restoreFiles,
} from '../../../scripts/postgres-copies.ts';
import { startPostgres, type EmbeddedPostgres } from '../../../src/sandbox/postgres/supervisor.ts';
import { runSql } from './database.ts';
import { until } from '../until.ts';

const log = pino({ level: 'silent' });

export interface OwnServer {
  /** The URL of the database `turnpike`; the same after a restart. */
  url(): string;
  sql<Row = Record<string, unknown>>(text: string): Promise<Row[]>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Copies the files of a stopped server; returns the copy's folder. */
  copy(): Promise<string>;
  /** Replaces the files of a stopped server by a copy. */
  restore(copy: string): Promise<void>;
}

/** The servers that `close` stops, with the folders it removes. */
export interface Servers {
  /** A new server, started. */
  primary(): Promise<OwnServer>;
  /** A replica of a server, started; the server is restarted for it. */
  replicaOf(primary: OwnServer): Promise<OwnServer>;
  close(): Promise<void>;
}

export function createServers(): Servers {
  const all: OwnServer[] = [];
  const folders: string[] = [];

  async function makeServer(): Promise<{ dataDir: string; server: OwnServer }> {
    // Not in the run's folder, which is closed to the account that PostgreSQL runs as when the user is root.
    const dataDir = await mkdtemp(join(tmpdir(), 'turnpike-server-'));
    folders.push(dataDir);
    await chmod(dataDir, 0o711); // As root, PostgreSQL runs as another user.
    let running: EmbeddedPostgres | null = null;
    let url = '';
    const server: OwnServer = {
      url: () => url,
      sql: (text) => runSql(url, text),
      start: async () => {
        running = await startPostgres({ dataDir, log });
        url = running.url;
      },
      stop: async () => {
        await running?.stop();
        running = null;
      },
      copy: () => copyFiles(dataDir),
      restore: (copy) => restoreFiles(dataDir, copy),
    };
    all.push(server);
    return { dataDir, server };
  }

  return {
    primary: async () => {
      const { server } = await makeServer();
      await server.start();
      return server;
    },
    replicaOf: async (primary) => {
      const { dataDir, server } = await makeServer();
      await primary.stop();
      const copy = await primary.copy();
      await primary.start();
      await makeReplica(dataDir, copy, primary.url());
      await server.start();
      return server;
    },
    close: async () => {
      for (const server of all) await server.stop();
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until a replica has everything its primary has committed, then cuts it off for good: it lags from then on. */
export async function cutOff(replica: OwnServer, primary: OwnServer): Promise<void> {
  await cutOffReplica(replica.sql, primary.sql, until);
}

/** Promotes a replica, so that it accepts writes. */
export async function promote(replica: OwnServer): Promise<void> {
  await promoteReplica(replica.sql);
}
