// Emptying suspense: credited to the owner, or borne by the gateway; the book stays consistent and records who did it.

import { describe, expect, it } from '@jest/globals';
import { bookDifference, creditFromSuspense, writeOffSuspense } from '../../../src/domain/ledger/suspense.ts';
import { chain, deps, order, readOpen, shop, setup } from '../own-book.fixture.ts';
import * as book from '../payouts/book.fixture.ts';

const balanceOf = async (purpose: string) => {
  const [row] = await setup.sql<{ balance: string }>(
    `select balance::text from ledger_account where owner = 'gateway' and purpose = $1 and currency = 'USDT'`,
    [purpose],
  );
  return BigInt(row?.balance ?? 0);
};

/** Records that the reconciler found this much more on the chain than in the book. */
async function find(difference: bigint): Promise<void> {
  const balance = await balanceOf('custody');
  const found = { network: 'ETH', currency: 'USDT', book: -balance, chain: difference - balance, difference, balance };
  expect(await bookDifference(deps, { ...found, at: chain.tip })).toBe(true);
}

const signed = { operator: 'Ada', note: 'the customer paid by a multi-sender' };
const credit = (amount: string, its = deps, currency = 'USDT') =>
  creditFromSuspense(its, { paymentId: order.id, currency, amount, ...signed });
const writeOff = (amount: string, its = deps) =>
  writeOffSuspense(its, { network: 'ETH', currency: 'USDT', amount, ...signed });
const refusal = (errorName: string) => ({ errorName });

describe('a credit out of suspense', () => {
  it('is a deposit to the merchant: the fee is taken, and the payment stays as it is', async () => {
    await find(5_000_000n);
    await credit('5');
    expect(await setup.balance(shop)).toMatchObject({ available: 4_950_000n });
    expect([await balanceOf('suspense'), await balanceOf('fees'), await balanceOf('custody')]).toEqual([
      ...[0n, 50_000n, -5_000_000n],
    ]);
    expect(await readOpen()).toEqual([]);
    expect(await setup.read(order)).toMatchObject({ status: 'PENDING', amountReceived: '0' });
    const movements = await setup.sql(
      `select m.kind, m.amount::text, m.payment_id, m.merchant_id, m.note, m.operator, t.payment_id as posted
       from suspense_movement m join ledger_transaction t on t.reference = 'suspense/' || m.id`,
    );
    const { id } = order;
    expect(movements).toEqual([
      { kind: 'CREDIT', amount: '5000000', payment_id: id, merchant_id: shop, posted: id, ...signed },
    ]);
  });

  it('settles first what the merchant owes', async () => {
    await book.deposit(chain, order, 1_000_000n);
    await book.complete(deps, await book.withdraw(deps, shop, '0.99'));
    await book.loseForGood(chain);
    expect(await setup.balance(shop)).toMatchObject({ available: 0n, owed: 990_000n });
    await find(2_000_000n);
    await credit('2');
    expect(await setup.balance(shop)).toMatchObject({ available: 990_000n, owed: 0n });
  });

  it('is never more than suspense holds, however many are made at once', async () => {
    await find(5_000_000n);
    await expect(credit('5.000001')).rejects.toMatchObject(refusal('INSUFFICIENT_FUNDS'));
    const elsewhere = book.withNetwork(await setup.another());
    const work = (nth: number) => credit('2', nth % 2 === 0 ? deps : elsewhere);
    expect(await book.countThrough(8, work, 'INSUFFICIENT_FUNDS')).toBe(2);
    expect(await balanceOf('suspense')).toBe(1_000_000n);
    expect(await readOpen()).toHaveLength(1);
  });

  it.each([
    ['an unknown payment', 'NOT_FOUND', () => creditFromSuspense(deps, { ...signed, paymentId: 'ord_x', currency: 'USDT', amount: '1' })], // prettier-ignore
    ['an unknown currency', 'UNSUPPORTED_ASSET', () => credit('1', deps, 'DOGE')],
    ['a currency that suspense has none of', 'INSUFFICIENT_FUNDS', () => credit('1', deps, 'USDC')],
    ['nothing', 'VALIDATION', () => credit('0')],
    ['more decimals than there are', 'VALIDATION', () => credit('1.0000001')],
    ['no reason', 'VALIDATION', () => creditFromSuspense(deps, { ...signed, note: ' ', paymentId: order.id, currency: 'USDT', amount: '1' })], // prettier-ignore
  ])('with %s is refused (%s), and nothing is kept of it', async (_what, name, work) => {
    await find(5_000_000n);
    await expect(work()).rejects.toMatchObject(refusal(name));
    expect(await setup.sql('select 1 from suspense_movement')).toEqual([]);
    expect(await balanceOf('suspense')).toBe(5_000_000n);
  });
});

describe('a write-off', () => {
  it('of what the chain has more is a gain', async () => {
    await find(3_000_000n);
    await writeOff('3');
    expect([await balanceOf('suspense'), await balanceOf('costs')]).toEqual([0n, 3_000_000n]);
    expect(await readOpen()).toEqual([]);
  });

  it('of what the chain has less is a loss', async () => {
    await book.deposit(chain, order, 1_000_000n);
    await find(-400_000n);
    await writeOff('-0.4');
    expect([await balanceOf('suspense'), await balanceOf('costs')]).toEqual([0n, -400_000n]);
    expect(await readOpen()).toEqual([]);
  });

  it('of a loss uncovers what it hid, which is the merchant’s', async () => {
    await find(1_000_000n);
    await find(-300_000n);
    await expect(credit('1')).rejects.toMatchObject(refusal('INSUFFICIENT_FUNDS'));
    await writeOff('-0.3');
    await credit('1');
    expect([await balanceOf('suspense'), await balanceOf('costs')]).toEqual([0n, -300_000n]);
  });

  it('is never more than was found of its sign and is not moved yet', async () => {
    await find(1_000_000n);
    await credit('0.4');
    await expect(writeOff('0.600001')).rejects.toMatchObject(refusal('INSUFFICIENT_FUNDS'));
    await expect(writeOff('-0.000001')).rejects.toMatchObject(refusal('INSUFFICIENT_FUNDS'));
    const elsewhere = book.withNetwork(await setup.another());
    const work = (nth: number) => writeOff('0.2', nth % 2 === 0 ? deps : elsewhere);
    expect(await book.countThrough(8, work, 'INSUFFICIENT_FUNDS')).toBe(3);
    expect(await balanceOf('suspense')).toBe(0n);
  });
});

describe('the record of movements', () => {
  it('cannot be changed', async () => {
    await find(1_000_000n);
    await credit('1');
    await expect(setup.sql(`update suspense_movement set note = 'other'`)).rejects.toThrow('append-only');
    await expect(setup.sql('delete from suspense_movement')).rejects.toThrow('append-only');
    await expect(setup.sql('truncate suspense_movement')).rejects.toThrow('append-only');
  });
});
