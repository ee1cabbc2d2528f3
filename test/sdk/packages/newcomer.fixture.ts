// What a newcomer does with each SDK: installs it into an empty folder outside the repository, and runs its README.

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../architecture/sources.fixture.ts';

/** A program as it is started, in the newcomer's folder. */
export type Command = readonly [file: string, ...args: string[]];

/** A language as a newcomer meets it. */
export interface Newcomer {
  readonly name: string;
  readonly needs: string;
  /** Of the README's code, in its fences. */
  readonly fence: string;
  readonly folder: string;
  /** Puts the package into an empty folder. */
  install(folder: string): Promise<void>;
  /** Writes a program there, and says how it is started; `address` is where a receiver listens. */
  program(folder: string, name: string, code: string, address: string): Promise<Command>;
}

/** Without what the repository's own npm and node have set, as in a shell elsewhere. */
export const cleanEnvironment = (folder: string): Record<string, string | undefined> => ({
  PATH: process.env['PATH'],
  HOME: folder,
  PYTHONPATH: join(folder, 'package'),
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

const write = (folder: string, name: string, text: string): string => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

/** Packs the TypeScript SDK, and installs the pack; returns the names of the packed files. */
export async function installPack(folder: string): Promise<string[]> {
  const sdk = join(ROOT, 'sdk/typescript');
  const told = await run(['npm', 'pack', sdk, '--json', '--ignore-scripts', '--pack-destination', folder], folder);
  const [packed] = JSON.parse(told) as { filename: string; files: { path: string }[] }[];
  write(folder, 'package.json', '{ "private": true }\n');
  const options = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run(['npm', 'install', ...options, join(folder, packed?.filename ?? '')], folder);
  return (packed?.files ?? []).map(({ path }) => path);
}

/** Makes the source distribution with setuptools, which each new venv has, and unpacks it. */
async function installPython(folder: string): Promise<void> {
  cpSync(join(ROOT, 'sdk/python'), join(folder, 'source'), { recursive: true });
  await run(['python3', '-m', 'venv', join(folder, 'venv')], folder);
  const build = `import os; os.chdir('source'); from setuptools import build_meta; print(build_meta.build_sdist('..'))`;
  const printed = await run([join(folder, 'venv/bin/python'), '-c', build], folder);
  const archive = printed.trim().split('\n').at(-1) ?? '';
  mkdirSync(join(folder, 'package'));
  await run(['tar', '-xzf', archive, '-C', 'package', '--strip-components=1'], folder);
}

export const NEWCOMERS: readonly Newcomer[] = [
  {
    ...{ name: 'TypeScript', needs: 'npm', fence: 'js', folder: 'sdk/typescript' },
    install: async (folder) => void (await installPack(folder)),
    program: async (folder, name, code) => [process.execPath, write(folder, `${name}.mjs`, code)],
  },
  {
    ...{ name: 'Python', needs: 'python3', fence: 'python', folder: 'sdk/python' },
    install: installPython,
    program: async (folder, name, code) => ['python3', '-u', write(folder, `${name}.py`, code)],
  },
  {
    ...{ name: 'PHP', needs: 'php', fence: 'php', folder: 'sdk/php' },
    install: async (folder) => {
      cpSync(join(ROOT, 'sdk/php'), join(folder, 'vendor/turnpike/sdk'), { recursive: true });
      write(join(folder, 'vendor'), 'autoload.php', "<?php require __DIR__ . '/turnpike/sdk/autoload.php';\n");
    },
    program: async (folder, name, code, address) => {
      const file = write(folder, `${name}.php`, code);
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
      write(
        join(folder, name),
        'go.mod',
        `module ${name}\n\ngo 1.19\n\nrequire ${module} v0.0.0\n\nreplace ${module} => ../turnpike\n`,
      );
      write(join(folder, name), 'main.go', code);
      const build = { cwd: join(folder, name), env: cleanEnvironment(folder) };
      await promisify(execFile)('go', ['build', '-o', join(folder, 'bin', name), '.'], build);
      return [join(folder, 'bin', name)];
    },
  },
];
