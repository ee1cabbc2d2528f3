// Set-up for payout tests on a real litecoind: one chain for all tests of a file, and a new merchant for each; after
// each test the book is audited.

import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { describeWithLitecoind } from '../../support/litecoind.ts';
import { createUtxoWorld, type UtxoWorld } from './world.fixture.ts';

export let stage: UtxoWorld;
/** The merchant's id. */
export let shop: string;

export function describePayouts(
  name: string,
  tests: () => void,
  options?: Parameters<typeof createUtxoWorld>[0],
): void {
  describeWithLitecoind(name, () => {
    beforeAll(async () => {
      stage = await createUtxoWorld(options);
    });
    afterAll(() => stage.stop());
    beforeEach(async () => {
      stage.pass(1);
      shop = await stage.world.merchant();
    });
    afterEach(() => stage.audit());
    tests();
  });
}
