// `npm run dependencies:check`: its complaints about made-up trees, with and without each fault.

import { describe, expect, it } from '@jest/globals';
import { faultsOf, usesIn, type Tree } from '../../scripts/check-dependencies.ts';

/** Kept apart from the names below, because the check reads this file too. */
const INSTALLED = 'node_modules';
const file = (path: string, text: string) => ({ path, text });
const of = (tree: Partial<Tree>) => faultsOf({ manifest: {}, sources: [], ...tree });
const names = (text: string, path = 'src/a.ts') => usesIn(file(path, text)).map((use) => use.name);

describe('a package that no file uses', () => {
  it.each(['dependencies', 'devDependencies', 'optionalDependencies'])('is a fault among %s', (group) => {
    expect(of({ manifest: { [group]: { left: '1.0.0' } } })).toEqual(['left is declared, and no file uses it']);
  });

  it.each([
    ['a script runs its command', { manifest: { scripts: { lint: 'a && left .' } }, commandsOf: () => ['left'] }],
    ['a script names its file', { manifest: { scripts: { test: `node ${INSTALLED}/left/bin/left.js` } } }],
    ['a source names its file', { sources: [file('scripts/a.js', `join('${INSTALLED}/left/bin')`)] }],
    [
      'a tsconfig takes its types',
      { sources: [file('tsconfig.json', '{"compilerOptions":{"types":["left/client"]}}')] },
    ],
    ['it is an exception', { exceptions: { left: 'a reason' } }],
  ])('is none where %s', (_, tree: Partial<Tree>) => {
    expect(of({ ...tree, manifest: { ...tree.manifest, devDependencies: { left: '1.0.0' } } })).toEqual([]);
  });

  it('is one also where another package is named alike', () => {
    const sources = [file('src/a.ts', "import 'left-pad';")];
    expect(of({ manifest: { dependencies: { left: '1', 'left-pad': '1' } }, sources })).toHaveLength(1);
  });
});

describe('a package that is imported', () => {
  it('is a fault where it is not declared', () => {
    expect(of({ sources: [file('test/a.ts', "import { x } from '@scope/name/part';")] })).toEqual([
      '@scope/name is imported by test/a.ts, and package.json does not declare it',
    ]);
  });

  it('is a fault where the product needs what is there for tests only', () => {
    const manifest = { devDependencies: { left: '1.0.0' } };
    const product = [file('src/a.ts', "import { x } from 'left';")];
    expect(of({ manifest, sources: product })).toEqual(['left is a devDependency, and src/a.ts needs it at run time']);
    expect(of({ manifest, sources: [file('src/a.ts', "import type { X } from 'left';")] })).toEqual([]);
    expect(of({ manifest, sources: [file('web/console/a.tsx', "import { x } from 'left';")] })).toEqual([]);
  });

  it('is a fault where only tests use what every deployment installs', () => {
    const sources = [file('test/a.ts', "import { x } from 'left';")];
    expect(of({ manifest: { dependencies: { left: '1.0.0' } }, sources })).toEqual([
      'left is used by tests and tools only: it belongs in devDependencies',
    ]);
  });
});

describe('a package of test/package.json', () => {
  const tests = { dependencies: { left: '1.0.0' } };
  const imports = "import { x } from 'left';";

  it('is for files below test/ alone', () => {
    expect(of({ tests, sources: [file('test/web/a.ts', imports)] })).toEqual([]);
    expect(of({ tests, sources: [file('demo/a.ts', imports)] })).toEqual([
      'left is declared in test/package.json, and no test uses it',
      'left is imported by demo/a.ts, and package.json does not declare it',
    ]);
  });

  it('is a fault where everybody installs it anyway', () => {
    const sources = [file('test/a.ts', imports)];
    expect(of({ tests, manifest: { devDependencies: { left: '1.0.0' } }, sources })).toEqual([
      'left is declared more than once',
    ]);
  });
});

it.each([
  ["import { a } from 'x';", ['x']],
  ["import type { A } from 'x/y';", ['x']],
  ["export * from '@s/x/y';", ['@s/x']],
  ["let a: import('x').A;", ['x']],
  ["await import('x/y');", ['x']],
  ["createRequire(import.meta.url).resolve('x/package.json');", ['x']],
  ['createRequire(import.meta.url).resolve(`x/${name}`);', ['x']],
  ["const require = createRequire(import.meta.url); require('x');", ['x']],
  ["createRequire(join(root, 'tools/package.json'))('x');", []],
  ["require('IS_A_FUNCTION_OF_OURS');", []],
  ["path.resolve('x');", []],
  ["import a from 'node:fs'; import b from 'fs'; import c from './x.ts'; import 'virtual:y.css';", []],
  ["// import 'x';", []],
])('%s names %j', (text, expected) => {
  expect(names(text)).toEqual(expected);
});

it('types of a package are used where the package is', () => {
  const devDependencies = { '@types/left': '1', '@types/s__x': '1', '@types/right': '1', left: '1', '@s/x': '1' };
  const sources = [file('test/a.ts', "import 'left'; import '@s/x';")];
  expect(of({ manifest: { devDependencies }, sources })).toEqual(['@types/right is declared, and no file uses it']);
});

it('an exception that is no longer needed is a fault', () => {
  const sources = [file('src/a.ts', "import 'left';")];
  const exceptions = { left: 'a reason', gone: 'a reason' };
  expect(of({ manifest: { dependencies: { left: '1.0.0' } }, sources, exceptions })).toEqual([
    'gone is an exception of the check, and package.json does not declare it',
    'left is an exception of the check, and needs none: a file imports it',
  ]);
});
