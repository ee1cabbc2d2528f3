// Tests against a real litecoind run where there is one. Where there is none they are left out, and it is said; the
// continuous build has one and fails without it.

import { describe, it } from '@jest/globals';
import { hasLitecoind } from '../../src/sandbox/litecoin/node.ts';

/** `describe`, or a line that says what was left out. */
export function describeWithLitecoind(name: string, define: () => void): void {
  if (hasLitecoind()) return void describe(name, define);
  if (process.env.CI !== undefined) throw new Error('litecoind is not installed (apt install litecoind)');
  process.stderr.write(`left out, because litecoind is not installed: ${name}\n`);
  describe(name, () => {
    // Read by scripts/property-report.ts, which counts it as nothing that held.
    it('is left out without litecoind', () => undefined);
  });
}
