// Builds everything into dist/: the program, its tests and tools with tsc, the browser scripts, and the static files.
// If the sources have not changed, the build is kept, so `npm test` after `npm ci` compiles nothing again.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLIENTS, LIGHTHOUSE, SLOW, SYSTEM } from './suites.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
/** Written last: an interrupted build has none. */
const stamp = join(dist, '.built-from');
/** All inputs of a build; the lock file stands for the compilers. */
const SOURCES = ['package.json', 'package-lock.json', 'tsconfig.json', 'schema', 'scripts', 'src', 'test', 'web'];
const TOOLS = ['bench', 'chaos', 'demo', 'examples', 'fuzz'];
/** A package of its own, which is built beside its sources, as it is published. */
const SDK = 'sdk/typescript';
const SDK_SOURCES = ['package.json', 'tsconfig.json', 'tsconfig.cjs.json', 'src'].map((path) => `${SDK}/${path}`);

/** Another, which has the SDK in it. */
const CLI = 'cli';
const CLI_SOURCES = ['package.json', 'tsconfig.json', 'src'].map((path) => `${CLI}/${path}`);

/** Packages that only some suites need; without them, those suites are not built. */
const hasTestPackages = existsSync(join(root, 'test/node_modules/.package-lock.json'));

const sources = `${hashOf([...SOURCES, ...TOOLS, ...SDK_SOURCES, ...CLI_SOURCES])} ${hasTestPackages ? 'with' : 'without'} system tests`;
const sdkDist = join(root, SDK, 'dist');
const cliDist = join(root, CLI, 'dist');
if (!existsSync(stamp) || !existsSync(sdkDist) || !existsSync(cliDist) || readFileSync(stamp, 'utf8') !== sources) {
  for (const folder of [dist, sdkDist, cliDist]) rmSync(folder, { recursive: true, force: true });
  await buildAll();
  writeFileSync(stamp, sources);
}

async function buildAll() {
  await Promise.all([compileProgram(), compile('web/pay/tsconfig.json').then(bundle), buildSdk(), buildCli()]);
  const contracts = 'src/sandbox/evm/contracts';
  const filter = (path) => !path.endsWith('.ts');
  cpSync(join(root, contracts), join(dist, contracts), { recursive: true, filter });
}

/** The program with its tools and tests: all of them, or those that need no packages besides. */
async function compileProgram() {
  if (hasTestPackages) {
    await compile('tsconfig.json');
    linkTestPackages();
    return;
  }
  const { exclude, ...tsconfig } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  const apart = [SYSTEM, SLOW, CLIENTS, LIGHTHOUSE].flat().map((name) => `test/${name}`);
  const without = [...exclude, ...apart, 'test/doubles/solana', 'test/doubles/tron'].map((path) => `../${path}`);
  mkdirSync(dist, { recursive: true });
  const include = tsconfig.include.map((path) => `../${path}`);
  writeFileSync(
    join(dist, 'tsconfig.json'),
    JSON.stringify({ extends: '../tsconfig.json', include, exclude: without }),
  );
  await compile('dist/tsconfig.json');
}

/**
 * Where the compiled tests find what test/package.json names, and not what that brings along: of it we have our own.
 */
function linkTestPackages() {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'test/package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    const link = join(dist, 'test/node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(relative(dirname(link), join(root, 'test/node_modules', name)), link);
  }
}

/** For `import` and for `require`; a package.json says which the second is. */
async function buildSdk() {
  await compile(`${SDK}/tsconfig.json`);
  await compile(`${SDK}/tsconfig.cjs.json`);
  writeFileSync(join(sdkDist, 'cjs', 'package.json'), '{ "type": "commonjs" }\n');
}

/** One file, which needs Node alone: `npx` has nothing else to bring. */
async function buildCli() {
  await compile(`${CLI}/tsconfig.json`);
  const { rolldown } = await import('rolldown');
  const { version } = JSON.parse(readFileSync(join(root, CLI, 'package.json'), 'utf8'));
  const bundle = await rolldown({
    input: join(root, CLI, 'src/main.ts'),
    platform: 'node',
    resolve: { alias: { '#sdk': join(root, SDK, 'src/index.ts') } },
    transform: { define: { VERSION: JSON.stringify(version) } },
  });
  const file = join(cliDist, 'turnpike.js');
  await bundle.write({ file, format: 'esm', banner: '#!/usr/bin/env node' });
  await bundle.close();
  chmodSync(file, 0o755);
}

async function compile(project) {
  // The native compiler emits the same in a third of the time; eslint and some tests need the other one's API.
  const tsc = join(root, 'node_modules', 'typescript-native', 'bin', 'tsc');
  const child = spawn(process.execPath, [tsc, '-p', join(root, project)], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) process.exit(code ?? 1); // tsc has printed the reason.
}

async function bundle() {
  // Whatever it is where the program is built: what is served to people is never made for development.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  for (const face of ['console', 'operator'])
    await build({ configFile: join(root, 'web', face, 'vite.config.ts'), logLevel: 'warn' });
}

/** A hash of the paths and contents of these files and of all files below these folders. */
function hashOf(paths) {
  const hash = createHash('sha256');
  const add = (path) => {
    const full = join(root, path);
    if (!existsSync(full)) return;
    if (statSync(full).isDirectory()) for (const name of readdirSync(full).sort()) add(join(path, name));
    else hash.update(`${path}\0`).update(readFileSync(full)).update('\0');
  };
  for (const path of paths) add(path);
  return hash.digest('hex');
}
