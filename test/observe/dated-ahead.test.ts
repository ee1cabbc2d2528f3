// Blocks of a real litecoind dated as far ahead as its rules allow: no order expires before its time.

import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createUtxoSetup, LITE, type UtxoSetup } from '../custody/utxo/setup.fixture.ts';
import { describeWithLitecoind } from '../support/litecoind.ts';

describeWithLitecoind('a block that is dated two hours ahead', () => {
  let stage: UtxoSetup;
  let shop: string;

  beforeAll(async () => {
    stage = await createUtxoSetup({ minesOnDemand: false });
  });
  afterAll(() => stage.stop());
  beforeEach(async () => {
    stage.pass(180);
    shop = await stage.setup.merchant();
  });

  const read = (order: { id: string }) => stage.setup.read({ ...order, merchantId: shop, addressKey: '' });
  /** The node's own clock, by which miners date their blocks. */
  const mineAt = async (minutesAhead: number) => {
    const seconds = Math.floor(stage.deps.clock.now().getTime() / 1_000) + minutesAhead * 60;
    await stage.node('setmocktime', seconds);
    await stage.litecoin.mine(1);
  };

  it('expires no order before its own 30 minutes, and one of them when a block comes after these', async () => {
    const order = await stage.order(shop);
    stage.pass(5);
    await mineAt(119);
    await stage.settle(stage.watcher());
    expect(await read(order)).toMatchObject({ status: 'PENDING' });
    stage.pass(20);
    await mineAt(0);
    await stage.settle(stage.watcher());
    expect(await read(order)).toMatchObject({ status: 'PENDING' });
    stage.pass(6);
    await mineAt(0);
    await stage.settle(stage.watcher());
    expect(await read(order)).toMatchObject({ status: 'EXPIRED' });
  });

  it('makes nobody late who paid in it before the time was up', async () => {
    const order = await stage.order(shop);
    const { address } = order;
    stage.pass(5);
    await stage.litecoin.deposit({ address, currency: 'LTC', amount: LITE / 100n, confirmations: -1 });
    await mineAt(119);
    await stage.settle(stage.watcher());
    expect((await read(order)).transactions).toHaveLength(1);
    expect(await stage.setup.sql('select late from deposit where payment_id = $1', [order.id])).toEqual([
      { late: false },
    ]);
  });
});
