// Set-up for payout tests on a real litecoind: one chain for all tests of a file, and a new merchant for each; after
// each test the book is audited.

import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { describeWithLitecoind } from '../../support/litecoind.ts';
import { createUtxoSetup, type UtxoSetup } from './setup.fixture.ts';

export let stage: UtxoSetup;
/** The merchant's id. */
export let shop: string;

export function describePayouts(
  name: string,
  tests: () => void,
  options?: Parameters<typeof createUtxoSetup>[0],
): void {
  describeWithLitecoind(name, () => {
    beforeAll(async () => {
      stage = await createUtxoSetup(options);
    });
    afterAll(() => stage.stop());
    beforeEach(async () => {
      stage.pass(1);
      shop = await stage.setup.merchant();
    });
    afterEach(() => stage.audit());
    tests();
  });
}
