// One payout never delays another: a payout with a problem is parked alone, on a real litecoind.

import { expect, it } from '@jest/globals';
import { describePayouts, shop, stage } from './shop.fixture.ts';
import { LITE } from './setup.fixture.ts';

describePayouts('a payout on litecoind that cannot be paid now', () => {
  const held = async (id: string) =>
    (await stage.setup.sql<{ held_reason: string | null }>('select held_reason from payout where id = $1', [id]))[0];

  it('for want of money is parked alone: what comes after it is paid, and it is paid when there is money', async () => {
    await stage.pay(await stage.order(shop), 10n * LITE);
    // Someone with the seed spent it by hand, or it was lost: the book has more than the chain.
    await stage.setup.sql(`update deposit set spent = true where amount = $1`, [String(10n * LITE)]);
    await stage.pay(await stage.order(shop), LITE);
    const [large, small] = [await stage.outside(), await stage.outside()];
    const first = await stage.withdraw(shop, '5', large);
    const second = await stage.withdraw(shop, '0.5', small);
    await stage.finish();
    expect(await stage.payout(second.id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.payout(first.id)).toMatchObject({ status: 'REQUESTED' });
    expect(await held(first.id)).toEqual({ held_reason: 'MISSING_FUNDS' });
    await stage.setup.sql(`update deposit set spent = false where amount = $1`, [String(10n * LITE)]);
    await stage.finish();
    expect(await stage.payout(first.id)).toMatchObject({ status: 'COMPLETED' });
    expect(await held(first.id)).toEqual({ held_reason: null });
    expect(await stage.received(large)).toBe(5n * LITE);
  });

  it('because looking at it fails holds up no other', async () => {
    await stage.pay(await stage.order(shop), 2n * LITE);
    await stage.pay(await stage.order(shop), LITE);
    const addresses = [await stage.outside(), await stage.outside()];
    const first = await stage.withdraw(shop, '1.5', addresses[0] ?? '');
    const second = await stage.withdraw(shop, '0.5', addresses[1] ?? '');
    const chain = stage.deps.chains.get('LTC');
    if (chain?.adapter.model !== 'OUTPUTS') throw new Error('There is no chain');
    // The node cannot be asked about the inputs of the first one.
    const { unspent } = chain.adapter;
    const largest = await stage.setup.sql<{ hash: string }>(
      `select tx_hash as hash from deposit where amount = $1 and not spent`,
      [String(2n * LITE)],
    );
    const isHarmed = (outpoints: readonly string[]) =>
      outpoints.some((outpoint) => largest.some(({ hash }) => outpoint.startsWith(hash)));
    const adapter = {
      ...chain.adapter,
      unspent: (outpoints: readonly string[], at?: Parameters<typeof unspent>[1]) =>
        isHarmed(outpoints) ? Promise.reject(new Error('planted')) : unspent(outpoints, at),
    };
    const harmed = stage.sender({ chain: { ...chain, adapter } });
    for (let round = 0; round < 3; round += 1) await harmed.processNext().catch(() => undefined);
    expect(await stage.payout(second.id)).toMatchObject({ status: 'BROADCAST' });
    expect(await stage.payout(first.id)).toMatchObject({ status: 'REQUESTED' });
    await stage.finish();
    for (const { id } of [first, second]) expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
  });

  it('thirty in a row, one on the change of another, are sent as nodes let them wait, and all are paid', async () => {
    await stage.pay(await stage.order(shop), 40n * LITE);
    // There are no other outputs to pay them with.
    await stage.setup.sql(`update deposit set spent = true where amount < $1 and credited`, [String(40n * LITE)]);
    await stage.setup.sql('update change_output set spent = true where not spent');
    const address = await stage.outside();
    const ids: string[] = [];
    for (let count = 0; count < 30; count += 1) ids.push((await stage.withdraw(shop, '0.5', address)).id);
    const sender = stage.sender();
    await stage.settle(sender);
    const waiting = await stage.node<string[]>('getrawmempool');
    expect(waiting).toHaveLength(25);
    const signed = await stage.setup.sql(`select 1 from transfer where status = 'SIGNED'`);
    expect(signed).toEqual([]);
    await stage.finish(sender);
    for (const id of ids) expect(await stage.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.received(address)).toBe(15n * LITE);
    await stage.setup.sql(
      `update deposit d set spent = exists (select from spent_output s where s.outpoint = d.tx_hash || ':' || d.ordinal)`,
    );
  });
});
