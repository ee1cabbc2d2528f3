// A restored database on a development chain: payouts made after the backup are not paid again, and after recovery each
// was paid once.

import { beforeEach, describe, expect, it } from '@jest/globals';
import { OUTSIDE } from '../../payout-setup.fixture.ts';
import { approveAction, requestAction, type ActionRules } from '../../../../src/domain/operator/actions.ts';
import { JOURNALS, type Book } from './book.fixture.ts';
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

describe('fees that an approved action paid after the backup', () => {
  const COLD = '0x52908400098527886E0F7030069857D2E4169EE7';
  const rules = (): ActionRules => ({
    approvalAbove: { listed: new Map(), others: 0n },
    coldPlaceOf: () => ({ adapter: stage.adapter, coldAddress: COLD }),
  });
  const as = (name: string, { deps }: Pick<Book, 'deps'>) => ({ deps, name });
  const approve = (where: Book, id: string) => approveAction(as('Ben', where), rules(), id);

  /** An action that waits in the backup, and was approved and paid after it. */
  async function payAfterBackup(): Promise<{ readonly id: string; readonly paid: string; readonly held: bigint }> {
    const request = { kind: 'WITHDRAW_FEES', network: 'ETH', currency: 'USDT', amount: '1' } as const;
    const { id } = (await requestAction(as('Ada', book), rules(), request)).result;
    await restorable.backUp();
    const { target } = await approve(book, id);
    await settle(book);
    const held = await stage.holds(COLD, 'USDT');
    expect(await book.payout(target ?? '')).toMatchObject({ status: 'COMPLETED' });
    return { id, paid: target ?? '', held };
  }

  it('are not paid again: approved before the recovery, the repeat is failed and released', async () => {
    const { id, paid, held } = await payAfterBackup();
    const copy = await restorable.restore('present');
    await settle(copy);
    const { target } = await approve(copy, id);
    expect(target).not.toBe(paid);
    const { said } = await copy.recover();
    expect(said).toContain(`${target ?? ''} repeats ${paid}: it is failed and released`);
    await settle(copy);
    await settle(copy);
    expect(await copy.payout(paid)).toMatchObject({ status: 'COMPLETED' });
    expect(await copy.payout(target ?? '')).toMatchObject({ status: 'FAILED' });
    expect(await stage.holds(COLD, 'USDT')).toBe(held);
    await copy.audit();
  });

  it('are not paid again: approved after the recovery, the action is done with the payout that is there', async () => {
    const { id, paid, held } = await payAfterBackup();
    const copy = await restorable.restore('present');
    await settle(copy);
    expect(await copy.recover()).toMatchObject({ outcome: 'recovered' });
    await settle(copy);
    expect(await approve(copy, id)).toMatchObject({ status: 'DONE', target: paid });
    await settle(copy);
    await settle(copy);
    expect(await copy.sql(`select id from payout where kind = 'FEES' and reference = $1`, [`action/${id}`])).toEqual([
      { id: paid },
    ]);
    expect(await stage.holds(COLD, 'USDT')).toBe(held);
    await copy.audit();
  });
});
