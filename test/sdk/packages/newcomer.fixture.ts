// What a newcomer does with each SDK: installs it into an empty folder outside the repository, and runs its README.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../support/sources.ts';

/** A program as it is started, in the newcomer's folder. */
export type Command = readonly [file: string, ...args: string[]];

/** A language as a newcomer meets it. */
export interface Newcomer {
  readonly name: string;
  /** A program, or the pattern of a file's path, without which it is not tested. */
  readonly needs: string;
  /** Of the README's code, in its fences. */
  readonly fence: string;
  readonly folder: string;
  /** Puts the package into an empty folder. */
  install(folder: string): Promise<void>;
  /** Writes a program there, and says how it is started; `address` is where a receiver listens. */
  program(folder: string, name: string, code: string, address: string): Promise<Command>;
}

const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

/** Without what the repository's own npm and node have set, as in a shell elsewhere. */
export const cleanEnvironment = (folder: string): Record<string, string | undefined> => ({
  PATH: process.env['PATH'],
  HOME: folder,
  COMPOSER_ALLOW_SUPERUSER: '1',
  PYTHONDONTWRITEBYTECODE: '1',
  ...{ GOCACHE: join(folder, 'cache'), GOPATH: join(folder, 'path') },
  ...{ GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local' },
});

/** Runs a program to its end, and returns what it printed. */
export async function run([file, ...args]: Command, folder: string): Promise<string> {
  const { stdout } = await promisify(execFile)(file, args, { cwd: folder, env: cleanEnvironment(folder) });
  return stdout;
}

/** The README's programs: the first order, and the receiver of webhooks. */
export function programsOf({ folder, fence }: Newcomer): string[] {
  const text = readFileSync(join(ROOT, folder, 'README.md'), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${fence}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, code = '']) => code);
}

/** Writes a file there, and returns its path. */
export const programIn = (folder: string, name: string, text: string): string => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

/** Packs the TypeScript SDK, and installs the pack; returns the names of the packed files. */
export async function installPack(folder: string): Promise<string[]> {
  const sdk = join(ROOT, 'sdk/typescript');
  const told = await run(['npm', 'pack', sdk, '--json', '--ignore-scripts', '--pack-destination', folder], folder);
  const [packed] = JSON.parse(told) as { filename: string; files: { path: string }[] }[];
  programIn(folder, 'package.json', '{ "private": true }\n');
  const options = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run(['npm', 'install', ...options, join(folder, packed?.filename ?? '')], folder);
  return (packed?.files ?? []).map(({ path }) => path);
}

/** Debian's wheels of setuptools and wheel, which pip builds with where no registry can be asked. */
const WHEELS = '/usr/share/python-wheels';

/** Makes the source distribution, as it is published, and lets pip install it into a venv. */
async function installPython(folder: string): Promise<void> {
  const python = join(folder, 'venv/bin/python');
  const pip = (...args: string[]) => run([python, '-m', 'pip', 'install', '-q', '--no-index', ...args], folder);
  cpSync(join(ROOT, 'sdk/python'), join(folder, 'source'), { recursive: true });
  await run(['python3', '-m', 'venv', join(folder, 'venv')], folder);
  await pip('--find-links', WHEELS, 'setuptools', 'wheel');
  const build = `import os; os.chdir('source'); from setuptools import build_meta; print(build_meta.build_sdist('..'))`;
  const printed = await run([python, '-c', build], folder);
  await pip('--no-build-isolation', join(folder, printed.trim().split('\n').at(-1) ?? ''));
}

/** Lets Composer install the package from a folder: with its requirements checked and its own autoloader. */
async function installPhp(folder: string): Promise<void> {
  const options = { symlink: false, versions: { 'turnpike/sdk': VERSION } };
  const repositories = [{ type: 'path', url: join(ROOT, 'sdk/php'), options }, { 'packagist.org': false }];
  programIn(folder, 'composer.json', JSON.stringify({ repositories, require: { 'turnpike/sdk': VERSION } }));
  await run(['composer', 'install', '--quiet', '--no-interaction'], folder);
}

export const NEWCOMERS: readonly Newcomer[] = [
  {
    ...{ name: 'TypeScript', needs: 'npm', fence: 'js', folder: 'sdk/typescript' },
    install: async (folder) => void (await installPack(folder)),
    program: async (folder, name, code) => [process.execPath, programIn(folder, `${name}.mjs`, code)],
  },
  {
    ...{ name: 'Python', needs: `${WHEELS}/wheel-*.whl`, fence: 'python', folder: 'sdk/python' },
    install: installPython,
    program: async (folder, name, code) => [
      join(folder, 'venv/bin/python'),
      '-u',
      programIn(folder, `${name}.py`, code),
    ],
  },
  {
    ...{ name: 'PHP', needs: 'composer', fence: 'php', folder: 'sdk/php' },
    install: installPhp,
    program: async (folder, name, code, address) => {
      const file = programIn(folder, `${name}.php`, code);
      return name === 'first' ? ['php', file] : ['php', '-S', address, file];
    },
  },
  {
    ...{ name: 'Go', needs: 'go', fence: 'go', folder: 'sdk/go' },
    install: async (folder) => {
      cpSync(join(ROOT, 'sdk/go'), join(folder, 'turnpike'), { recursive: true });
    },
    program: async (folder, name, code) => {
      const module = 'github.com/turnpike/turnpike/sdk/go';
      programIn(
        join(folder, name),
        'go.mod',
        `module ${name}\n\ngo 1.19\n\nrequire ${module} v0.0.0\n\nreplace ${module} => ../turnpike\n`,
      );
      programIn(join(folder, name), 'main.go', code);
      const build = { cwd: join(folder, name), env: cleanEnvironment(folder) };
      await promisify(execFile)('go', ['build', '-o', join(folder, 'bin', name), '.'], build);
      return [join(folder, 'bin', name)];
    },
  },
];
