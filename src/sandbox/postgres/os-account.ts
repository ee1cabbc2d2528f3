// Chooses the operating-system account that the embedded PostgreSQL runs as (it refuses to run as root), and prepares
// folders for it.

import { execFile } from 'node:child_process';
import { chmod, chown, lstat, mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

export interface Account {
  readonly uid: number;
  readonly gid: number;
  /** For messages only. */
  readonly name: string;
}

/** Our own environment is not passed to PostgreSQL: PGDATA, LC_* or LD_LIBRARY_PATH would change its behaviour. */
const ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };

export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/**
 * The account for a cluster: our own, or as root `postgres` if there is such a user, else `nobody`. As root, an
 * existing cluster is run by the account that owns it, because an ordinary user may have created it.
 */
export async function chooseAccount(existingCluster?: string): Promise<Account> {
  const own = {
    uid: process.geteuid?.() ?? -1,
    gid: process.getegid?.() ?? -1,
    name: `user ${process.geteuid?.() ?? ''}`,
  };
  const owner = existingCluster === undefined ? undefined : await lstat(existingCluster);
  if (!isRoot()) {
    if (owner !== undefined && owner.uid !== own.uid)
      throw new Error(
        `The database cluster ${existingCluster} belongs to user ${owner.uid}: start as that user or as root`,
      );
    return own;
  }
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid, name: `user ${owner.uid}` };
  const users = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return findUser(users, 'postgres') ?? findUser(users, 'nobody') ?? { uid: 65534, gid: 65534, name: 'nobody' };
}

function findUser(users: string, name: string): Account | undefined {
  const [, , uid, gid] =
    users
      .split('\n')
      .find((line) => line.startsWith(`${name}:`))
      ?.split(':') ?? [];
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid), name };
}

/**
 * Options for `spawn`: the account if it is not our own, a minimal environment, and a folder that everyone may enter.
 */
export function spawnOptions(account: Account): { cwd: string; env: NodeJS.ProcessEnv; uid?: number; gid?: number } {
  const base = { cwd: '/', env: ENVIRONMENT };
  return account.uid === process.geteuid?.() ? base : { ...base, uid: account.uid, gid: account.gid };
}

/** Runs a program as the account; rejects with its standard error if it fails or may not be run. */
export async function runAs(account: Account, file: string, args: readonly string[]): Promise<void> {
  await new Promise<void>((done, fail) => {
    const finish = (error: Error | null, _out: string, printed: string): void => {
      if (error === null) done();
      else fail(new Error(printed.trim() || error.message, { cause: error }));
    };
    try {
      execFile(file, args, { ...spawnOptions(account), timeout: 120_000, encoding: 'utf8' }, finish);
    } catch (error) {
      fail(error instanceof Error ? error : new Error(String(error))); // EACCES is thrown, not reported
    }
  });
}

/**
 * Creates the data folder if there is none and returns its real path. As root, other accounts may enter but not list
 * it, for PostgreSQL.
 */
export async function createDataDir(dataDir: string): Promise<string> {
  const created = await mkdir(resolve(dataDir), { recursive: true });
  if (created !== undefined) await chmod(resolve(dataDir), isRoot() ? 0o711 : 0o700);
  return realpath(resolve(dataDir));
}

/**
 * Creates a folder for an owner, or accepts an existing one if it really is a folder of that owner. In a folder that
 * all may write, such as /tmp, someone else may have put something in its place: then it returns false.
 */
export async function claimFolder(path: string, owner: { uid: number; gid: number }, mode: number): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
    await chown(path, owner.uid, owner.gid);
  } catch {
    const found = await lstat(path).catch(() => undefined);
    if (found?.isDirectory() !== true || found.uid !== owner.uid) return false;
  }
  return chmod(path, mode).then(
    () => true,
    () => false,
  );
}

/** Whether PostgreSQL could keep its files below `folder`: the account can reach it, and owners and modes work. */
export async function isUsableBy(account: Account, folder: string): Promise<boolean> {
  let probe: string | undefined;
  try {
    probe = await mkdtemp(join(folder, 'probe-'));
    await chown(probe, account.uid, account.gid);
    const { uid, mode } = await lstat(probe);
    await runAs(account, '/bin/sh', ['-c', 'cd "$1" && : > file', 'sh', probe]);
    return uid === account.uid && (mode & 0o777) === 0o700;
  } catch {
    return false;
  } finally {
    if (probe !== undefined) await rm(probe, { recursive: true, force: true });
  }
}
