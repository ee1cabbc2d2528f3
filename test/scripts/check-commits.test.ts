// `npm run commits:check`: its verdict on messages, and on the commits of a repository made for the test.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkCommits, faultsOf } from '../../scripts/check-commits.ts';

const WHY = '\n\nIt was wrong.';
/** A subject of this many columns. */
const ofColumns = (columns: number): string => `docs: ${'é'.repeat(columns - 'docs: '.length)}`;

describe('a message is as it should be', () => {
  it.each([
    ofColumns(72),
    'docs: a subject alone is enough',
    `feat(server)!: sockets are counted${WHY}`,
    `fix(ledger, test): a row is read once${WHY}\n\nReported-by: A Merchant <a@example.com>`,
  ])('%j', (message) => {
    expect(faultsOf(message)).toEqual([]);
  });
});

describe('a message has a fault', () => {
  it.each([
    [ofColumns(73), ['the subject has 73 columns, more than 72']],
    ['sockets are counted', [expect.stringContaining('the subject is not "type: what it does"')]],
    ['feature: sockets are counted', [expect.stringContaining('the subject is not "type: what it does"')]],
    ['docs:no space', [expect.stringContaining('the subject is not "type: what it does"')]],
    ['docs: one sentence.', ['the subject ends with a full stop']],
    ['docs: one\ntwo', ['no empty line stands between the subject and the body']],
    ['feat: sockets are counted', ['a feat needs a body that says why']],
    ['fix(ledger): a row is read once\n\n\n', ['a fix needs a body that says why']],
    ['fix: a row\n\nSigned-off-by: An Author <a@example.com>', ['a fix needs a body that says why']],
  ])('%j', (message, faults) => {
    expect(faultsOf(message)).toEqual(faults);
  });
});

describe('a repository', () => {
  let folder: string;
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
  const commit = (message: string): string => {
    git('commit', '--quiet', '--allow-empty', '--cleanup=verbatim', '-m', message);
    return git('rev-parse', 'HEAD');
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'turnpike-commits-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('that does not exist has no commits to look at', () => {
    const { lines, failed } = checkCommits(folder);
    expect(failed).toBe(false);
    expect(lines).toEqual([expect.stringContaining('No git repository')]);
  });

  it('is judged by its commits since the base, merges aside', () => {
    git('init', '--quiet', '--initial-branch=main');
    git('config', 'user.name', 'A Tester');
    git('config', 'user.email', 'tester@example.com');
    const old = commit('what nobody asked for then');
    commit('docs: a good one');
    expect(checkCommits(folder, old)).toEqual({
      lines: [`1 commits since ${old} are as they should be`],
      failed: false,
    });

    git('checkout', '--quiet', '-b', 'side', old);
    commit(`fix: another good one${WHY}`);
    git('checkout', '--quiet', 'main');
    git(
      'merge',
      '--quiet',
      '--no-ff',
      'side',
      '-m',
      "Merge branch 'side', whose subject is of git's own making and longer than it may be",
    );
    expect(checkCommits(folder, old)).toMatchObject({ failed: false });

    const planted = commit('fix: a planted one');
    const { lines, failed } = checkCommits(folder, old);
    expect(failed).toBe(true);
    expect(lines).toEqual([expect.stringMatching(/^[0-9a-f]+ fix: a planted one: a fix needs a body that says why$/)]);
    expect(planted.startsWith(lines[0]?.split(' ')[0] ?? '-')).toBe(true);
    expect(checkCommits(folder, planted)).toMatchObject({ failed: false });
  });

  it('that does not reach back to where the rule begins passes and says so; a base that a caller names must be there', () => {
    expect(checkCommits(folder)).toEqual({ lines: [expect.stringContaining('does not reach back')], failed: false });
    expect(checkCommits(folder, 'no-such-base')).toMatchObject({ failed: true });
  });
});
