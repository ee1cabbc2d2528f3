// Builds the images once for all tests that need them: from Debian's packages and npm, without any registry of images.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runContainerTool } from '../containers.fixture.ts';

/** References for `podman run`: `localhost/turnpike-test:…`. */
export interface Images {
  /** For production, all roles. */
  readonly gateway: string;
  /** With PostgreSQL and anvil besides. */
  readonly sandbox: string;
}

/** All inputs of the images: the compiled program, and the recipe. */
const INPUTS = [
  'dist/src',
  'dist/sdk',
  'dist/web',
  'deploy/image',
  'Containerfile',
  'LICENSE',
  'package.json',
  'package-lock.json',
];

/**
 * The images of these sources. The first caller builds them, which takes minutes; others wait for it, in other
 * processes too. They stay, and a later run with the same sources finds them.
 */
export async function buildImages(): Promise<Images> {
  const hash = createHash('sha256');
  for (const path of INPUTS.flatMap(filesIn)) hash.update(`${path}\0`).update(readFileSync(path));
  const gateway = `localhost/turnpike-test:${hash.digest('hex').slice(0, 16)}`;
  const sandbox = `${gateway}-sandbox`;
  const script = 'buildah inspect "$IMAGE-sandbox" >/dev/null 2>&1 || exec deploy/image/build --from-debian';
  const lock = join(tmpdir(), 'turnpike-image.lock');
  await runContainerTool('flock', [lock, 'bash', '-c', script], { env: { IMAGE: gateway } });
  return { gateway, sandbox };
}

/** The paths of all files of a folder, sorted; a file's own. */
function filesIn(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => join(entry.parentPath, entry.name)).sort();
}
