// Guards the upkeep of the repository: no skipped tests, no open to-dos, a first comment in every file, exact versions.

import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSources, ROOT, type Source } from '../support/sources.ts';

const tests = readSources('test');
const everything = [
  ...['src', 'sdk', 'cli', 'web', 'bench', 'demo', 'chaos', 'fuzz', 'scripts'].flatMap((folder) =>
    readSources(folder, /\.(ts|js|html|css|sol)$/),
  ),
  ...tests,
];

const LEFT_OUT =
  /\b(?:describe|it|test)(?:\s*\.\s*\w+)*\s*\.\s*(?:only|skip|todo|failing)\b|^\s*(?:f(?:describe|it)|x(?:describe|it|test))\s*[.(]/;
const LEFT_UNDONE = /\b(?:T[O]DO|FIX[M]E)\b/;

/** The lines of the sources that match, as `path:line: text`. */
function linesThatMatch(sources: readonly Source[], pattern: RegExp): string[] {
  return sources.flatMap(({ path, text }) =>
    text
      .split('\n')
      .map((line, index) => ({ line, at: `${path}:${index + 1}` }))
      .filter(({ line }) => pattern.test(line))
      .map(({ line, at }) => `${at}: ${line.trim()}`),
  );
}

describe('upkeep', () => {
  it('no test is skipped, focused or left for later', () => {
    expect(tests.length).toBeGreaterThan(0);
    expect(linesThatMatch(tests, LEFT_OUT)).toEqual([]);
  });

  it('no source says that something is still to be done', () => {
    expect(linesThatMatch(everything, LEFT_UNDONE)).toEqual([]);
  });

  it('every file of the product opens with a comment that says what it is for', () => {
    const silent = readSources('src').filter(({ text }) => !/^(\/\/ |\/\*\*? )\S/.test(text));
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  it('every version in package.json is exact', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;
    const versions = ['dependencies', 'devDependencies', 'optionalDependencies', 'overrides'].flatMap((group) =>
      Object.entries((manifest[group] ?? {}) as Record<string, string>),
    );
    expect(versions.length).toBeGreaterThan(0);
    expect(versions.filter(([, version]) => !/^(npm:[a-z-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  it.each(['it' + '.only(', 'describe' + '.skip(', 'it.concurrent' + '.skip.each(', 'x' + 'it(', 'test' + '.todo('])(
    'a test written as %s would be found',
    (text) => {
      expect(linesThatMatch([{ path: 'test/a.test.ts', text }], LEFT_OUT)).toHaveLength(1);
    },
  );
});
