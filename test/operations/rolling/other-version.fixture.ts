// A build of the version before this one, from the repository's own history: that of the newest tag of a release or, as
// long as there is none, the newest commit whose schema has fewer steps. In a clone without either, it is this
// version under another number.

import { execFile } from 'node:child_process';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../support/sources.ts';
import { makeTestFolder } from '../../support/database/database.ts';

const MIGRATIONS = 'src/database/migrations/';

export interface OtherVersion {
  /** What it is, for people. */
  readonly what: string;
  /** How many steps its schema has. */
  readonly schema: number;
  /** Its compiled program. */
  readonly program: string;
  remove(): Promise<void>;
}

const run = promisify(execFile);
const git = async (...args: string[]): Promise<string> => (await run('git', args, { cwd: ROOT })).stdout.trim();

/** How many steps the schema of a commit has, by its list of them; a file may have several. */
async function schemaOf(commit: string): Promise<number> {
  const list = await git('show', `${commit}:${MIGRATIONS}index.ts`);
  return list.match(/^ *\{ name: .*oldestBeside: \d+ \},$/gm)?.length ?? 0;
}

/** The commit to build, and what it is; null if the history has none. */
async function findCommit(): Promise<{ commit: string; what: string } | null> {
  const tags = (await git('tag', '--list', 'v*', '--sort=-version:refname', '--merged', 'HEAD')).split('\n');
  const head = await git('rev-parse', 'HEAD');
  for (const tag of tags.filter(Boolean)) {
    const commit = await git('rev-list', '-n', '1', tag);
    if (commit !== head) return { commit, what: `the release ${tag}` };
  }
  const now = await schemaOf('HEAD');
  const commits = (await git('log', '--format=%H', '--', MIGRATIONS)).split('\n').filter(Boolean);
  for (const commit of commits) {
    const parent = await git('rev-parse', '--verify', '--quiet', `${commit}^`).catch(() => '');
    const schema = parent === '' ? 0 : await schemaOf(parent);
    if (schema > 0 && schema < now) return { commit: parent, what: `commit ${parent.slice(0, 8)}, schema ${schema}` };
  }
  return null;
}

/** Checks it out beside this tree, with the packages that it names, and builds it; that takes minutes. */
export async function buildOtherVersion(): Promise<OtherVersion> {
  const found = await findCommit();
  const commit = found?.commit ?? 'HEAD';
  const folder = join(await makeTestFolder('version'), 'tree');
  await git('worktree', 'add', '--detach', folder, commit);
  const remove = async (): Promise<void> => {
    await git('worktree', 'remove', '--force', folder);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await bringPackages(folder);
    if (found === null) await renumber(folder);
    await run(process.execPath, ['scripts/build.js'], inside(folder));
    const what = found?.what ?? 'this version under another number';
    return { what, schema: await schemaOf(commit), program: join(folder, 'dist/src/main.js'), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** This tree's packages where they are the same; else its own are installed. */
async function bringPackages(folder: string): Promise<void> {
  const [own, ours] = await Promise.all(
    [folder, ROOT].map((tree) => readFile(join(tree, 'package-lock.json'), 'utf8')),
  );
  if (own === ours) await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else await run('npm', ['ci', '--no-audit', '--no-fund'], inside(folder));
}

/** As somebody would build it who runs no tests: jest's NODE_ENV is not theirs. */
function inside(cwd: string) {
  const { NODE_ENV: _, ...env } = process.env;
  return { cwd, env, maxBuffer: 2 ** 24 };
}

async function renumber(folder: string): Promise<void> {
  const path = join(folder, 'package.json');
  const manifest = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  await writeFile(path, JSON.stringify({ ...manifest, version: '0.0.1' }));
}
