// The command line as a merchant's developer has it: packed, installed from the pack into an empty folder outside the
// repository, and run there as a process with a home of its own.

import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { ROOT } from '../support/sources.ts';
import type { Json } from '../support/clients.ts';
import { until } from '../support/until.ts';

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
  /** Standard output, a JSON document a line. */
  readonly json: Json[];
}

/** A command that goes on until it is ended. */
export interface Running {
  /** What it has printed so far, a JSON document a line. */
  lines(): Json[];
  /** Waits until it has printed a line like this, and returns the line. */
  printed(isIt: (line: Json) => boolean): Promise<Json>;
  /** The exit code, once it has ended by itself or by a signal; null after a kill. */
  readonly code: Promise<number | null>;
  /** Sends a signal and waits for the end; returns the exit code, null after a kill. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export interface Installed {
  /** Its home, with the files that it keeps. */
  readonly home: string;
  readonly files: readonly string[];
  run(args: readonly string[], variables?: Readonly<Record<string, string>>, input?: string): Promise<Ended>;
  start(args: readonly string[], variables?: Readonly<Record<string, string>>): Running;
  remove(): Promise<void>;
}

const documents = (text: string): Json[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line): Json => JSON.parse(line));

/** Packs and installs it, without a network. */
export async function install(): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-cli-'));
  const [home, project] = [join(folder, 'home'), join(folder, 'project')];
  for (const one of [home, project]) await mkdir(one);
  const npm = (cwd: string, ...args: string[]) =>
    promisify(execFile)('npm', [...args, '--cache', join(folder, 'npm'), '--offline'], { cwd, env: environment(home) });
  const packed = await npm(join(ROOT, 'cli'), 'pack', '--json', '--pack-destination', folder);
  const { stdout } = await promisify(execFile)('sh', ['-c', 'ls *.tgz'], { cwd: folder });
  await npm(project, 'init', '--yes');
  await npm(project, 'install', join(folder, stdout.trim()));
  const program = join(project, 'node_modules/.bin/turnpike');
  return {
    home,
    files: [...packed.stdout.matchAll(/"path": ?"([^"]+)"/g)].map((match) => match[1] ?? ''),
    run: (args, variables, input) => run(open(program, args, project, { ...environment(home), ...variables }), input),
    start: (args, variables) => follow(open(program, args, project, { ...environment(home), ...variables })),
    remove: () => rm(folder, { recursive: true }),
  };
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Nothing of this process's own: no XDG folders, no key. */
const environment = (home: string): Record<string, string> => ({ PATH: process.env['PATH'] ?? '', HOME: home });

const open = (file: string, args: readonly string[], cwd: string, env: Record<string, string>): Child =>
  spawn(file, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });

/** What a child writes, as it comes. */
function record(child: Child): { out: string; errors: string } {
  const written = { out: '', errors: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.errors += text));
  return written;
}

async function run(child: Child, input = ''): Promise<Ended> {
  const written = record(child);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return {
    code,
    ...written,
    get json() {
      return documents(written.out);
    },
  };
}

function follow(child: Child): Running {
  const written = record(child);
  const code = once(child, 'close').then(([ended]) => ended as number | null);
  let hasEnded = false;
  void code.then(() => (hasEnded = true));
  return {
    lines: () => documents(written.out),
    printed: async (isIt) => {
      await until(() => {
        const isThere = documents(written.out).some(isIt);
        if (!isThere && hasEnded) throw new Error(`it ended: ${written.out}${written.errors}`);
        return Promise.resolve(isThere);
      });
      return documents(written.out).find(isIt);
    },
    code,
    end: (signal) => {
      child.kill(signal);
      return code;
    },
  };
}

/** Reads a file of JSON below the home. */
export const readJson = async (path: string): Promise<Json> => JSON.parse(await readFile(path, 'utf8'));
