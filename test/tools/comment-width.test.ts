// The lint rule for the width of comments finds each wide line, ignores code, and wraps what it can.

import { expect, it } from '@jest/globals';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../support/sources.ts';

const WORD = 'word ';
/** A line of words that begins with `start` and has this many columns. */
const ofColumns = (start: string, columns: number): string =>
  `${start}${WORD.repeat(columns)}`.slice(0, columns - 1) + '.';

/** What is used of ESLint, which is a package of tools/. */
interface Linter {
  verify(text: string, config: object): readonly { readonly line: number }[];
  verifyAndFix(text: string, config: object): { readonly output: string };
}
const { Linter } = createRequire(join(ROOT, 'tools/package.json'))('eslint') as { Linter: new () => Linter };

/** Runs the rule alone. It is loaded by its path, because the build does not copy programs that are not compiled. */
async function config(): Promise<object> {
  const path = pathToFileURL(join(ROOT, 'tools/comment-width.js')).href;
  const { commentWidth } = (await import(path)) as { commentWidth: object };
  return {
    plugins: { local: { rules: { 'comment-width': commentWidth } } },
    rules: { 'local/comment-width': 'error' },
  };
}

it.each([
  ['a line of 120 columns', ofColumns('// ', 120), []],
  ['a line of 121', ofColumns('// ', 121), [1]],
  ['letters that take several bytes', ofColumns('// é…é ', 120), []],
  ['lines within a block', `/**\n${ofColumns(' * ', 121)}\n * narrow\n${ofColumns(' * ', 130)}\n */`, [2, 4]],
  ['a comment after code', ofColumns('const a = 1; // ', 121), [1]],
  ['code and text, which are prettier’s business', `const a = '${ofColumns('// ', 130)}';`, []],
  ['one long word', `// https://example.com/${'a'.repeat(120)}`, []],
])('%s', async (_, text, lines) => {
  const found = new Linter().verify(text, await config());
  expect(found.map(({ line }) => line)).toEqual(lines);
});

const LONG = ofColumns('', 110);

it.each([
  ['goes on in the line after it', `// ${LONG} one two\n// three.`, `// ${LONG} one\n// two three.`],
  ['goes on in a line of its own', `// ${LONG} one two\nf();`, `// ${LONG} one\n// two\nf();`],
  ['leaves the item after it', `// - ${LONG} a two\n// - b`, `// - ${LONG} a\n//   two\n// - b`],
  ['leaves an empty line', `/*\n * ${LONG} one two\n *\n * b\n */`, `/*\n * ${LONG} one\n * two\n *\n * b\n */`],
  ['gets a block', `  /** ${LONG} a two */`, `  /**\n   * ${LONG} a\n   * two\n   */`],
  ['stays after code', `f(); // ${LONG} a two`, `f(); // ${LONG} a two`],
])('a wide line that is mended %s', async (_, text, mended) => {
  expect(new Linter().verifyAndFix(text, await config()).output).toBe(mended);
});
