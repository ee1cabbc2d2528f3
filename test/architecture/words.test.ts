// Holds names and comments to the glossary's words. Each rule is shown to find a planted fault.

import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSources, ROOT } from '../support/sources.ts';
import { bannedWords, glossaryWords, twiceExplained, unexplainedNames } from './words.fixture.ts';

const glossary = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8');

describe('words', () => {
  it('every folder and file of src is named by a word of the glossary', () => {
    const paths = readSources('src', /\.ts$/).map(({ path }) => path);
    expect(paths.length).toBeGreaterThan(400);
    expect(unexplainedNames(paths, glossary)).toEqual([]);
  });

  it('a word has one meaning, or each of its rows says where', () => {
    expect(glossaryWords(glossary).length).toBeGreaterThan(200);
    expect(twiceExplained(glossary)).toEqual([]);
  });

  it('comments do without the words that hide who does what', () => {
    const sources = ['src', 'sdk', 'cli', 'web', 'bench', 'chaos', 'demo', 'fuzz', 'scripts', 'test'].flatMap(
      (folder) => readSources(folder, /\.(tsx?|css|html)$/),
    );
    // This file has them planted.
    expect(bannedWords(sources.filter(({ path }) => path !== 'test/architecture/words.test.ts'))).toEqual([]);
  });
});

describe('a planted fault is found', () => {
  const table = [
    '| Word | Meaning |',
    '| ---- | ------- |',
    '| account (ledger) | … |',
    '| in-flight, entry | … |',
    '| queue | … |',
  ].join('\n');

  it('in a file and in a folder without a row', () => {
    const paths = [
      'src/ledger/accounts.ts',
      'src/queues/in-flight.ts',
      'src/entries/admission-queue.ts',
      'src/main.ts',
    ];
    expect(unexplainedNames(paths, table)).toEqual(['ledger (src/ledger/accounts.ts)']);
    expect(unexplainedNames(['src/queues/turnstile.ts'], table)).toEqual(['turnstile (src/queues/turnstile.ts)']);
  });

  it('in a word with two rows', () => {
    expect(twiceExplained(`${table}\n| account (derivation) | … |\n| Queue | … |`)).toEqual(['queue']);
  });

  it.each([
    ['// Whoever was shed has no row', 'Whoever'],
    ['const a = 1; // his key', 'his'],
    [' * the path, where it is none', 'is none'],
    ["run(/* nobody's */ 2);", "nobody's"],
    ['-- what he asked for', 'he'],
  ])('in the comment %s', (text, word) => {
    expect(bannedWords([{ path: 'src/a.ts', text: `\n${text}` }])).toEqual([`src/a.ts:2: ${word}`]);
  });

  it('but not in code, nor in texts', () => {
    const text =
      "const his = 'whoever'; // theirs\nconst url = 'https://he.example';\n// the history; null if there is none";
    expect(bannedWords([{ path: 'src/a.ts', text }])).toEqual([]);
  });
});
