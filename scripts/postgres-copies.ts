// Older copies of an embedded PostgreSQL, for tests and tools: a copy of its files, and a streaming replica that can be
// cut off.

import { execFile } from 'node:child_process';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Runs a statement on a server and returns its rows. */
export type Ask = <Row>(statement: string) => Promise<Row[]>;

/** Waits until `look` resolves to true; throws if that takes too long. */
export type Wait = (look: () => Promise<boolean>) => Promise<unknown>;

const run = promisify(execFile);
const filesOf = (dataDir: string): string => join(dataDir, 'postgres');

/** Copies the server files of a data folder while the server is stopped; returns the copy's folder. */
export async function copyFiles(dataDir: string): Promise<string> {
  const copy = `${filesOf(dataDir)}-${String(Date.now())}`;
  await run('cp', ['-a', filesOf(dataDir), copy]);
  return copy;
}

/** Replaces the files of a stopped server with a copy. */
export async function restoreFiles(dataDir: string, copy: string): Promise<void> {
  await rm(filesOf(dataDir), { recursive: true });
  await run('cp', ['-a', copy, filesOf(dataDir)]);
}

/** Turns a copy into a replica in a data folder of its own; once started, it streams from the server at the URL. */
export async function makeReplica(dataDir: string, copy: string, primaryUrl: string): Promise<void> {
  const files = filesOf(dataDir);
  await run('mv', [copy, files]);
  await writeFile(join(files, 'standby.signal'), '');
  const { hostname, port } = new URL(primaryUrl);
  const conninfo = `host=${decodeURIComponent(hostname)} port=${port} user=turnpike`;
  await appendFile(join(files, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
}

/**
 * Waits until a replica has everything that its primary has committed, then cuts it off for good: it lags from then on.
 */
export async function cutOffReplica(replica: Ask, primary: Ask, wait: Wait): Promise<void> {
  const [at] = await primary<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn');
  await wait(async () => {
    const text = `select pg_last_wal_replay_lsn() >= '${at?.lsn ?? ''}' as there`;
    return (await replica<{ there: boolean | null }>(text))[0]?.there === true;
  });
  await replica(`alter system set primary_conninfo = ''`);
  await replica('select pg_reload_conf()');
  await wait(async () => (await replica('select from pg_stat_wal_receiver')).length === 0);
}

/** Promotes a replica, which then accepts writes. */
export async function promoteReplica(replica: Ask): Promise<void> {
  await replica('select pg_promote(true, 60)');
}
