// Our outputs spent by another holder of the seed: noticed while the transaction still waits to be mined, with its
// change to us.

import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { accountPaths } from '../../../src/custody/keys/account-keys.ts';
import { createSeedSigner } from '../../../src/custody/keys/signer.ts';
import { describeWithLitecoind } from '../../support/litecoind.ts';
import { createRestorable, type Book, type Restorable } from '../recovery/restored/book.fixture.ts';
import { createUtxoSetup, LITE, type UtxoSetup } from './setup.fixture.ts';

describeWithLitecoind('an output of the book that is spent by hand', () => {
  let stage: UtxoSetup;
  let restorable: Restorable;
  let book: Book;
  let shop: string;

  beforeAll(async () => {
    stage = await createUtxoSetup();
    const { deps, seed, setup } = stage;
    restorable = await createRestorable({ deps, signer: createSeedSigner(seed), url: setup.url, network: 'LTC' });
    ({ book } = restorable);
  });
  afterAll(async () => {
    await restorable.stop();
    await stage.stop();
  });
  beforeEach(async () => {
    shop = await stage.setup.merchant();
  });

  it('halts the network from the mempool; its recovery books what left, and keeps what was left over', async () => {
    const order = await stage.order(shop);
    const txHash = await stage.pay(order, 5n * LITE);
    const signer = book.sender();
    await stage.settle(signer, book.watcher);
    const { adapter } = stage;
    const keys = createSeedSigner(stage.seed);
    const path = accountPaths(adapter.accountPath).deposit(0);
    const publicKey = await keys.publicKey(path);
    const [row] = await book.sql<{ ordinal: number }>('select ordinal from deposit where tx_hash = $1', [txHash]);
    const outpoint = `${txHash}:${String(row?.ordinal)}`;
    const outside = await stage.outside();
    const hot = adapter.addressOf(await keys.publicKey(accountPaths(adapter.accountPath).wallet(0))).address;
    const unsigned = adapter.buildSpend(
      [{ outpoint, amount: 5n * LITE, addressKey: adapter.addressOf(publicKey).key, publicKey }],
      [
        { to: outside, amount: LITE },
        { to: hot, amount: 4n * LITE - 10_000n },
      ],
    );
    const [part] = unsigned.toSign;
    const { raw, txHash: byHand } = unsigned.finish([await keys.sign(path, part?.message ?? new Uint8Array())]);
    await adapter.broadcast(raw);
    const { id } = await book.withdraw({ merchantId: shop, currency: 'LTC', amount: '2', address: outside });
    await stage.settle(book.watcher, signer);
    expect(await book.isHalted()).toBe(true);
    expect(await book.payout(id)).toMatchObject({ status: 'REQUESTED', held_reason: 'NETWORK_HALTED' });

    await stage.litecoin.mine(1);
    await stage.settle(book.watcher, signer);
    const { outcome, said } = await book.recover();
    expect(outcome).toBe('recovered');
    expect(said).toContain(`${byHand}: unexplained outflow of 1 LTC`);
    for (let round = 0; round < 4; round += 1) {
      await stage.settle(signer, book.watcher);
      await stage.litecoin.mine(1);
    }
    await stage.settle(signer, book.watcher);
    // Paid from the change of the unknown transaction.
    expect(await book.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.received(outside)).toBe(3n * LITE);
    await book.audit();
  });
});
