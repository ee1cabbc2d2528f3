// Declares tests that need a real litecoind: without one they are skipped with a message. The continuous build has one
// and fails without it.

import { describe, it } from '@jest/globals';
import { hasLitecoind } from '../../src/sandbox/litecoin/node.ts';

/** `describe`, or a message that says what was left out. */
export function describeWithLitecoind(name: string, define: () => void): void {
  if (hasLitecoind()) return void describe(name, define);
  if (process.env.CI !== undefined) throw new Error('litecoind is not installed (apt install litecoind)');
  process.stderr.write(`left out, because litecoind is not installed: ${name}\n`);
  describe(name, () => {
    // scripts/property-report.ts reads this title, and does not count it as a property that held.
    it('is left out without litecoind', () => undefined);
  });
}
