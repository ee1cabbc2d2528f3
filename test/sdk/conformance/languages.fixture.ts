// How the runner of each language is started.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../architecture/sources.fixture.ts';

/** What a runner prints of one step. */
export interface Line {
  readonly step: string;
  readonly [name: string]: unknown;
}

export interface Language {
  readonly name: string;
  /** Runs the table; rejects if the runner fails. */
  run(variables: Readonly<Record<string, string>>): Promise<Line[]>;
}

const FOLDER = join(ROOT, 'sdk/conformance');

/** A runner that is started as it is. */
const runner = (name: string, file: string, ...args: readonly string[]): Language => ({
  name,
  run: async (variables) => {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...variables };
    const { stdout } = await promisify(execFile)(file, args, { cwd: FOLDER, env });
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
  },
});

export const LANGUAGES: readonly Language[] = [runner('TypeScript', process.execPath, 'typescript/run.js')];
