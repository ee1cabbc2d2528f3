// Transactions that revert, or whose effect cannot be read: each payout is paid once or released once.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { completeUnclearPayout, failStuckPayout } from '../../../src/domain/operator/payouts.ts';
import { HOSTILE } from '../hostile-contracts.fixture.ts';
import { OUTSIDE, type PayoutSetup } from '../payout-setup.fixture.ts';
import { createRefusingNode, type Receipt, type RefusingNode } from './refusing-node.fixture.ts';

let node: RefusingNode;
let stage: PayoutSetup;
beforeAll(async () => {
  node = await createRefusingNode();
  stage = node.stage;
});
afterAll(() => node.stop());
beforeEach(() => node.beginTest());
/** True until a test makes the chain differ from the book. */
let isWhole = true;
afterEach(() => (isWhole ? stage.audit() : undefined));

const asIs = (receipt: Receipt): Receipt => receipt;
const unreadable = (receipt: Receipt): Receipt => ({ ...receipt, logs: [] });

/** A payout whose transaction was mined with success, but with an effect that cannot be read. */
async function unclear() {
  await node.warm();
  node.retell = unreadable;
  const sender = node.live();
  const { id } = await stage.withdraw(node.shop, 'USDT', '3');
  await stage.settle(sender);
  await node.blocks(sender, 12, 10);
  return { id, sender };
}

describe('a transaction that reverted', () => {
  it('leads to one other, and then to FAILED, each only when its block is final', async () => {
    await node.warm();
    const recipient = await node.contract('0x');
    const sender = node.live();
    const { id } = await stage.withdraw(node.shop, 'ETH', '0.01', recipient);
    await stage.settle(sender);
    await stage.node('anvil_setCode', recipient, HOSTILE.reverts);
    await node.blocks(sender, 3);
    // Confirmed but not final: nothing was signed anew, since the transaction may still pay after a reorganisation.
    expect(await node.transfers(id)).toMatchObject([{ status: 'BROADCAST' }]);
    await stage.node('anvil_setCode', recipient, '0x');
    await node.blocks(sender, 1);
    expect((await stage.payout(id)).status).toBe('BROADCAST');
    const rows = await node.ofPayout(id);
    expect(rows.map(({ status }) => status)).toEqual(['FAILED', 'BROADCAST']);
    await stage.node('anvil_setCode', recipient, HOSTILE.reverts);
    await node.blocks(sender, 5);
    await stage.node('anvil_setCode', recipient, '0x');
    await node.blocks(sender, 2);
    expect(await stage.payout(id)).toMatchObject({ status: 'FAILED' });
    expect((await node.ofPayout(id)).map(({ status }) => status)).toEqual(['FAILED', 'FAILED']);
    expect(await stage.holds(recipient, 'ETH')).toBe(0n);
  });

  it('counts by the word of two nodes where there are two', async () => {
    await node.warm();
    // One of the two nodes says of every transaction that it reverted.
    node.retell = (receipt) => ({ ...receipt, status: '0x0', logs: [] });
    const sender = node.live(node.pool());
    const { id } = await stage.withdraw(node.shop, 'USDT', '3');
    await stage.settle(sender);
    await node.blocks(sender, 6);
    expect((await node.ofPayout(id)).map(({ status }) => status)).toEqual(['BROADCAST']);
    node.retell = asIs;
    await stage.settle(sender);
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await node.mined(id)).toBe(1);
  });
});

describe('a transaction that was mined with success and cannot be read', () => {
  it('stays BROADCAST as RESULT_UNCLEAR and is never paid again; an operator says that it paid', async () => {
    const before = await stage.holds(OUTSIDE, 'USDT');
    const { id } = await unclear();
    expect(await stage.payout(id)).toMatchObject({ status: 'BROADCAST', held_reason: 'RESULT_UNCLEAR' });
    expect(await node.ofPayout(id)).toMatchObject([{ status: 'UNCLEAR' }]);
    expect((await stage.holds(OUTSIDE, 'USDT')) - before).toBe(4_000_000n);
    node.retell = asIs;
    const operator = { deps: stage.deps, name: 'Ada' };
    await completeUnclearPayout(operator, { id, reason: 'seen on the chain' });
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED', held_reason: null });
    await expect(failStuckPayout(operator, { id, reason: 'again' })).rejects.toMatchObject({
      errorName: 'ALREADY_DECIDED',
    });
  });

  it('is taken up again when its block leaves the chain', async () => {
    const { id, sender } = await unclear();
    node.retell = asIs;
    await stage.dev.reorg(14);
    await stage.settle(stage.watcher());
    await stage.settle(sender);
    expect(await stage.payout(id)).toMatchObject({ status: 'BROADCAST', held_reason: null });
    await node.blocks(sender, 4);
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await node.mined(id)).toBe(1);
  });
});

// From here on the book differs from the chain, so the two are not compared.
describe('an unclear payout', () => {
  it('is released, once, when an operator says that it paid nothing', async () => {
    isWhole = false;
    const { id } = await unclear();
    const { reserved } = await stage.setup.balance(node.shop, 'USDT');
    await failStuckPayout({ deps: stage.deps, name: 'Ada' }, { id, reason: 'nothing arrived' });
    expect(await stage.payout(id)).toMatchObject({ status: 'FAILED', failure: 'nothing arrived' });
    expect((await stage.setup.balance(node.shop, 'USDT')).reserved).toBe(reserved - 3_000_000n);
  });
});
