// A restored database on a development chain: payouts made after the backup are not paid again, and after recovery each
// was paid once.

import { beforeEach, describe, expect, it } from '@jest/globals';
import { OUTSIDE } from '../../payout-setup.fixture.ts';
import { JOURNALS } from './book.fixture.ts';
import { book, restorable, settle, shop, stage } from './shop.fixture.ts';

const UNIT = 1_000_000n;

beforeEach(async () => {
  await stage.pay(await stage.order(shop), 'USDT', 200n * UNIT);
});

const withdrawal = (amount: string, id?: string) => ({
  ...{ merchantId: shop, currency: 'USDT', amount, address: OUTSIDE },
  ...(id !== undefined && { id }),
});
const received = () => stage.holds(OUTSIDE, 'USDT');

describe('a restored dump, whose journal is', () => {
  it.each(JOURNALS)('%s: nothing is paid until it is recovered, and everything once afterwards', async (fate) => {
    const before = await received();
    const early = await book.withdraw(withdrawal('10'));
    await settle(book);
    const waiting = await book.withdraw(withdrawal('20'));
    await restorable.backUp();
    await settle(book);
    const lost = await book.withdraw(withdrawal('30', 'lost'));
    await settle(book);
    expect(await book.payout(lost.id)).toMatchObject({ status: 'COMPLETED' });
    expect((await received()) - before).toBe(60n * UNIT);

    const copy = await restorable.restore(fate);
    await settle(copy);
    await settle(copy);
    expect(await copy.isHalted()).toBe(true);
    // The book has lost the first request, and accepts this one as new.
    const again = await copy.withdraw(withdrawal('30', 'lost'));
    await settle(copy);
    expect(await copy.payout(early.id)).toMatchObject({ status: 'COMPLETED' });
    for (const { id } of [waiting, again])
      expect(await copy.payout(id)).toMatchObject({ status: 'REQUESTED', held_reason: 'NETWORK_HALTED' });
    expect((await received()) - before).toBe(60n * UNIT);

    const acceptMissingJournal = fate === 'lost';
    expect(await copy.recover({ apply: false, acceptMissingJournal })).toMatchObject({ outcome: 'planned' });
    expect(await copy.isHalted()).toBe(true);
    expect(await copy.payout(waiting.id)).toMatchObject({ status: 'REQUESTED' });
    expect(await copy.recover({ acceptMissingJournal })).toMatchObject({ outcome: 'recovered' });
    await settle(copy);
    await settle(copy);

    expect((await received()) - before).toBe(60n * UNIT);
    const paid = fate === 'present' ? lost.id : again.id;
    for (const id of [waiting.id, paid])
      expect(await copy.payout(id)).toEqual({
        ...{ status: 'COMPLETED', held_reason: null, failure: null },
        tx_hash: (await book.payout(id === waiting.id ? id : lost.id))?.tx_hash,
      });
    if (fate === 'present') expect(await copy.payout(again.id)).toMatchObject({ status: 'FAILED' });
    // The merchant asks again: under the idempotency key they get the payout that was paid, under the id alone a
    // rejection.
    expect(await copy.withdraw(withdrawal('30', 'lost'))).toEqual({ id: paid, replayed: true });
    await copy.sql('delete from idempotency');
    await expect(copy.withdraw(withdrawal('30', 'lost'))).rejects.toMatchObject({ errorName: 'DUPLICATE_WITHDRAWAL' });
    await copy.audit();

    const rows = 'select * from payout order by id';
    const done = await copy.sql(rows);
    expect(await copy.recover()).toMatchObject({ outcome: 'recovered' });
    expect(await copy.sql(rows)).toEqual(done);
    await copy.withdraw(withdrawal('5'));
    await settle(copy);
    expect((await received()) - before).toBe(65n * UNIT);
    await copy.audit();
  });
});
