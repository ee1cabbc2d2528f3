// Decides where the database cluster and its socket live, and finds both again at the next start.

import { chown, lstat, mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from './os-account.ts';
import { chooseAccount, claimFolder, isRoot, isUsableBy, runAs } from './os-account.ts';
import type { Binaries } from './binaries.ts';
import { fingerprint, killProcessesNaming } from './processes.ts';

export interface Home {
  /** Holds the cluster, its log and, if need be, a copy of the programs: the data folder, or one elsewhere. */
  readonly folder: string;
  /** The cluster itself (PGDATA). */
  readonly cluster: string;
  readonly exists: boolean;
  readonly account: Account;
}

/** A file in the data folder that names the home if it is elsewhere. */
const RECORD = 'postgres-location';
/** The prefix of a cluster's name while it is being created. */
const UNFINISHED = 'postgres.new-';
/** A socket's path may have 107 bytes; `/.s.PGSQL.5432.lock` has 19. */
const SOCKET_FOLDER_MAX_BYTES = 88;

/**
 * Finds the home of a data folder's cluster (a real path), or a place for a new one: the data folder itself, unless
 * PostgreSQL's account cannot use it. Root's home may have mode 700, and a mounted folder may not support owners.
 */
export async function findHome(dataDir: string, say: (text: string) => void): Promise<Home> {
  const recorded = (await readFile(join(dataDir, RECORD), 'utf8').catch(() => '')).trim();
  const folder = recorded === '' ? dataDir : recorded;
  const cluster = join(folder, 'postgres');
  if ((await lstat(cluster).catch(() => undefined)) !== undefined) return existingHome(folder, cluster);
  if (recorded !== '')
    throw new Error(
      `The database of ${dataDir} was kept in ${recorded} and is gone: restore it, or delete ${join(dataDir, RECORD)} to begin anew`,
    );

  const account = await chooseAccount();
  for (const place of [dataDir, ...placesElsewhere(dataDir)]) {
    if (place !== dataDir && !(await claimPlace(place))) continue;
    if (!(await isUsableBy(account, place))) continue;
    if (place !== dataDir) say(`The database is kept in ${place}, because ${account.name} cannot use ${dataDir}`);
    return { folder: place, cluster: join(place, 'postgres'), exists: false, account };
  }
  throw new Error(`${account.name} cannot keep a database in ${dataDir}: choose another DATA_DIR or set DATABASE_URL`);
}

async function existingHome(folder: string, cluster: string): Promise<Home> {
  const account = await chooseAccount(cluster);
  // Starting over elsewhere would look like the loss of all data.
  await runAs(account, '/bin/sh', ['-c', 'cd "$1"', 'sh', cluster]).catch((cause: unknown) => {
    throw new Error(`${account.name} may no longer enter ${cluster}: let it pass the folders above (chmod o+x)`, {
      cause,
    });
  });
  return { folder, cluster, exists: true, account };
}

function placesElsewhere(dataDir: string): string[] {
  const name = `turnpike-${fingerprint(dataDir)}`;
  const parents = isRoot() ? ['/var/lib', '/var/tmp'] : [join(homedir(), '.local', 'share'), '/var/tmp'];
  return parents.map((parent) => join(parent, name));
}

async function claimPlace(place: string): Promise<boolean> {
  await mkdir(join(place, '..'), { recursive: true }).catch(() => undefined);
  const owner = { uid: process.geteuid?.() ?? -1, gid: process.getegid?.() ?? -1 };
  return claimFolder(place, owner, isRoot() ? 0o711 : 0o700);
}

/**
 * Removes what a killed creation left behind; its initdb may still be running. Called at every start: if that initdb is
 * quicker than the removal, the rest goes the next time.
 */
export async function removeUnfinished({ folder }: Home): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(UNFINISHED));
  for (const path of names.map((name) => join(folder, name))) {
    killProcessesNaming(path);
    await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => undefined);
  }
}

/**
 * Creates the cluster in a temporary folder and renames it, so that an interrupted start leaves nothing that looks like
 * a cluster. Text sorts by code point everywhere (PostgreSQL's builtin C.UTF-8), whatever the machine's locale is.
 */
export async function createCluster(home: Home, dataDir: string, binaries: Binaries, durable: boolean): Promise<void> {
  const { account, cluster, folder } = home;
  const fresh = await mkdtemp(join(folder, UNFINISHED));
  await chown(fresh, account.uid, account.gid);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const access = ['--username=turnpike', '--auth-local=trust', '--auth-host=reject', '--no-instructions'];
  const sync = durable ? [] : ['--no-sync'];
  await runAs(account, join(binaries, 'bin', 'initdb'), ['-D', fresh, ...locale, ...access, ...sync]).catch(
    (cause: unknown) => {
      throw new Error(`The database cluster could not be created: ${cause instanceof Error ? cause.message : ''}`, {
        cause,
      });
    },
  );
  await rename(fresh, cluster);
  if (folder !== dataDir) await record(dataDir, folder);
  if (durable) for (const changed of new Set([folder, dataDir])) await syncFolder(changed);
}

async function record(dataDir: string, folder: string): Promise<void> {
  const draft = join(dataDir, `${RECORD}.new`);
  await writeFile(draft, `${folder}\n`, { flush: true });
  await rename(draft, join(dataDir, RECORD));
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  await handle.sync().finally(() => handle.close());
}

/**
 * A private folder for the socket, with a path short enough for one, the same at each start unless someone else
 * occupies the name. Only PostgreSQL's account and root may enter it, which keeps other users out.
 */
export async function chooseSocketFolder(home: Home): Promise<string> {
  const parents = [tmpdir(), '/tmp', '/var/tmp', '/dev/shm'];
  for (const parent of parents) {
    const folder = join(parent, `turnpike-${fingerprint(home.cluster)}`);
    if (await isSocketFolder(folder, home.account)) return folder;
  }
  for (const parent of parents) {
    const folder = await mkdtemp(join(parent, 'turnpike-')).catch(() => undefined);
    if (folder === undefined) continue;
    await chown(folder, home.account.uid, home.account.gid);
    if (await isSocketFolder(folder, home.account)) return folder;
    await rm(folder, { recursive: true, force: true });
  }
  throw new Error(`No folder for the database's socket could be created in ${parents.join(', ')}`);
}

async function isSocketFolder(folder: string, account: Account): Promise<boolean> {
  if (Buffer.byteLength(folder) > SOCKET_FOLDER_MAX_BYTES || !(await claimFolder(folder, account, 0o700))) return false;
  return runAs(account, '/bin/sh', ['-c', 'cd "$1" && test -w .', 'sh', folder]).then(
    () => true,
    () => false,
  );
}
