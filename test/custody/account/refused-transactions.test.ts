// Transactions that nodes refuse: each payout is paid once or released once, and the payouts behind its nonce proceed.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { gasEater, HOSTILE } from '../hostile-contracts.fixture.ts';
import type { PayoutSetup } from '../payout-setup.fixture.ts';
import { createRefusingNode, type RefusingNode, type Transaction } from './refusing-node.fixture.ts';

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

const open = (id: string) =>
  stage.setup.sql(`select id from transfer where payout_id = $1 and status in ('SIGNED', 'BROADCAST')`, [id]);

describe('a signed transaction that the node refuses', () => {
  it.each([
    ['for a price that rose meanwhile', { code: -32_000, message: 'max fee per gas less than block base fee' }],
    ['for a reason that nobody knows', { code: -32_000, message: 'the moon is full' }],
    ['for the gas of a block', { code: -32_000, message: 'exceeds block gas limit' }],
  ])('%s is replaced, with the same nonce; its payout and those behind are paid once', async (_reason, error) => {
    await node.warm();
    const sender = node.live();
    node.refusal = error;
    const first = await stage.withdraw(node.shop, 'ETH', '0.01');
    const behind = await node.withdrawAfter('3');
    await stage.settle(sender);
    expect(node.refused).toBeGreaterThan(0);
    expect(await stage.payout(first.id)).toMatchObject({ status: 'BROADCAST', held_reason: 'NOT_ACCEPTED' });
    node.refusal = null;
    stage.pass(1);
    await stage.settle(sender);
    await node.blocks(sender, 4);
    for (const { id } of [first, behind])
      expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED', held_reason: null });
    expect((await node.transfers(first.id)).filter(({ status }) => status === 'CONFIRMED')).toHaveLength(1);
  });

  it('is estimated anew: gas as well as price', async () => {
    await node.warm();
    const recipient = await node.contract(gasEater(2_500));
    const sender = node.live();
    node.refusal = { code: -32_000, message: 'intrinsic gas too low' };
    const { id } = await stage.withdraw(node.shop, 'ETH', '0.01', recipient);
    await stage.settle(sender);
    await stage.node('anvil_setCode', recipient, gasEater(1_000));
    stage.pass(1);
    await stage.settle(sender);
    const [first, second] = await node.transfers(id);
    expect(Number(second?.gas)).toBeLessThan(Number(first?.gas));
    expect(second?.nonce).toBe(first?.nonce);
    node.refusal = null;
    await node.blocks(sender, 4);
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
  });

  it('whose replacement would cost too much is waited with, and then lets those behind it go on', async () => {
    await node.warm();
    const recipient = await node.contract('0x');
    node.refusal = { code: -32_000, message: 'the moon is full' };
    const { id } = await stage.withdraw(node.shop, 'ETH', '0.01', recipient);
    await stage.settle(node.live());
    const behind = await stage.withdraw(node.shop, 'ETH', '0.02');
    await stage.settle(node.live());
    node.refusal = null;
    const [signed] = await stage.setup.sql<{ cost: string }>(
      'select max_cost::text as cost from transfer where payout_id = $1',
      [id],
    );
    // By now the recipient uses four times the gas.
    await stage.node('anvil_setCode', recipient, gasEater(2_500));
    const sender = node.live(node.adapter(), 2n * BigInt(signed?.cost ?? 0));
    const answer = { code: -32_000, message: 'the moon is full' };
    for (let minute = 0; minute < 4; minute += 1) {
      node.refusal = answer;
      stage.pass(1);
      await stage.settle(sender);
      expect(await node.transfers(id)).toHaveLength(1);
    }
    node.refusal = answer;
    stage.pass(2);
    await stage.settle(sender);
    node.refusal = null;
    await stage.settle(sender);
    expect(await stage.payout(id)).toMatchObject({ status: 'BROADCAST', held_reason: 'TOO_EXPENSIVE' });
    expect((await node.transfers(id)).map(({ purpose }) => purpose)).toEqual(['PAYOUT', 'GAS']);
    // A replacement that frees a nonce is itself replaced if no block takes it, whatever the cost limit.
    stage.pass(15);
    await stage.settle(node.live(node.adapter(), 1n));
    expect((await node.transfers(id)).map(({ purpose }) => purpose)).toEqual(['PAYOUT', 'GAS', 'GAS']);
    await node.blocks(sender, 4);
    expect(await stage.payout(behind.id)).toMatchObject({ status: 'COMPLETED' });
    await node.blocks(node.live(), 8, 10);
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
  });

  it('for good has its nonce freed; it is neither failed nor expired for that, and is paid when a node takes it', async () => {
    await node.warm();
    const sender = node.live();
    const nonce = await node.nextNonce();
    node.refusal = { code: -32_000, message: 'this recipient is not served here' };
    const { id } = await stage.withdraw(node.shop, 'ETH', '0.01');
    const behind = await node.withdrawAfter('3');
    for (let minute = 0; minute < 4; minute += 1) {
      await stage.settle(sender);
      stage.pass(1);
    }
    await stage.settle(sender);
    node.refusal = null;
    await node.blocks(sender, 2);
    expect(await stage.payout(behind.id)).toMatchObject({ status: 'BROADCAST' });
    expect(await stage.payout(id)).toMatchObject({ status: 'BROADCAST', held_reason: 'NOT_ACCEPTED' });
    const rows = await stage.setup.sql<Transaction>(
      'select purpose, status from transfer where nonce = $1 and sender_key = $2',
      [nonce.nonce, nonce.key],
    );
    expect(rows.map(({ purpose }) => purpose)).toContain('GAS');
    // The transaction that took the payout's nonce must be final before the payout is signed anew.
    await node.blocks(sender, 1);
    expect(await stage.payout(behind.id)).toMatchObject({ status: 'COMPLETED' });
    expect(await open(id)).not.toEqual([]);
    await node.blocks(sender, 2);
    await node.blocks(sender, 6, 60);
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await node.mined(id)).toBe(1);
  });

  it('whose recipient refuses it by now has its nonce freed, and the payout ends when that is final', async () => {
    await node.warm();
    const sender = node.live();
    const recipient = await node.contract('0x');
    node.refusal = { code: -32_000, message: 'the moon is full' };
    const { id } = await stage.withdraw(node.shop, 'ETH', '0.01', recipient);
    const behind = await node.withdrawAfter('3');
    await stage.settle(sender);
    await stage.node('anvil_setCode', recipient, HOSTILE['halts by 0xfe']);
    node.refusal = null;
    stage.pass(1);
    // A node may still accept the payout's own transaction; from now on the replacement to ourselves is offered.
    node.refusal = { code: -32_000, message: 'the moon is full' };
    await stage.settle(sender);
    node.refusal = null;
    await stage.settle(sender);
    await node.blocks(sender, 2);
    expect(await stage.payout(id)).toMatchObject({ status: 'BROADCAST', held_reason: 'RECIPIENT_REFUSES' });
    expect(await stage.payout(behind.id)).toMatchObject({ status: 'COMPLETED' });
    await node.blocks(sender, 8, 10);
    expect(await stage.payout(id)).toMatchObject({ status: 'FAILED' });
    expect(await stage.holds(recipient, 'ETH')).toBe(0n);
    expect(await stage.setup.balance(node.shop, 'ETH')).toMatchObject({ reserved: 0n });
  });

  it('by one node and taken by another was taken', async () => {
    await node.warm();
    node.refusal = { code: -32_000, message: 'the moon is full' };
    const sender = node.live(node.pool());
    const { id } = await stage.withdraw(node.shop, 'USDT', '3');
    await stage.settle(sender);
    await node.blocks(sender, 2);
    expect(node.refused).toBeGreaterThan(0);
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
  });

  it('is not signed at all where no block has room for it', async () => {
    await node.warm();
    // Half of a block's gas, and the margin: the sandbox's blocks hold a thousand million.
    await stage.node('evm_setBlockGasLimit', '0x1c9c380');
    const recipient = await node.contract(gasEater(0x0f_42_40));
    const sender = node.live();
    const { id } = await stage.withdraw(node.shop, 'ETH', '0.01', recipient);
    const behind = await node.withdrawAfter('3');
    await stage.dev.mine(1);
    await stage.settle(sender);
    expect(await stage.payout(id)).toMatchObject({ status: 'REQUESTED', held_reason: 'RECIPIENT_REFUSES' });
    await node.blocks(sender, 3);
    expect(await stage.payout(behind.id)).toMatchObject({ status: 'COMPLETED' });
    await node.blocks(sender, 2);
    expect(await stage.payout(id)).toMatchObject({ status: 'FAILED' });
    expect(await node.transfers(id)).toEqual([]);
    await stage.node('evm_setBlockGasLimit', '0x3b9aca00');
    await stage.dev.mine(1);
  });
});

// From here on the book differs from the chain, so the two are not compared.
describe('a nonce that was used past the book', () => {
  it('has its transaction expire once that is final, and its payout is paid once by another', async () => {
    isWhole = false;
    await node.warm();
    const sender = node.live();
    node.refusal = { code: -32_000, message: 'the moon is full' };
    const { id } = await stage.withdraw(node.shop, 'ETH', '0.01');
    await stage.settle(sender);
    node.refusal = null;
    const { key } = await node.nextNonce();
    await stage.node('anvil_impersonateAccount', key);
    await stage.node('eth_sendTransaction', { from: key, to: key, value: '0x0' });
    await stage.dev.mine(1);
    await stage.settle(sender);
    expect((await node.transfers(id)).map(({ status }) => status)).not.toContain('EXPIRED');
    await stage.dev.mine(3);
    await stage.settle(sender);
    await node.blocks(sender, 4);
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await node.mined(id)).toBe(1);
  });
});
