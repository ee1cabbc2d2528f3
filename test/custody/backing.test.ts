// A payout is not signed if a reorganisation took back the deposit that covers it; on a real development chain.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createPayoutSetup, type PayoutSetup } from './payout-setup.fixture.ts';

const UNIT = 1_000_000n;

let stage: PayoutSetup;
let shop: string;

beforeAll(async () => {
  stage = await createPayoutSetup();
});
afterAll(() => stage.stop());
beforeEach(async () => {
  stage.pass(1);
  shop = await stage.setup.merchant();
});
afterEach(() => stage.audit());

/** Other merchants' money: enough to pay a payout with money that is not the shop's. */
async function others(amount: bigint): Promise<void> {
  await stage.pay(await stage.order(await stage.setup.merchant()), 'USDT', amount);
}

const heldReason = async (id: string) =>
  (await stage.setup.sql<{ held_reason: string }>('select held_reason from payout where id = $1', [id]))[0]
    ?.held_reason;

describe('a withdrawal whose deposit leaves the chain between request and signing', () => {
  it('is failed and released, and nothing of it is sent', async () => {
    await others(100n * UNIT);
    await stage.pay(await stage.order(shop), 'USDT', 50n * UNIT);
    const { id } = await stage.withdraw(shop, 'USDT', '40');
    await stage.dev.reorg(2);
    await stage.settle(stage.watcher());
    expect(await stage.setup.balance(shop)).toMatchObject({ owed: 40_000_000n });
    await stage.settle(stage.sender(), stage.watcher());
    expect(await stage.payout(id)).toMatchObject({ status: 'FAILED', tx_hash: null });
    expect(await stage.setup.sql('select 1 from transfer where payout_id = $1', [id])).toEqual([]);
    expect(await stage.setup.balance(shop)).toMatchObject({ available: 0n, reserved: 0n, owed: 0n });
  });

  it('waits while the deposit may come back, and fails once it is gone for good', async () => {
    await others(100n * UNIT);
    await stage.pay(await stage.order(shop), 'USDT', 50n * UNIT);
    // Off the chain but not for good: no other block stands at its height yet.
    await stage.node('anvil_rollback', 2);
    await stage.settle(stage.watcher());
    const { id } = await stage.withdraw(shop, 'USDT', 'max');
    const still = { ...stage.dev, mine: () => Promise.resolve(), deposit: () => Promise.resolve() };
    await stage.settle(stage.sender({ devChain: still }));
    expect(await heldReason(id)).toBe('DEPOSIT_UNSURE');
    expect(await stage.setup.sql('select 1 from transfer where payout_id = $1', [id])).toEqual([]);
    await stage.dev.mine(3);
    stage.pass(1);
    await stage.settle(stage.watcher());
    await stage.settle(stage.sender(), stage.watcher());
    expect(await stage.payout(id)).toMatchObject({ status: 'FAILED', tx_hash: null });
  });

  it('is paid where what is left to the merchant covers it', async () => {
    await stage.pay(await stage.order(shop), 'USDT', 50n * UNIT);
    await stage.dev.mine(2);
    await stage.pay(await stage.order(shop), 'USDT', 10n * UNIT);
    const { id } = await stage.withdraw(shop, 'USDT', '40');
    await stage.dev.reorg(2);
    await stage.settle(stage.watcher(), stage.sender());
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
  });
});
