// A database server for each cell, and a standby that streams from one of them.

import { rm } from 'node:fs/promises';
import { pino } from 'pino';
import { copyFiles, makeReplica } from '../../scripts/postgres-copies.ts';
import { startPostgres, type EmbeddedPostgres } from '../../src/sandbox/postgres/supervisor.ts';
import { makeDataDir } from '../support/gateway.ts';

const log = pino({ level: 'silent' });

/** Stopped last first. */
export type Stops = (() => Promise<unknown>)[];

interface Server {
  readonly dataDir: string;
  readonly url: string;
}

/** Starts an empty server; returns where it is. */
export async function startServer(stops: Stops): Promise<Server> {
  const dataDir = await newFolder(stops);
  return { dataDir, url: (await start(dataDir, stops)).url };
}

/** Starts an empty server, and a standby of it. */
export async function startServerWithStandby(stops: Stops): Promise<{ primary: Server; standby: Server }> {
  const dataDir = await newFolder(stops);
  const first = await startPostgres({ dataDir, log });
  await first.stop();
  const copy = await copyFiles(dataDir);
  const { url } = await start(dataDir, stops);
  const folder = await newFolder(stops);
  await makeReplica(folder, copy, url);
  const standby = await start(folder, stops);
  return { primary: { dataDir, url }, standby: { dataDir: folder, url: standby.url } };
}

async function newFolder(stops: Stops): Promise<string> {
  const dataDir = await makeDataDir('demo-database');
  stops.push(() => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }));
  return dataDir;
}

async function start(dataDir: string, stops: Stops): Promise<EmbeddedPostgres> {
  const server = await startPostgres({ dataDir, log });
  stops.push(() => server.stop());
  return server;
}
