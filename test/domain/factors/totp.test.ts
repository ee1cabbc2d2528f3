// Codes of authenticator apps: the vectors of RFC 6238, and an implementation that shares nothing with ours. Without
// oathtool the latter is left to CI, which has it.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { newTotpSecret, stepOf } from '../../../src/domain/factors/totp.ts';

const run = promisify(execFile);

/** `12345678901234567890` in base32: the secret of the vectors. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const STEP_MS = 30_000;

describe('a code', () => {
  // Appendix B; there they have eight digits, of which ours are the last six.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at %d s is %s', (seconds, code) => {
    expect(stepOf(SECRET, code, new Date(seconds * 1_000))).toBe(Math.floor(seconds / 30));
  });

  it.each(['', '28708', '2870822', '28708a', '２８７０８２', ' 287082'])('%j is none', (code) => {
    expect(stepOf(SECRET, code, new Date(59_000))).toBe(null);
  });

  it('of oathtool is good in its step and in those beside it, for every secret that is made', async () => {
    const version = await run('oathtool', ['--version']).catch(() => null);
    if (version === null) {
      if (process.env.CI !== undefined) throw new Error('oathtool is not installed (apt install oathtool)');
      return void process.stderr.write('left out, because oathtool is not installed: codes by another program\n');
    }
    for (let nth = 0; nth < 25; nth += 1) {
      const { secret, uri } = newTotpSecret('ann@shop.example');
      expect(new URL(uri).searchParams.get('secret')).toBe(secret);
      const at = new Date(1_790_000_000_000 + nth * 86_399_000);
      const now = at.toISOString().replace('T', ' ').replace(/\..*/, ' UTC');
      const { stdout } = await run('oathtool', ['--totp', '--base32', `--now=${now}`, secret]);
      const code = stdout.trim();
      const step = Math.floor(at.getTime() / STEP_MS);
      for (const [away, found] of [
        ...[-1, 0, 1].map((near) => [near, step] as const),
        ...[-2, 2].map((far) => [far, null] as const),
      ])
        expect([away, stepOf(secret, code, new Date(at.getTime() + away * STEP_MS))]).toEqual([away, found]);
    }
  });
});
