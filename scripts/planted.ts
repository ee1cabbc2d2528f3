// `npm run planted`: shows that the tests can fail. Each patch in mutations/ plants a fault in a copy of the tree, and
// the test that it names must catch it.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const USAGE = 'Usage: npm run planted [-- NAME…]   (the names of patches in mutations/; all of them by default)\n';
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PATCHES = join(ROOT, 'mutations');
const COPIED = [
  'src',
  'test',
  'demo',
  'bench',
  'web',
  'dist',
  'schema',
  'docs',
  'scripts',
  'package.json',
  'tsconfig.json',
  'jest.config.js',
];

/** A patch: the fault that it plants, and the test that must catch it. */
interface Fault {
  readonly name: string;
  readonly path: string;
  readonly says: string;
  /** A file below test/. */
  readonly file: string;
  /** The test's name, or the end of it. */
  readonly test: string;
}

/** The parts that are read of what jest writes with `--json`. */
interface Report {
  readonly testResults: readonly {
    /** The compiled file. */
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

function readFault(name: string): Fault {
  const path = join(PATCHES, `${name}.patch`);
  const head = readFileSync(path, 'utf8').split('\ndiff ')[0] ?? '';
  const field = (label: string) => {
    const found = new RegExp(`^${label}: (.+)$`, 'm').exec(head)?.[1];
    if (found === undefined) throw new Error(`${name}.patch has no line "${label}: …" above its diff`);
    return found;
  };
  return { name, path, says: field('Fault'), file: field('File'), test: field('Test') };
}

/** A copy of the tree that may be damaged; it shares the packages of the original. */
function copyTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'turnpike-planted-'));
  const filter = (path: string) => !path.endsWith('/node_modules') || path.startsWith(join(ROOT, 'dist'));
  for (const entry of COPIED) {
    if (existsSync(join(ROOT, entry))) cpSync(join(ROOT, entry), join(copy, entry), { recursive: true, filter });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

const asPattern = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

/** The results of the faults' tests in the copy, in the order of the faults; null if there is no such test. */
function runTests(copy: string, faults: readonly Fault[]): (string | null)[] {
  const output = join(copy, 'report.json');
  rmSync(output, { force: true });
  const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const files = faults.map(({ file }) => asPattern(file.replace(/\.ts$/, '')));
  const names = faults.map(({ test }) => asPattern(test));
  const which = ['--testPathPatterns', files.join('|'), '--testNamePattern', `(${names.join('|')})$`];
  spawnSync(process.execPath, [...jest, ...which, '--json', '--outputFile', output], {
    cwd: copy,
    stdio: 'ignore',
    timeout: 900_000, // longer than a test's time limit, so that a hanging test fails
  });
  if (!existsSync(output)) return faults.map(() => null);
  const { testResults } = JSON.parse(readFileSync(output, 'utf8')) as Report;
  return faults.map(({ file, test }) => {
    const ran = testResults.filter(({ name }) => name.endsWith(file.replace(/\.ts$/, '.js')));
    const mine = ran
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ fullName, status }) => fullName.endsWith(test) && status !== 'pending');
    if (mine.length === 0) return null;
    return mine.some(({ status }) => status === 'failed') ? 'failed' : 'passed';
  });
}

/** Applies the patch and compiles the changed files; returns a function that takes it back. */
function plant(copy: string, { path }: Fault): () => void {
  const git = (...options: string[]) =>
    execFileSync('git', ['apply', ...options, path], {
      cwd: copy,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const files = git('--numstat')
    .trim()
    .split('\n')
    .map((line) => line.split('\t')[2] ?? '');
  const before = new Map(files.map((file) => [file, readFileSync(join(copy, file), 'utf8')]));
  git();
  compile(copy, files);
  return () => {
    for (const [file, text] of before) writeFileSync(join(copy, file), text);
    compile(copy, files);
  };
}

/** Compiles these files alone and without type checking, which `isolatedModules` allows: no whole build. */
function compile(copy: string, files: readonly string[]): void {
  const project = join(copy, 'tsconfig.planted.json');
  const compilerOptions = { noCheck: true, noResolve: true, sourceMap: false };
  writeFileSync(project, JSON.stringify({ extends: './tsconfig.json', compilerOptions, include: [], files }));
  execFileSync(process.execPath, ['node_modules/typescript-native/bin/tsc', '-p', project], { cwd: copy });
}

/** Plants the fault; null if the patch does not apply. */
function tryToPlant(copy: string, fault: Fault): (() => void) | null {
  try {
    return plant(copy, fault);
  } catch (error) {
    if (error instanceof Error && 'stderr' in error) return null;
    throw error;
  }
}

/** Whether the fault is caught: its test, which passed without it (`sound`), fails with it. */
function isCaught(copy: string, fault: Fault, sound: string | null): boolean {
  const say = (text: string) => void process.stdout.write(`${text}\n`);
  const where = `${fault.file} › ${fault.test}`;
  if (sound !== 'passed') {
    say(`✗ ${fault.name}: without the fault the test ${sound === null ? 'does not exist' : 'fails'}: ${where}`);
    return false;
  }
  const takeBack = tryToPlant(copy, fault);
  if (takeBack === null) {
    say(`✗ ${fault.name}: the patch no longer applies to the sources`);
    return false;
  }
  const [status] = runTests(copy, [fault]);
  takeBack();
  const caught = status === 'failed';
  say(`${caught ? '✓' : '✗'} ${fault.name}: ${fault.says}\n    ${caught ? 'caught by' : 'NOT caught by'} ${where}`);
  return caught;
}

function main(names: readonly string[]): number {
  const all = readdirSync(PATCHES)
    .filter((file) => file.endsWith('.patch'))
    .map((file) => file.slice(0, -'.patch'.length))
    .sort();
  if (names.some((name) => !all.includes(name))) {
    process.stderr.write(`${USAGE}There are: ${all.join(', ')}\n`);
    return 2;
  }
  const faults = (names.length > 0 ? names : all).map(readFault);
  const copy = copyTree();
  try {
    const sound = runTests(copy, faults);
    const caught = faults.filter((fault, nth) => isCaught(copy, fault, sound[nth] ?? null)).length;
    process.stdout.write(`${String(caught)} of ${String(faults.length)} planted faults were caught\n`);
    return caught === faults.length ? 0 : 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

process.exitCode = main(process.argv.slice(2));
