// Runs the table of guarantees against one adapter.

import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { GUARANTEES, type ContractSetup } from './guarantees.fixture.ts';

/** Defines a test for each guarantee. `name` says the network and what it runs on: a real node, or a double. */
export function holdToContract(name: string, open: () => Promise<ContractSetup>): void {
  describe(`the adapter contract: ${name}`, () => {
    let setup: ContractSetup;
    beforeAll(async () => {
      setup = await open();
    });
    afterAll(() => setup.stop());
    for (const guarantee of GUARANTEES) it(guarantee.name, () => guarantee.check(setup));
  });
}
