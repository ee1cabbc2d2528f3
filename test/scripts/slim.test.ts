// The size of what `npm ci` leaves, which the README states.

import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/sources.ts';

const PACKAGES = join(ROOT, 'node_modules');
/** The statement may be off by this much: platforms differ, and so do versions of the same packages. */
const MARGIN = 0.1;

/** The bytes of all files below a folder. Links count as nothing, and caches are not what is installed. */
function bytesOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (path === join(PACKAGES, '.cache')) return sum;
    if (entry.isDirectory()) return sum + bytesOf(path);
    return entry.isFile() ? sum + lstatSync(path).size : sum;
  }, 0);
}

describe('what npm ci leaves', () => {
  it('has the size that the README states (after other packages: change it there; if far more: `node scripts/slim.js`)', () => {
    const said = /`npm ci` leaves (\d+) MB/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))?.[1];
    const off = bytesOf(PACKAGES) / 1e6 / Number(said) - 1;
    expect(Math.abs(off)).toBeLessThan(MARGIN);
  });

  it('has programs that run without what debuggers read of them', () => {
    const program = readFileSync(process.execPath);
    expect(program.subarray(0, 4).toString('latin1')).toBe('\x7fELF');
    expect(program.readBigUInt64LE(40)).toBe(0n); // where its sections are
    expect(execFileSync(process.execPath, ['-p', '6 * 7'], { encoding: 'utf8' })).toBe('42\n');
  });

  it('has no headers of Node and no maps to sources', () => {
    for (const platform of ['x64', 'arm64'])
      expect(existsSync(join(PACKAGES, `node-linux-${platform}/include`))).toBe(false);
    expect(readdirSync(join(PACKAGES, 'viem/_esm')).filter((name) => name.endsWith('.map'))).toEqual([]);
  });
});
