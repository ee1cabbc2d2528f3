// How the runner of each language is started.

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../support/sources.ts';

/** What a runner prints of one step. */
export interface Line {
  readonly step: string;
  readonly [name: string]: unknown;
}

export interface Language {
  readonly name: string;
  /** The program that must be on the PATH. */
  readonly needs: string;
  /** Runs the table; rejects if the runner fails. */
  run(variables: Readonly<Record<string, string>>): Promise<Line[]>;
}

const FOLDER = join(ROOT, 'sdk/conformance');

/** A runner that is started as it is. */
const runner = (name: string, file: string, ...args: readonly string[]): Language => ({
  name,
  needs: basename(file),
  run: async (variables) => {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...variables };
    const { stdout } = await promisify(execFile)(file, args, { cwd: FOLDER, env });
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
  },
});

/** Built without network, with nothing left outside of a folder that is removed. */
const go: Language = {
  name: 'Go',
  needs: 'go',
  run: async (variables) => {
    const folder = await mkdtemp(join(tmpdir(), 'turnpike-conformance-'));
    try {
      const program = join(folder, 'run');
      const caches = { GOCACHE: join(folder, 'cache'), GOPATH: join(folder, 'path') };
      const offline = { GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local' };
      const env = { PATH: process.env['PATH'], HOME: folder, ...caches, ...offline };
      await promisify(execFile)('go', ['build', '-o', program, '.'], { cwd: join(FOLDER, 'go'), env });
      return await runner('Go', program).run(variables);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

export const LANGUAGES: readonly Language[] = [
  runner('TypeScript', process.execPath, 'typescript/run.js'),
  runner('Python', 'python3', '-B', 'python/run.py'),
  runner('PHP', 'php', 'php/run.php'),
  go,
];
