// `npm run commits:check [-- BASE]`: checks commits against the form that CONTRIBUTING.md requires, from BASE, or from
// the commit that introduced the rule. It needs no build.

import { execFileSync } from 'node:child_process';

/** The last commit before the rule: commits up to it are not checked. */
const SINCE = 'd484eec042d83a14bf4bc53f70095822a00b0683';
const TYPES = ['build', 'chore', 'ci', 'docs', 'feat', 'fix', 'perf', 'refactor', 'revert', 'style', 'test'];
/** Changes that affect a merchant or an operator have to say why. */
const NEED_A_BODY = ['feat', 'fix'];
const MAX_COLUMNS = 72;

const FORM = new RegExp(`^(${TYPES.join('|')})(\\([a-z0-9-]+(?:, ?[a-z0-9-]+)*\\))?!?: \\S`);

/** The faults of a commit message, one readable line each; empty if there are none. */
export function faultsOf(message: string): string[] {
  const [subject = '', ...rest] = message.split('\n');
  const type = FORM.exec(subject)?.[1];
  const faults: string[] = [];
  const columns = [...subject].length;
  if (columns > MAX_COLUMNS) faults.push(`the subject has ${columns} columns, more than ${MAX_COLUMNS}`);
  if (type === undefined)
    faults.push(`the subject is not "type: what it does", the type being one of ${TYPES.join(', ')}`);
  if (subject.endsWith('.')) faults.push('the subject ends with a full stop');
  if (rest.length > 0 && rest[0] !== '') faults.push('no empty line stands between the subject and the body');
  if (NEED_A_BODY.includes(type ?? '') && !rest.some(isText)) faults.push(`a ${type} needs a body that says why`);
  return faults;
}

/** Whether a line of a message is text: neither empty nor a trailer such as `Signed-off-by: …`. */
const isText = (line: string): boolean => line.trim() !== '' && !/^[A-Z][\w-]+-by: /.test(line);

/** The result of checking a repository's commits. */
export interface Outcome {
  /** The lines to print. */
  readonly lines: readonly string[];
  readonly failed: boolean;
}

/**
 * Checks the commits of a folder's repository since `base`, except merges. If there is no repository, or its history
 * does not reach back to `SINCE`, there is nothing to check, and the outcome says so. A base that the caller names has
 * to exist.
 */
export function checkCommits(folder: string, base?: string): Outcome {
  const git = (...args: string[]): string | null => {
    try {
      return execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    } catch {
      return null;
    }
  };
  if (git('rev-parse', '--git-dir') === null) return passed('No git repository here: no commits to look at');
  const from = base ?? SINCE;
  // A shallow clone has the base as a commit without parents, or not at all.
  if (git('merge-base', '--is-ancestor', `${from}^{commit}`, 'HEAD') === null) {
    if (base !== undefined) return { lines: [`${base} is no commit that HEAD comes from`], failed: true };
    return passed(`The history here does not reach back to ${from}: no commits to look at`);
  }
  const log = git('log', '--no-merges', '--reverse', '--format=%h%n%B%x00', `${from}..HEAD`);
  if (log === null) return { lines: [`git log ${from}..HEAD failed`], failed: true };
  const commits = log
    .split('\0')
    .map((commit) => commit.trim())
    .filter((commit) => commit !== '');
  const lines = commits.flatMap((commit) => {
    const [id = '', subject = ''] = commit.split('\n');
    return faultsOf(commit.slice(id.length + 1)).map((fault) => `${id} ${subject}: ${fault}`);
  });
  if (lines.length > 0) return { lines, failed: true };
  return passed(`${commits.length} commits since ${from} are as they should be`);
}

const passed = (line: string): Outcome => ({ lines: [line], failed: false });

if (import.meta.main) {
  const { lines, failed } = checkCommits(process.cwd(), process.argv[2]);
  for (const line of lines) (failed ? console.error : console.log)(line);
  if (failed) process.exitCode = 1;
}
