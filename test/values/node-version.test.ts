// The oldest Node: what the packages of a deployment ask for, and what is said to an older one.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { faultOfNode, OLDEST_NODE } from '../../src/values/node-version.ts';

interface Locked {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly engines?: { readonly node?: string };
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };

/** The lowest version that a range such as `^20.19.0 || >=22.12` has from 22 on, as a number that can be compared. */
function lowestIn(range: string): number {
  const starts = [...range.matchAll(/(?:>=|\^)?\s*(\d+)(?:\.(\d+))?(?:\.(\d+))?/g)].map(([, ...parts]) =>
    parts.reduce((sum, part = '0') => sum * 1_000 + Number(part), 0),
  );
  const [oldest] = starts.filter((start) => start >= 22_000_000).sort((a, b) => a - b);
  return starts.some((start) => start < 22_000_000) && /[>^]/.test(range) ? 0 : (oldest ?? 0);
}

describe('the oldest Node', () => {
  it('is what the packages of a deployment need together', () => {
    const needs = Object.entries(packages).flatMap(([path, { dev, devOptional, engines }]) =>
      path === '' || dev === true || devOptional === true ? [] : [lowestIn(engines?.node ?? '')],
    );
    expect(needs.length).toBeGreaterThan(200);
    expect(Math.max(...needs)).toBe(lowestIn(`>=${OLDEST_NODE}`));
  });

  it.each(['v22.19.0', 'v22.20.0', 'v23.0.0', 'v24.21.0', 'v100.0.0'])('%s runs the program', (version) => {
    expect(faultOfNode(version)).toBeNull();
  });

  it.each(['v20.20.2', 'v22.18.99', 'v9.30.1'])('%s does not, and is told in one line', (version) => {
    expect(faultOfNode(version)).toMatch(
      new RegExp(`^Turnpike needs Node ${OLDEST_NODE} or newer, .*${version.slice(1)}.*$`),
    );
  });
});
