// Checks invariants against the evidence and returns the result of each.

import { Violation } from './invariants/violation.ts';

interface RuleOf<Evidence> {
  readonly words: string;
  readonly breach: (evidence: Evidence) => string | null;
}

/** Reports for every rule whether it holds. Throws `Violation` for the first that does not. */
export function judge<Evidence>(
  rules: readonly RuleOf<Evidence>[],
  evidence: Evidence,
  say: (line: string) => void,
): void {
  const found = rules.map(({ words, breach }) => ({ words, breach: breach(evidence) }));
  for (const { words, breach } of found) say(`${breach === null ? '✓' : '✗'} ${words}`);
  const broken = found.find(({ breach }) => breach !== null);
  if (broken?.breach != null) throw new Violation(broken.breach);
}
