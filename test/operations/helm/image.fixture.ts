// The image of this tree, built as an operator builds it.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../architecture/sources.fixture.ts';

/** Builds it, where TURNPIKE_IMAGE names none that is there; returns its name. */
export async function imageOfThisTree(): Promise<string> {
  const given = process.env['TURNPIKE_IMAGE'];
  if (given) return given;
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const options = { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 };
  await promisify(execFile)(join(ROOT, 'deploy/image/build'), ['--from-debian'], options);
  return `localhost/turnpike:${version}`;
}
