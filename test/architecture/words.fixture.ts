// The words of the tree as rules: each has its row in the glossary, and comments do without those of a private idiom.

import { posix } from 'node:path';
import type { Source } from '../support/sources.ts';

/** Words that comments do without: they stand for a caller or a merchant ("they"), or hide who does what. "There is
 * none" is plain. */
export const BANNED = /\b(whoever|whomever|nobody's|he|his|him|himself|(?<!there )(?:is|are) none)\b/i;

/** A comment of TypeScript, of CSS or of SQL: a whole line, or the end of one. */
const COMMENT = /^\s*(?:\/\/|\/?\*+|--)(?<whole>.*)$|\s\/\/ (?<end>.*)$|\/\* (?<inline>.*?)\*\//;

/** Comments with a banned word, each as `path:line: word`. */
export function bannedWords(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const { whole, end, inline } = COMMENT.exec(line)?.groups ?? {};
      const word = BANNED.exec(whole ?? end ?? inline ?? '')?.[0];
      return word === undefined ? [] : [`${path}:${index + 1}: ${word}`];
    }),
  );
}

/** The words that the tables of the glossary explain, with their context: `account (ledger)`. Lower case. */
export function glossaryWords(glossary: string): string[] {
  const rows = glossary.matchAll(/^\| (?<words>[^|]+?) *\|/gm);
  return [...rows]
    .flatMap(({ groups }) => (groups?.words ?? '').split(/, (?![^(]*\))/))
    .map((word) => word.trim().toLowerCase())
    .filter((word) => word !== 'word' && !/^-+$/.test(word));
}

/** Words that have two rows without a context that tells them apart. */
export function twiceExplained(glossary: string): string[] {
  const words = glossaryWords(glossary);
  return words.filter((word, index) => words.indexOf(word) !== index);
}

/** Folders of src, and files of it by the last word of their names, that the glossary does not explain. */
export function unexplainedNames(paths: readonly string[], glossary: string): string[] {
  const words = new Set(glossaryWords(glossary).map((word) => word.replace(/ \(.*\)$/, '').replaceAll(' ', '-')));
  const isKnown = (name: string) => {
    const last = name.split('-').at(-1) ?? name;
    return [name, last].some((word) => singulars(word).some((one) => words.has(one)));
  };
  const names = paths.flatMap((path) => {
    const [, ...folders] = posix.dirname(path).split('/');
    const file = posix.basename(path).replace(/\..*$/, '').replace(/^\d+-/, '');
    return [...folders.map((folder) => [folder, path] as const), ...(isEntry(file) ? [] : [[file, path] as const])];
  });
  return [...new Set(names.filter(([name]) => !isKnown(name)).map(([name, path]) => `${name} (${path})`))];
}

/** Names that mean their folder, or the program. */
const isEntry = (file: string): boolean => file === 'index' || file === 'main';

/** A word as it is, and what it may be the plural of. */
function singulars(word: string): string[] {
  return [word, word.replace(/s$/, ''), word.replace(/es$/, ''), word.replace(/ies$/, 'y')];
}
