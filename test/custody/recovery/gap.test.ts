// Money paid to orders that a restored database has lost, on a development chain: it stays in suspense until an
// operator credits it; then payouts sweep it from its address.

import { beforeEach, describe, expect, it } from '@jest/globals';
import { parseEther } from 'viem/utils';
import { addGap } from '../../../src/database/queries/chain/gap.ts';
import { inTransaction } from '../../../src/domain/deps.ts';
import type { Order } from '../../domain/book.fixture.ts';
import { OUTSIDE } from '../payout-setup.fixture.ts';
import { JOURNALS, type Book, type JournalFate } from './restored/book.fixture.ts';
import { book, restorable, settle, shop, stage } from './restored/shop.fixture.ts';

const UNIT = 1_000_000n;

let known: Order;

beforeEach(async () => {
  known = await stage.order(shop);
  await stage.pay(known, 'USDT', 5n * UNIT);
});

const withdraw = (its: Book, currency: string, amount: string) =>
  its.withdraw({ merchantId: shop, currency, amount, address: OUTSIDE });

/** The copy after its recovery. */
async function restore(gap = 20, fate: JournalFate = 'present'): Promise<Book> {
  const copy = await restorable.restore(fate);
  await settle(copy);
  expect(await copy.recover({ gap, acceptMissingJournal: fate === 'lost' })).toMatchObject({ outcome: 'recovered' });
  await settle(copy);
  return copy;
}

/** The numbers of the waiting arrivals, from the output of `npm run ledger -- suspense`. */
async function waiting(copy: Book): Promise<Map<string, string>> {
  const { code, out } = await copy.ledger('suspense');
  expect(code).toBe(0);
  return new Map([...out.matchAll(/^ {2}arrival (\d+) {2}\S+ {2}(\S+ \S+) on ETH/gm)].map(([, id = '', what = '']) => [what, id])); // prettier-ignore
}

const credit = (copy: Book, currency: string, amount: string, ...more: string[]) =>
  copy.ledger(...['suspense', 'credit', '--payment', known.id, '--currency', currency, '--amount', amount], ...more, ...['--note', 'a lost order', '--by', 'Ada']); // prettier-ignore

describe('money at an address of a lost order', () => {
  it('is not touched before it is credited; then a payout that needs it sweeps it', async () => {
    await restorable.backUp();
    const lost = await stage.order(shop);
    await stage.pay(lost, 'USDT', 30n * UNIT);
    const before = await stage.holds(OUTSIDE, 'USDT');
    const copy = await restore();
    const small = await withdraw(copy, 'USDT', '4');
    await settle(copy);
    expect(await copy.payout(small.id)).toMatchObject({ status: 'COMPLETED' });
    await expect(withdraw(copy, 'USDT', '4')).rejects.toMatchObject({ errorName: 'INSUFFICIENT_FUNDS' });
    expect(await stage.holds(lost.addressKey, 'USDT')).toBe(30n * UNIT);
    await copy.audit();

    const id = (await waiting(copy)).get('30 USDT') ?? '';
    expect(await credit(copy, 'USDT', '30')).toMatchObject({ code: 2, err: expect.stringContaining('name the arrival') }); // prettier-ignore
    expect(await credit(copy, 'USDT', '30', '--arrival', id)).toMatchObject({ code: 0, err: '' });
    expect(await waiting(copy)).toEqual(new Map());
    await copy.audit();
    const large = await withdraw(copy, 'USDT', '30');
    await settle(copy);
    expect(await copy.payout(large.id)).toMatchObject({ status: 'COMPLETED', failure: null });
    expect(await stage.holds(lost.addressKey, 'USDT')).toBe(0n);
    expect((await stage.holds(OUTSIDE, 'USDT')) - before).toBe(34n * UNIT);
    await copy.audit();

    expect(await copy.recover()).toMatchObject({ outcome: 'recovered' });
    // Another payment to the lost order's address.
    await stage.dev.deposit({ address: lost.addressKey, currency: 'USDT', amount: 2n * UNIT, confirmations: 2 });
    await settle(copy);
    expect([...(await waiting(copy)).keys()]).toEqual(['2 USDT']);
    await copy.audit();
  });

  it('is swept with what else lies there, and the book has that as suspense until it is credited', async () => {
    await restorable.backUp();
    const lost = await stage.order(shop);
    for (const amount of [20n, 7n]) await stage.pay(lost, 'USDT', amount * UNIT);
    await stage.pay(lost, 'ETH', parseEther('1'));
    const copy = await restore();
    const ids = await waiting(copy);
    expect([...ids.keys()].sort()).toEqual(['1 ETH', '20 USDT', '7 USDT']);
    await credit(copy, 'USDT', '20', '--arrival', ids.get('20 USDT') ?? '');
    const first = await withdraw(copy, 'USDT', '24');
    await settle(copy);
    expect(await copy.payout(first.id)).toMatchObject({ status: 'COMPLETED' });
    // A sweep moves all of the token. The coin stays, less the gas of the sweep.
    expect(await stage.holds(lost.addressKey, 'USDT')).toBe(0n);
    expect(await stage.holds(lost.addressKey, 'ETH')).toBeGreaterThan(parseEther('0.99'));
    await expect(withdraw(copy, 'USDT', '1')).rejects.toMatchObject({ errorName: 'INSUFFICIENT_FUNDS' });
    await copy.audit();

    await credit(copy, 'USDT', '7', '--arrival', ids.get('7 USDT') ?? '');
    await credit(copy, 'ETH', '1', '--arrival', ids.get('1 ETH') ?? '');
    await copy.audit();
    const rest = [await withdraw(copy, 'USDT', '7'), await withdraw(copy, 'ETH', '0.9')];
    await settle(copy);
    for (const { id } of rest) expect(await copy.payout(id)).toMatchObject({ status: 'COMPLETED' });
    expect(await stage.holds(lost.addressKey, 'ETH')).toBeLessThan(parseEther('0.01'));
    expect(await copy.sql(`select currency, units::text from holding where payment_id like 'gap%' and currency = 'USDT'`)).toEqual([{ currency: 'USDT', units: '0' }]); // prettier-ignore
    await copy.audit();
  });

  it.each(JOURNALS)(
    'that was swept before the restore is credited as what the hot wallet has; journal %s',
    async (fate) => {
      await restorable.backUp();
      const lost = await stage.order(shop);
      await stage.pay(lost, 'USDT', 30n * UNIT);
      const { id } = await withdraw(book, 'USDT', '10');
      await settle(book);
      expect(await book.payout(id)).toMatchObject({ status: 'COMPLETED' });
      expect(await stage.holds(lost.addressKey, 'USDT')).toBe(0n);
      const copy = await restore(20, fate);
      await copy.audit();
      const arrival = (await waiting(copy)).get('30 USDT') ?? '';
      await credit(copy, 'USDT', '30', '--arrival', arrival);
      await copy.audit();
      const next = await withdraw(copy, 'USDT', '20');
      await settle(copy);
      expect(await copy.payout(next.id)).toMatchObject({ status: 'COMPLETED' });
      expect(await copy.sql(`select units::text from holding where payment_id like 'gap%' and currency = 'USDT'`)).toEqual([{ units: '0' }]); // prettier-ignore
      await copy.audit();
    },
  );

  it('is known with what was swept from there, though the address comes into the gap later', async () => {
    await restorable.backUp();
    const lost = await stage.order(shop);
    await stage.pay(lost, 'USDT', 30n * UNIT);
    await withdraw(book, 'USDT', '10');
    await settle(book);
    const copy = await restore(0);
    expect(await copy.sql(`select 1 from transfer where purpose = 'SWEEP' and status = 'CONFIRMED'`)).toHaveLength(1);
    await inTransaction(copy.deps, (em) => addGap(em, 'evm', [{ index: 1, key: lost.addressKey }]));
    expect(await copy.sql(`select units::text from holding where payment_id = 'gap_evm_1' and currency = 'USDT'`)).toEqual([{ units: String(-30n * UNIT) }]); // prettier-ignore
  });
});
