// Runs the table of guarantees against one adapter.

import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { GUARANTEES, type ContractWorld } from './guarantees.fixture.ts';

/** Defines a test for each guarantee. `name` says the network and what it runs on: a real node, or a double. */
export function holdToContract(name: string, open: () => Promise<ContractWorld>): void {
  describe(`the adapter contract: ${name}`, () => {
    let world: ContractWorld;
    beforeAll(async () => {
      world = await open();
    });
    afterAll(() => world.stop());
    for (const guarantee of GUARANTEES) it(guarantee.name, () => guarantee.check(world));
  });
}
