// Payouts on TRON, on its double: swept, activated, expired and sent again, and never paid twice.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ChainAdapter } from '../../../src/chain/adapter.ts';
import { ChainUnavailable } from '../../../src/chain/errors.ts';
import { LIFETIME_MS } from '../../../src/chain/tron/send.ts';
import { FINAL_AFTER } from '../../doubles/tron/chain.ts';
import { createTronPayoutSetup, TRX, type TronPayoutSetup } from '../tron-setup.fixture.ts';

const SLOTS = LIFETIME_MS / 3_000;

let stage: TronPayoutSetup;
let shop: string;
let stranger: string;

beforeEach(async () => {
  stage = await createTronPayoutSetup();
  shop = await stage.setup.merchant();
  stranger = stage.stranger();
});
afterEach(() => stage.stop());

const of = async (purpose: string) => (await stage.transfers()).filter((row) => row.purpose === purpose);

describe('a withdrawal', () => {
  it('of a token comes from a deposit address that was no account until it got its gas', async () => {
    const order = await stage.order(shop, 'USDT');
    await stage.pay(order, 'USDT', 100n * TRX);
    const id = await stage.withdraw(shop, 'USDT', '70', stranger);
    await stage.carryOut(id, stage.sender());
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED', failure: null });
    expect(await stage.holds(stranger, 'USDT')).toBe(70n * TRX);
    expect(await of('SWEEP')).toMatchObject([{ status: 'CONFIRMED', currency: 'USDT', amount: String(100n * TRX) }]);
    expect(await stage.setup.balance(shop)).toMatchObject({ available: 29n * TRX, reserved: 0n });
    await stage.audit();
  });

  it('of all of the coin leaves the deposit address with less than its sweep would cost', async () => {
    const order = await stage.order(shop, 'TRX');
    await stage.pay(order, 'TRX', 40n * TRX);
    const id = await stage.withdraw(shop, 'TRX', 'max', stranger);
    await stage.carryOut(id, stage.sender());
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.holds(stranger, 'TRX')).toBe((40n * TRX * 99n) / 100n);
    expect(await stage.holds(order.addressKey, 'TRX')).toBeLessThan(10_000n);
    await stage.audit();
  });

  it('several at once, and each is paid once; what is mined is not counted as waiting', async () => {
    await stage.pay(await stage.order(shop, 'USDT'), 'USDT', 100n * TRX);
    await stage.pay(await stage.order(shop, 'USDT'), 'USDT', 50n * TRX);
    const ids = [];
    for (const amount of ['10', '10', '10', '60']) ids.push(await stage.withdraw(shop, 'USDT', amount, stranger));
    const sender = stage.sender();
    for (const id of ids) await stage.carryOut(id, sender);
    expect(await stage.holds(stranger, 'USDT')).toBe(90n * TRX);
    // The largest deposit alone was enough for all of them.
    expect(await of('SWEEP')).toHaveLength(1);
    expect(await of('PAYOUT')).toHaveLength(4);
    await stage.audit();
  });

  it('that the token refuses fails, and the money is released', async () => {
    await stage.pay(await stage.order(shop, 'USDT'), 'USDT', 100n * TRX);
    stage.double.bar('USDT', stranger);
    const id = await stage.withdraw(shop, 'USDT', '70', stranger);
    await stage.carryOut(id, stage.sender());
    expect(await stage.payout(id)).toMatchObject({ status: 'FAILED', tx_hash: null });
    expect(await stage.setup.balance(shop)).toMatchObject({ available: 99n * TRX, reserved: 0n });
    await stage.audit();
  });

  it('to a contract, or in a form without a checksum, is refused with 4002', async () => {
    await stage.pay(await stage.order(shop, 'USDT'), 'USDT', 100n * TRX);
    const contract = stage.double.contracts.get('USDT') ?? '';
    for (const address of [
      contract,
      '41a614f803b6fd780986a42c78ec9c7f77e6ded13c',
      `${stranger.slice(0, -1)}${stranger.endsWith('1') ? '2' : '1'}`,
    ])
      await expect(stage.withdraw(shop, 'USDT', '1', address)).rejects.toMatchObject({ errorName: 'BAD_ADDRESS' });
  });
});

describe('a transaction that no block took', () => {
  /** Sends nothing, like a node that is cut off; everything else works. */
  const mute = (): ChainAdapter => ({
    ...stage.adapter,
    broadcast: () => Promise.reject(new ChainUnavailable('TRON', 'the node is cut off')),
  });

  async function sign(): Promise<string> {
    await stage.pay(await stage.order(shop, 'TRX'), 'TRX', 40n * TRX);
    const id = await stage.withdraw(shop, 'TRX', '10', stranger);
    await stage.settle(stage.sender(mute()));
    expect(await stage.transfers()).toMatchObject([{ purpose: 'SWEEP', status: 'SIGNED' }]);
    return id;
  }

  it('is sent as it is while it has time', async () => {
    const id = await sign();
    const [{ hash } = { hash: '' }] = await stage.transfers();
    stage.double.chain.mine(SLOTS - 2);
    await stage.settle(stage.sender());
    stage.double.chain.mine();
    expect(stage.double.chain.find(hash)).not.toBeNull();
    await stage.carryOut(id, stage.sender());
    expect((await of('SWEEP')).map(({ status }) => status)).toEqual(['CONFIRMED']);
    await stage.audit();
  });

  it('expires once that is final, and not before; what it was to pay is signed anew and paid once', async () => {
    const id = await sign();
    stage.double.chain.mine(SLOTS + FINAL_AFTER - 1);
    await stage.settle(stage.sender());
    expect(await of('SWEEP')).toMatchObject([{ status: 'SIGNED' }]);
    stage.double.chain.mine();
    await stage.settle(stage.sender());
    expect((await of('SWEEP')).map(({ status }) => status)).toEqual(['EXPIRED', 'BROADCAST']);
    await stage.carryOut(id, stage.sender());
    expect(await stage.holds(stranger, 'TRX')).toBe(10n * TRX);
    expect((await of('SWEEP')).map(({ status }) => status)).toEqual(['EXPIRED', 'CONFIRMED']);
    await stage.audit();
  });

  it('a payout that expires is due again, under another id, and arrives once', async () => {
    await stage.pay(await stage.order(shop, 'USDT'), 'USDT', 100n * TRX);
    await stage.carryOut(await stage.withdraw(shop, 'USDT', '1', stranger), stage.sender());
    const id = await stage.withdraw(shop, 'USDT', '20', stranger);
    await stage.settle(stage.sender(mute()));
    const before = await stage.payout(id);
    expect(before.status).toBe('BROADCAST');
    stage.double.chain.mine(SLOTS + FINAL_AFTER);
    await stage.carryOut(id, stage.sender());
    const after = await stage.payout(id);
    expect(after).toMatchObject({ status: 'COMPLETED' });
    expect(after.tx_hash).not.toBe(before.tx_hash);
    expect(await stage.holds(stranger, 'USDT')).toBe(21n * TRX);
    await stage.audit();
  });

  it('one that the node took, and whose answer was lost, is found in its block and is not paid again', async () => {
    await stage.pay(await stage.order(shop, 'TRX'), 'TRX', 40n * TRX);
    const id = await stage.withdraw(shop, 'TRX', '10', stranger);
    const losing: ChainAdapter = {
      ...stage.adapter,
      broadcast: async (raw) => {
        await stage.adapter.broadcast(raw);
        throw new ChainUnavailable('TRON', 'the connection was cut');
      },
    };
    await stage.settle(stage.sender(losing));
    stage.double.chain.mine();
    stage.double.chain.mine(SLOTS + 2 * FINAL_AFTER);
    await stage.carryOut(id, stage.sender());
    expect((await stage.transfers()).map(({ status }) => status)).toEqual(['CONFIRMED', 'CONFIRMED']);
    expect(await stage.holds(stranger, 'TRX')).toBe(10n * TRX);
    await stage.audit();
  });

  it('one that a fork threw out is sent again as it is, and counts once', async () => {
    await stage.pay(await stage.order(shop, 'TRX'), 'TRX', 40n * TRX);
    const id = await stage.withdraw(shop, 'TRX', '10', stranger);
    const sender = stage.sender();
    await stage.settle(sender);
    stage.double.chain.mine(3);
    await stage.settle(sender, stage.watcher);
    stage.double.chain.fork(3);
    await stage.settle(sender, stage.watcher);
    await stage.carryOut(id, sender);
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.holds(stranger, 'TRX')).toBe(10n * TRX);
    expect(await of('SWEEP')).toHaveLength(1);
    expect((await of('PAYOUT')).filter(({ status }) => status === 'CONFIRMED')).toHaveLength(1);
    await stage.audit();
  });

  it('a node that forgot it is sent it again', async () => {
    await stage.pay(await stage.order(shop, 'TRX'), 'TRX', 40n * TRX);
    const id = await stage.withdraw(shop, 'TRX', '10', stranger);
    const sender = stage.sender();
    await stage.settle(sender);
    stage.double.chain.forget();
    await stage.settle(sender);
    expect(stage.double.chain.pool.size).toBe(1);
    await stage.carryOut(id, sender);
    expect(await stage.holds(stranger, 'TRX')).toBe(10n * TRX);
    await stage.audit();
  });
});
