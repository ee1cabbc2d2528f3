// Payouts from outputs, from reservation to the last confirmation, on a real litecoind.

import { expect, it } from '@jest/globals';
import { describePayouts, shop, stage } from './shop.fixture.ts';
import { LITE } from './setup.fixture.ts';

describePayouts('payouts on litecoind', () => {
  it('one is paid out of one deposit, and what is left is change', async () => {
    await stage.pay(await stage.order(shop), 2n * LITE);
    const address = await stage.outside();
    const { id } = await stage.withdraw(shop, '0.5', address);
    await stage.finish();
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.received(address)).toBe(LITE / 2n);
    expect(await stage.setup.sql('select amount > 149000000 as much from change_output')).toEqual([{ much: true }]);
    expect(await stage.setup.sql('select count(*)::int as n from funding where not reversed')).toEqual([{ n: 0 }]);
  });

  it('the whole balance goes out, of many deposits at once', async () => {
    for (const amount of [LITE, LITE / 10n, LITE / 100n]) await stage.pay(await stage.order(shop), amount);
    const address = await stage.outside();
    const { id } = await stage.withdraw(shop, 'max', address);
    await stage.finish();
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.received(address)).toBe((LITE * 111n * 99n) / 10_000n);
  });

  it('a refund goes out, and the payment is refunded', async () => {
    const order = await stage.order(shop);
    await stage.pay(order, LITE);
    await stage.pay(await stage.order(shop), LITE);
    const address = await stage.outside();
    const { id } = await stage.refund(shop, order.id, address);
    await stage.finish();
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.received(address)).toBe(LITE);
  });

  it('several go out one after the other, each on the change of the one before, in one block', async () => {
    await stage.pay(await stage.order(shop), 5n * LITE);
    const addresses = await Promise.all([1, 2, 3].map(() => stage.outside()));
    const ids: string[] = [];
    for (const address of addresses) ids.push((await stage.withdraw(shop, '1', address)).id);
    const sender = stage.sender();
    await stage.settle(sender);
    expect((await stage.node<string[]>('getrawmempool')).length).toBe(3);
    await stage.litecoin.mine(2);
    await stage.settle(sender, stage.watcher());
    for (const id of ids) expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    for (const address of addresses) expect(await stage.received(address)).toBe(LITE);
  });

  it('to another order it is that order’s deposit', async () => {
    await stage.pay(await stage.order(shop), 2n * LITE);
    const other = await stage.setup.merchant();
    const order = await stage.order(other);
    const { id } = await stage.withdraw(shop, '1', order.address);
    await stage.finish();
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.setup.sql('select amount::text, status from deposit where payment_id = $1', [order.id])).toEqual(
      [{ amount: String(LITE), status: 'CONFIRMED' }],
    );
  });

  it('below what nodes pass on is 4003, and an address of another chain 4002', async () => {
    const order = await stage.order(shop);
    await stage.pay(order, LITE);
    const address = await stage.outside();
    const tooLittle = stage.refund(shop, order.id, address, '0.00002');
    await expect(tooLittle).rejects.toMatchObject({ errorName: 'DUST' });
    const bitcoin = stage.withdraw(shop, '0.5', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu');
    await expect(bitcoin).rejects.toMatchObject({ errorName: 'BAD_ADDRESS' });
  });
});

describePayouts(
  'payouts on litecoind, with taproot addresses (BIP-86)',
  () => {
    it('deposits and change are spent by signatures of BIP-340', async () => {
      const order = await stage.order(shop);
      expect(order.address).toMatch(/^rltc1p/);
      for (let count = 0; count < 2; count += 1) await stage.pay(order, LITE);
      const addresses = [await stage.outside(), await stage.outside()];
      for (const address of addresses) {
        stage.pass(1);
        const { id } = await stage.withdraw(shop, '0.9', address);
        await stage.finish();
        expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
        expect(await stage.received(address)).toBe((LITE * 9n) / 10n);
      }
    });
  },
  { addressType: 'P2TR' },
);
