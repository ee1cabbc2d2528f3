// Payouts from outputs when something goes wrong: prices rise, blocks are replaced, processes die, two run at once.

import { beforeEach, expect, it } from '@jest/globals';
import { createSeedSigner } from '../../../src/custody/keys/signer.ts';
import type { Signer } from '../../../src/custody/keys/signer.ts';
import { describePayouts, shop, stage } from './shop.fixture.ts';
import { LITE } from './setup.fixture.ts';

describePayouts('payouts on litecoind, with faults', () => {
  beforeEach(async () => {
    await stage.pay(await stage.order(shop), 3n * LITE);
  });

  const waiting = () => stage.node<string[]>('getrawmempool');

  it('a stuck one offers more; of the two only one is mined, and it pays once', async () => {
    const address = await stage.outside();
    const { id } = await stage.withdraw(shop, '1', address);
    const sender = stage.sender();
    await stage.settle(sender);
    stage.pass(11);
    await stage.settle(sender);
    const [first, second] = await stage.transfers(id);
    expect(Number(second?.max_per_gas)).toBeGreaterThan(Number(first?.max_per_gas));
    expect(second?.nonce).toBe(first?.nonce);
    expect(await waiting()).toEqual([second?.tx_hash]);
    const inputs = (raw = '') => stage.adapter.spendsOf(raw).split(',');
    expect(inputs(second?.raw)).toEqual(expect.arrayContaining(inputs(first?.raw)));
    await stage.finish(sender);
    expect(await stage.transfers(id)).toMatchObject([{ status: 'REPLACED' }, { status: 'CONFIRMED' }]);
    expect(await stage.received(address)).toBe(LITE);
  });

  it('one whose block is replaced is sent again, and completes again without paying twice', async () => {
    const address = await stage.outside();
    const { id } = await stage.withdraw(shop, '1', address);
    const sender = stage.sender();
    await stage.finish(sender);
    const { tx_hash: hash } = await stage.payout(id);
    const { blockhash } = await stage.node<{ blockhash: string }>('getrawtransaction', hash, true);
    await stage.node('invalidateblock', blockhash);
    await stage.litecoin.mine(1);
    await stage.finish(sender);
    expect(await stage.payout(id)).toEqual({ status: 'COMPLETED', tx_hash: hash });
    expect(await stage.received(address)).toBe(LITE);
  });

  it.each(['before it signs', 'after it has signed', 'before it sends', 'after it has sent'])(
    'a process that dies %s pays once all the same',
    async (point) => {
      const address = await stage.outside();
      const { id } = await stage.withdraw(shop, '1', address);
      const dying = stage.sender({ signer: dyingSigner(stage.seed, point) });
      if (point.includes('sign')) await expect(stage.settle(dying)).rejects.toThrow('killed');
      else await expect(dieAround(point)).rejects.toThrow('killed');
      expect(await stage.payout(id)).toMatchObject({ status: point.includes('sign') ? 'REQUESTED' : 'BROADCAST' });
      await stage.finish();
      expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
      expect(await stage.received(address)).toBe(LITE);
    },
  );

  it('two processes at once sign each payout once, and no output twice', async () => {
    const addresses = await Promise.all([1, 2, 3, 4].map(() => stage.outside()));
    for (let count = 0; count < 3; count += 1) await stage.pay(await stage.order(shop), 2n * LITE);
    const ids: string[] = [];
    for (const address of addresses) ids.push((await stage.withdraw(shop, '1', address)).id);
    const senders = [stage.sender(), stage.sender({}, await stage.another())];
    for (let round = 0; round < 6; round += 1) await Promise.all(senders.map((sender) => sender.processNext()));
    for (const id of ids) expect(await stage.transfers(id)).toHaveLength(1);
    await stage.finish(senders[0]);
    for (const address of addresses) expect(await stage.received(address)).toBe(LITE);
  });
});

describePayouts('payouts on litecoind, one on the change of another', () => {
  it('one whose change is spent is not replaced: that would take the next one with it', async () => {
    await stage.pay(await stage.order(shop), 3n * LITE);
    const addresses = [await stage.outside(), await stage.outside()];
    const ids: string[] = [];
    for (const address of addresses) ids.push((await stage.withdraw(shop, '1', address)).id);
    const sender = stage.sender();
    await stage.settle(sender);
    stage.pass(11);
    await stage.settle(sender);
    const both = await Promise.all(ids.map((id) => stage.transfers(id)));
    const [before, after] = both.sort(([a], [b]) => Number(a?.nonce) - Number(b?.nonce));
    expect(stage.adapter.spendsOf(after?.[0]?.raw ?? '')).toBe(`${before?.[0]?.tx_hash ?? ''}:1`);
    expect(before).toHaveLength(1);
    expect(after).toHaveLength(2);
    expect(await stage.node<string[]>('getrawmempool')).toHaveLength(2);
    await stage.finish(sender);
    for (const address of addresses) expect(await stage.received(address)).toBe(LITE);
  });
});

describePayouts('payouts on litecoind, whose deposit another transaction took the place of', () => {
  it('are given up when that one has six confirmations and not before, and paid once out of what else there is', async () => {
    await stage.pay(await stage.order(shop), 4n * LITE);
    await stage.litecoin.mine(4);
    await stage.pay(await stage.order(await stage.setup.merchant()), 2n * LITE);
    const address = await stage.outside();
    const { id } = await stage.withdraw(shop, '1', address);
    const sender = stage.sender();
    await stage.settle(sender);
    // The smaller deposit pays the payout and disappears: its two blocks are replaced by three, the first of which
    // holds a conflicting transaction.
    await stage.litecoin.reorg(2);
    for (let confirmations = 3; confirmations < 6; confirmations += 1) {
      await stage.settle(stage.watcher(), sender);
      expect(await stage.transfers(id)).toMatchObject([{ status: 'BROADCAST' }]);
      await stage.litecoin.mine(1);
    }
    await stage.settle(stage.watcher());
    await stage.settle(sender);
    expect(await stage.transfers(id)).toMatchObject([{ status: 'EXPIRED' }, { status: 'BROADCAST' }]);
    await stage.finish(sender);
    expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.received(address)).toBe(LITE);
  });
});

function dyingSigner(seed: Buffer, point: string): Signer {
  const signer = createSeedSigner(seed);
  return {
    ...signer,
    sign: async (path, digest) => {
      if (point === 'before it signs') throw new Error('killed');
      await signer.sign(path, digest);
      throw new Error('killed');
    },
  };
}

/** Dies as it hands its transaction to the node, or after the node has it but before that is recorded. */
async function dieAround(point: string): Promise<void> {
  const chain = {
    sendRaw: async (raw: string) => {
      if (point === 'after it has sent') await stage.litecoin.sendRaw(raw);
      throw new Error('killed');
    },
    mine: () => Promise.resolve(),
    deposit: () => Promise.resolve(),
  };
  await stage.settle(stage.sender({ devChain: chain }));
}
