// Guards the structure of the tree: no import cycles, limited folder sizes, tests at the path of their subject. Each
// rule is shown to find a planted fault.

import { describe, expect, it } from '@jest/globals';
import { join, posix } from 'node:path';
import { readSources, ROOT } from '../support/sources.ts';
import { circles, crowdedFolders, folderBreaches, FOLDERS, misplacedTests } from './structure.fixture.ts';

const SCRIPTS = /\.tsx?$/;
const sources = ['src', 'sdk', 'cli', 'web', 'bench', 'chaos', 'demo', 'fuzz', 'scripts', 'test'].flatMap((folder) =>
  readSources(folder, SCRIPTS),
);
const paths = sources.map(({ path }) => path);
const folders = new Set(paths.flatMap(foldersOf));
const file = (path: string, text: string) => ({ path, text });

/** The folder of a path and all its parent folders. */
function foldersOf(path: string): string[] {
  const parts = posix.dirname(path).split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

describe('the structure', () => {
  it('has no circle of files, types counted', () => {
    expect(sources.length).toBeGreaterThan(1_000);
    expect(circles(sources)).toEqual([]);
  });

  it('inside a room, folders import those that the table allows', () => {
    expect(folderBreaches(sources)).toEqual([]);
  });

  it('the table of folders has no circle, and no folder that does not exist', () => {
    for (const [room, rows] of Object.entries(FOLDERS)) {
      const rest = new Map(Object.entries(rows).filter(([folder]) => folder !== '.'));
      for (let size = -1; size !== rest.size;) {
        size = rest.size;
        for (const [folder, seen] of rest) if (!seen.some((other) => rest.has(other))) rest.delete(folder);
      }
      expect([room, [...rest.keys()]]).toEqual([room, []]);
      const missing = Object.keys(rows).filter((folder) => !folders.has(posix.join('src', room, folder)));
      expect([room, missing.filter((folder) => folder !== 'evm/contracts')]).toEqual([room, []]);
    }
  });

  it('has no folder with too many files, and none in the disguise of a prefix', () => {
    expect(crowdedFolders(paths)).toEqual([]);
  });

  it('has tests where their subjects are, and helpers that are named so', () => {
    const tests = paths.filter((path) => path.startsWith('test/'));
    expect(misplacedTests(tests, folders)).toEqual([]);
  });

  it('exempts few files from the limit on the length of functions, and those are there', async () => {
    const { FILES_WITH_LONG_FUNCTIONS } = (await import(join(ROOT, 'tools/long-functions.js'))) as Record<
      'FILES_WITH_LONG_FUNCTIONS',
      string[]
    >;
    expect(FILES_WITH_LONG_FUNCTIONS.length).toBeLessThanOrEqual(5);
    expect(paths).toEqual(expect.arrayContaining(FILES_WITH_LONG_FUNCTIONS));
  });
});

describe('a planted fault is found', () => {
  it('in a circle by a type, a circle of three, and not in a line', () => {
    const planted = [
      file('src/domain/a.ts', "import type { B } from './b.ts';"),
      file('src/domain/b.ts', "import { a } from './a.ts';"),
      file('src/chain/c.ts', "export * from './d.ts';"),
      file('src/chain/d.ts', "const e = await import('./e.ts');"),
      file('src/chain/e.ts', "import './c.ts'; import '../domain/a.ts';"),
    ];
    expect(circles(planted)).toEqual([
      ['src/domain/a.ts', 'src/domain/b.ts'],
      ['src/chain/c.ts', 'src/chain/d.ts', 'src/chain/e.ts'],
    ]);
    expect(circles(planted.slice(2, 4))).toEqual([]);
  });

  it.each([
    ['src/domain/ledger/a.ts', "import type { B } from '../payouts/b.ts';", /ledger may import: mail, rates/],
    ['src/custody/keys/a.ts', "import { b } from '../utxo/b.ts';", /src\/custody\/utxo\/b.ts; keys may import/],
    ['src/domain/others/a.ts', '', /the folder "others" has no row in the table of domain/],
  ])('in %s: %s', (path, text, message) => {
    expect(folderBreaches([file(path, text)])).toEqual([expect.stringMatching(message)]);
  });

  it('but not where a folder imports its room, or another room', () => {
    const text = "import { a } from '../deps.ts'; import { b } from '../../database/clock.ts'; import 'pg';";
    expect(folderBreaches([file('src/domain/ledger/a.ts', text)])).toEqual([]);
  });

  it('in a folder of nineteen files, and in three that begin alike', () => {
    const many = Array.from({ length: 19 }, (_, nth) => `src/a/file${nth}.ts`);
    expect(crowdedFolders(many)).toEqual(['src/a has 19 files; 18 at most']);
    expect(crowdedFolders(many.slice(1))).toEqual([]);
    const alike = ['src/b/live-a.ts', 'src/b/live-b.test.ts', 'src/b/live-c.ts', 'src/b/live.ts'];
    expect(crowdedFolders(alike)).toEqual(['src/b: live-… are a folder']);
    expect(crowdedFolders(alike.slice(1))).toEqual([]);
  });

  it('in a test elsewhere than its subject, and in a helper without its name', () => {
    const subjects = new Set(['src/domain', 'src/domain/ledger']);
    const planted = ['test/domain/ledger/a.test.ts', 'test/domain/money/b.test.ts', 'test/domain/c.ts'];
    expect(misplacedTests([...planted, 'test/support/d.ts', 'test/api/e/200.test.ts'], subjects)).toEqual([
      'test/domain/money/b.test.ts: src/domain/money does not exist',
      'test/domain/c.ts: helpers of tests are *.fixture.ts',
    ]);
  });
});
