// A sender that dies at any call while it handles a refused transaction.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mortal } from './mortal.fixture.ts';
import type { PayoutSetup } from '../payout-setup.fixture.ts';
import { createRefusingNode, type RefusingNode } from '../account/refusing-node.fixture.ts';

let node: RefusingNode;
let stage: PayoutSetup;
beforeAll(async () => {
  node = await createRefusingNode();
  stage = node.stage;
});
afterAll(() => node.stop());
beforeEach(() => node.beginTest());
afterEach(() => stage.audit());

/** Every call to the outside while a refused transaction is handled. */
const CALLS = ['sign', 'quote', 'nonces', 'broadcast', 'receipt', 'tip', 'txState'];

describe('a sender that dies over a transaction that is refused', () => {
  it.each(CALLS.flatMap((call) => [`before ${call}`, `after ${call}`]))(
    '%s leaves its payout and those behind it paid once',
    async (point) => {
      await node.warm();
      node.refusal = { code: -32_000, message: 'this recipient is not served here' };
      const { id } = await stage.withdraw(node.shop, 'ETH', '0.01');
      const behind = await node.withdrawAfter('3');
      // Each process dies at the next such call, so that every use of the call is tested as a place of death.
      for (let skip = 0; skip < 8; skip += 1) {
        await stage.settle(node.wrapped(mortal(point, skip))).catch(() => undefined);
        stage.pass(1);
      }
      node.refusal = null;
      const sender = node.live();
      await stage.settle(sender);
      await node.blocks(sender, 5);
      await node.blocks(sender, 6, 60);
      for (const payout of [id, behind.id]) {
        expect(await stage.payout(payout)).toMatchObject({ status: 'COMPLETED', held_reason: null });
        expect(await node.mined(payout)).toBe(1);
      }
      const left = await stage.setup.sql(`select id from transfer where status in ('SIGNED', 'BROADCAST')`);
      expect(left).toEqual([]);
    },
  );
});
