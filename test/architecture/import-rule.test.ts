// Guards the import rule of the design: which room may import which, that the api role never reaches a secret, and
// where the environment is read. The table itself is ROOMS in rules.fixture.ts.

import { describe, expect, it } from '@jest/globals';
import { breaches, environmentReads, ROOMS, waysToCustody } from './rules.fixture.ts';
import { readSources } from '../support/sources.ts';

const sources = [
  ...[...readSources('src'), ...readSources('web/pay'), ...readSources('sdk/typescript/src')],
  ...readSources('cli/src'),
  ...[...readSources('web/console', /\.tsx?$/), ...readSources('web/operator', /\.tsx?$/)],
];

describe('the import rule', () => {
  it('every import names a room that its own room may see', () => {
    expect(sources.length).toBeGreaterThan(0);
    expect(breaches(sources)).toEqual([]);
  });

  it('no code of the api role leads to custody, directly or through others', () => {
    expect(waysToCustody(sources)).toEqual([]);
  });

  it('the environment is read in src/config/config.ts and nowhere else in src', () => {
    // The command line of merchants is a program of its own, on their machines.
    const ours = sources.filter((source) => !source.path.startsWith('cli/'));
    const readers = ours.filter((source) => source.path !== 'src/config/config.ts');
    expect(readers.flatMap(environmentReads)).toEqual([]);
  });

  it('the table has no circle: every room can be built from those it sees', () => {
    const built = new Set<string>();
    const left = new Set(Object.keys(ROOMS));
    for (let size = -1; size !== left.size;) {
      size = left.size;
      for (const name of left) {
        if (ROOMS[name]?.sees.every((seen) => built.has(seen))) {
          built.add(name);
          left.delete(name);
        }
      }
    }
    expect([...left]).toEqual([]);
  });
});

describe('a planted fault is found', () => {
  const file = (path: string, text: string) => ({ path, text });

  it.each([
    ['src/values/a.ts', "import { b } from '../entities/b.ts';", /values may import: no other room/],
    ['src/values/a.ts', "import { Pool } from 'pg';", /imports the package pg/],
    ['src/domain/a.ts', "import { createLoop } from '../loop.ts';", /domain may import: values, entities/],
    ['src/resolvers/a.ts', "import type { B } from '../dispatch/b.ts';", /imports src\/dispatch\/b.ts/],
    ['src/observe/deep/a.ts', "const b = await import('../../custody/b.ts');", /imports src\/custody\/b.ts/],
    ['src/sandbox/a.ts', "export * from '../database/b.ts';", /sandbox may import: values, chain/],
    ['src/rest/a.ts', "type B = import('../domain/b.ts').B;", /rest may import: values/],
    ['src/server/a.ts', "import '../gateway/gateway.ts';", /imports src\/gateway\/gateway.ts/],
    ['src/main.ts', "import { a } from './server/a.ts';", /main.ts may import/],
    ['src/gateway/gateway.ts', "import { a } from '../custody/a.ts';", /loaded by import\(\)/],
    ['src/extras/a.ts', '', /the room "extras" has no row/],
    ['src/rest/a.ts', "import { x } from '../../package.json';", /imports package.json/],
  ])('in %s: %s', (path, text, message) => {
    expect(breaches([file(path, text)])).toEqual([expect.stringMatching(message)]);
  });

  it.each([
    ['src/gateway/gateway.ts', "const a = await import('../custody/a.ts'); import type { B } from '../sandbox/b.ts';"],
    ['src/rest/a.ts', "import { parse } from 'graphql'; import { createHash } from 'node:crypto';"],
    ['src/domain/a.ts', "// import { b } from '../custody/b.ts'\nconst text = \"import '../custody/b.ts'\";"],
  ])('but not where there is none, in %s: %s', (path, text) => {
    expect(breaches([file(path, text)])).toEqual([]);
  });

  it('when the api role reaches custody through another room', () => {
    const planted = [
      file('src/resolvers/a.ts', "import { b } from '../domain/b.ts';"),
      file('src/domain/b.ts', "import { c } from '../database/c.ts';"),
      file('src/database/c.ts', "export const c = () => import('../custody/d.ts');"),
    ];
    expect(waysToCustody(planted)).toContain(
      'src/resolvers/a.ts → src/domain/b.ts → src/database/c.ts → src/custody/d.ts',
    );
  });

  it.each([
    'const a = process.env.PORT;',
    "const a = process['env'];",
    'const { env: a } = process;',
    'const a = globalThis.process.env;',
    "import { env as a } from 'node:process';",
  ])('when the environment is read by: %s', (text) => {
    expect(environmentReads(file('src/server/a.ts', text))).toEqual(['src/server/a.ts:1']);
  });
});
