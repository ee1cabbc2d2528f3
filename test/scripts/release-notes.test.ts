// `npm run release-notes` prints the changelog's text for a version, but only for one that can be released.

import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasContact, releaseNotes } from '../../scripts/release-notes.ts';
import { ROOT } from '../support/sources.ts';

const CHANGELOG = `# Changelog

## [Unreleased]

## [1.1.0] - 2026-02-30

- A day that no calendar has.

## [1.0.0] - 2026-02-28

### Added

- One thing.

## [0.9.0]

- Without a day.

## [0.8.0] - 2026-01-01

[1.0.0]: https://example.com/1.0.0
`;

const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

describe('release notes', () => {
  it('are the section of the version, under its title', () => {
    const notes = 'Turnpike 1.0.0 (2026-02-28)\n\n### Added\n\n- One thing.\n';
    expect(releaseNotes(CHANGELOG, '1.0.0', '1.0.0')).toBe(notes);
  });

  it.each([
    ['1.2.0', '1.2.0', 'CHANGELOG.md has no section "## [1.2.0] - YYYY-MM-DD"'],
    ['Unreleased', 'Unreleased', 'has no day'],
    ['0.9.0', '0.9.0', 'has no day'],
    ['1.1.0', '1.1.0', 'has no day'],
    ['1.0.0', '1.1.0', 'package.json has version 1.1.0, not 1.0.0'],
    ['0.8.0', '0.8.0', 'is empty'],
  ])('of %s with %s in package.json are refused', (version, packageVersion, message) => {
    expect(() => releaseNotes(CHANGELOG, version, packageVersion)).toThrow(message);
  });

  it('of the version in package.json are there', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(releaseNotes(read('CHANGELOG.md'), version, version)).toContain(`Turnpike ${version} (`);
  });

  it('come from a changelog that has a place for what is not released yet', () => {
    expect(read('CHANGELOG.md')).toMatch(/^## \[Unreleased\]$/m);
  });
});

describe('the security contact', () => {
  const line = (contact: string) => `# Security\n\n**Security contact:** ${contact}\n`;

  it('counts once it is an address or a form', () => {
    expect(hasContact(line('security@example.com'))).toBe(true);
    expect(hasContact(line('https://example.com/report'))).toBe(true);
    expect(hasContact(line('_to be filled in_'))).toBe(false);
    expect(hasContact('# Security\n')).toBe(false);
  });

  it('stands in SECURITY.md alone, and the other documents lead there', () => {
    expect(read('SECURITY.md').match(/^\*\*Security contact:\*\* .+$/gm)).toHaveLength(1);
    for (const name of ['README.md', 'CONTRIBUTING.md']) {
      expect(read(name)).toContain('(SECURITY.md)');
      expect(read(name)).not.toMatch(/mailto:|security@/i);
    }
  });
});
