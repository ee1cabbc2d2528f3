// The repository's own files, for tests that read them.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Source {
  /** From the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** The folder with package.json, searched upwards, because these tests run from where they were compiled to. */
export const ROOT = (() => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) throw new Error('No package.json above the tests');
    folder = dirname(folder);
  }
  return folder;
})();

const NOT_OURS = new Set(['node_modules', 'dist', '.turnpike', 'results']);

/** Every file below `folder` (from the root) whose name matches, sorted; none if the folder does not exist. */
export function readSources(folder: string, name = /\.ts$/): Source[] {
  const start = join(ROOT, folder);
  if (!existsSync(start)) return [];
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.split('/').some((part) => NOT_OURS.has(part)))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}
