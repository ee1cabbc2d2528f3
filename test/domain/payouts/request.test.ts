// Withdrawals: reserved before anything else, never more than is available, booked once.

import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Deps } from '../../../src/domain/deps.ts';
import { requestRefund, requestWithdrawal } from '../../../src/domain/payouts/request.ts';
import { digestOf } from '../../../src/domain/idempotency.ts';
import { deriveSecrets } from '../../../src/values/secrets/keys.ts';
import { verifyLedger } from '../../../src/domain/ledger/verify.ts';
import { newHash } from '../book.fixture.ts';
import * as book from './book.fixture.ts';
import { chain, order, shop, setup } from '../shop.fixture.ts';

let deps: Deps;
let elsewhere: Deps;

beforeAll(async () => {
  deps = book.withNetwork(setup.deps);
  elsewhere = book.withNetwork(await setup.another());
});
beforeEach(async () => {
  await book.deposit(chain, order, 1_000_000n);
});
afterEach(async () => {
  expect((await verifyLedger(setup.deps.db)).faults).toEqual([]);
});

const process = (nth: number): Deps => (nth % 2 === 0 ? deps : elsewhere);
const refusal = (errorName: string) => ({ errorName });

describe('a withdrawal', () => {
  it('is reserved at once, and is no longer available', async () => {
    const withdrawal = await book.withdraw(deps, shop, '0.4');
    expect(withdrawal).toMatchObject({ status: 'REQUESTED', amount: '0.4', networkFee: '0', txHash: null });
    expect(await setup.balance(shop)).toEqual({ available: 590_000n, reserved: 400_000n, pending: 0n, owed: 0n });
  });

  it('reserves the network fee besides, and "max" is what is left without it', async () => {
    const charged = book.withNetwork(setup.deps, 5_000n);
    await expect(book.withdraw(charged, shop, '0.99')).rejects.toMatchObject(refusal('INSUFFICIENT_FUNDS'));
    const withdrawal = await book.withdraw(charged, shop, 'max');
    expect(withdrawal).toMatchObject({ amount: '0.985', networkFee: '0.005' });
    expect(await setup.balance(shop)).toMatchObject({ available: 0n, reserved: 990_000n });
    await book.complete(deps, withdrawal);
    expect(await setup.balance(shop)).toMatchObject({ available: 0n, reserved: 0n });
  });

  it('of "max" is refused where nothing, or hardly anything, is left', async () => {
    await book.withdraw(deps, shop, '0.985');
    await expect(book.withdraw(deps, shop, 'max')).rejects.toMatchObject(refusal('DUST'));
    const charged = book.withNetwork(setup.deps, 5_000n);
    await expect(book.withdraw(charged, shop, 'max')).rejects.toMatchObject(refusal('INSUFFICIENT_FUNDS'));
  });

  it('comes through once when a hundred at once want the whole balance', async () => {
    const work = (nth: number) => book.withdraw(process(nth), shop, nth % 3 === 0 ? 'max' : '0.99');
    expect(await book.countThrough(100, work, 'INSUFFICIENT_FUNDS')).toBe(1);
    expect(await setup.balance(shop)).toMatchObject({ available: 0n, reserved: 990_000n });
  });

  it('comes through as often as there is money for it', async () => {
    const work = (nth: number) => book.withdraw(process(nth), shop, '0.3');
    expect(await book.countThrough(30, work, 'INSUFFICIENT_FUNDS')).toBe(3);
    expect(await setup.balance(shop)).toMatchObject({ available: 90_000n, reserved: 900_000n });
  });
});

describe("the merchant's own id of a withdrawal", () => {
  it('is taken once, also where the first has emptied the balance', async () => {
    await book.withdraw(deps, shop, 'max', { merchantWithdrawalId: 'w-1' });
    for (const amount of ['max', '0.5'])
      await expect(book.withdraw(deps, shop, amount, { merchantWithdrawalId: 'w-1' })).rejects.toMatchObject(
        refusal('DUPLICATE_WITHDRAWAL'),
      );
  });

  it('is taken once of many at once, whatever they ask for', async () => {
    const work = (nth: number) =>
      book.withdraw(process(nth), shop, nth % 2 === 0 ? 'max' : '0.1', { merchantWithdrawalId: 'w-2' });
    expect(await book.countThrough(40, work, 'DUPLICATE_WITHDRAWAL')).toBe(1);
  });

  it("is not taken by a withdrawal that was refused, nor by another merchant's", async () => {
    const fields = { merchantWithdrawalId: 'w-3' };
    await expect(book.withdraw(deps, shop, '1', fields)).rejects.toMatchObject(refusal('INSUFFICIENT_FUNDS'));
    await book.withdraw(deps, shop, '0.1', fields);
    const other = await setup.merchant();
    await book.deposit(chain, await setup.order(other), 1_000_000n);
    await book.withdraw(deps, other, '0.1', fields);
  });
});

describe('one idempotency key', () => {
  it('has one effect over two processes', async () => {
    const request = { currency: 'USDT', network: 'ETH', amount: '0.1', address: book.RECIPIENT };
    const key = {
      scope: shop,
      operation: 'withdraw',
      key: 'k',
      inputDigest: digestOf(deriveSecrets('of this test'), request),
    };
    const work = (nth: number) => requestWithdrawal(process(nth), shop, request, key);
    expect(await book.countThrough(20, work, 'IDEMPOTENCY_IN_FLIGHT')).toBeGreaterThan(0);
    expect(await setup.balance(shop)).toMatchObject({ available: 890_000n, reserved: 100_000n });
    expect((await work(0)).replayed).toBe(true);
  });
});

describe('a withdrawal on its way', () => {
  it('is booked once, however often it is completed', async () => {
    const withdrawal = await book.withdraw(deps, shop, '0.4');
    await book.broadcast(deps, withdrawal);
    await Promise.all(Array.from({ length: 10 }, (_, nth) => book.complete(process(nth), withdrawal)));
    expect(await book.statusOf(setup, withdrawal)).toBe('COMPLETED');
    expect(await setup.balance(shop)).toMatchObject({ available: 590_000n, reserved: 0n });
  });

  it('that leaves the chain after COMPLETED is BROADCAST again, and booked no second time', async () => {
    const withdrawal = await book.withdraw(deps, shop, '0.4');
    const hash = newHash();
    for (let turn = 0; turn < 3; turn += 1) {
      await book.broadcast(deps, withdrawal, hash);
      expect(await book.statusOf(setup, withdrawal)).toBe('BROADCAST');
      await book.complete(deps, withdrawal, hash);
      expect(await setup.balance(shop)).toMatchObject({ available: 590_000n, reserved: 0n });
    }
    await book.broadcast(deps, withdrawal, hash);
    await book.fail(deps, withdrawal, true);
    expect(await book.statusOf(setup, withdrawal)).toBe('BROADCAST');
  });

  it('fails once, and is available again; from then on nothing moves it', async () => {
    const withdrawal = await book.withdraw(deps, shop, '0.4');
    await Promise.all(Array.from({ length: 10 }, (_, nth) => book.fail(process(nth), withdrawal)));
    await book.broadcast(deps, withdrawal);
    await book.complete(deps, withdrawal);
    expect(await book.statusOf(setup, withdrawal)).toBe('FAILED');
    expect(await setup.balance(shop)).toMatchObject({ available: 990_000n, reserved: 0n });
  });

  it('whose transaction was mined and reverted gives back its amount, and its network fee is spent', async () => {
    const charged = book.withNetwork(setup.deps, 5_000n);
    const costs = async () => {
      const [row] = await setup.sql<{ balance: string }>(
        `select balance::text from ledger_account where (owner, purpose, currency) = ('gateway', 'costs', 'USDT')`,
      );
      return BigInt(row?.balance ?? 0);
    };
    const before = await costs();
    const withdrawal = await book.withdraw(charged, shop, '0.4');
    await book.broadcast(deps, withdrawal);
    await book.mineInVain(deps, withdrawal);
    await book.fail(deps, withdrawal, true);
    expect(await book.statusOf(setup, withdrawal)).toBe('FAILED');
    expect(await setup.balance(shop)).toMatchObject({ available: 985_000n, reserved: 0n });
    expect((await costs()) - before).toBe(5_000n);
  });

  it('cannot fail once it was broadcast, unless the chain carried it out without moving anything', async () => {
    const withdrawal = await book.withdraw(deps, shop, '0.4');
    await book.broadcast(deps, withdrawal);
    await book.fail(deps, withdrawal);
    expect(await book.statusOf(setup, withdrawal)).toBe('BROADCAST');
    await book.fail(deps, withdrawal, true);
    expect(await setup.balance(shop)).toMatchObject({ available: 990_000n, reserved: 0n });
  });
});

describe('what a merchant owes', () => {
  it('is settled first out of what a failed withdrawal releases', async () => {
    const [first, second] = [await book.withdraw(deps, shop, '0.6'), await book.withdraw(deps, shop, '0.39')];
    await book.loseForGood(chain);
    expect(await setup.balance(shop)).toMatchObject({ available: 0n, reserved: 990_000n, owed: 990_000n });
    await book.fail(deps, first);
    expect(await setup.balance(shop)).toMatchObject({ available: 0n, reserved: 390_000n, owed: 390_000n });
    await book.complete(deps, second);
    expect(await setup.balance(shop)).toMatchObject({ available: 0n, reserved: 0n, owed: 390_000n });
    await book.deposit(chain, await setup.order(shop), 1_000_000n);
    expect(await setup.balance(shop)).toMatchObject({ available: 600_000n, reserved: 0n, owed: 0n });
  });
});

describe("an address of the gateway's own", () => {
  it.each(['HOT', 'GAS'])(
    'that is its %s wallet is no address to pay to, on whatever network it is one',
    async (role) => {
      const wallet = `0x${newHash().slice(26)}`;
      for (const network of ['BASE', 'ETH']) {
        await setup.sql('insert into sender (network, address_key, role, next_nonce) values ($1, $2, $3, 0)', [
          ...[network, wallet, role],
        ]);
        await expect(book.withdraw(deps, shop, '0.1', { address: wallet })).rejects.toMatchObject(
          refusal('BAD_ADDRESS'),
        );
        const request = { paymentId: order.id, address: wallet.toUpperCase().replace('X', 'x'), amount: '0.1' };
        await expect(requestRefund(deps, shop, request, null)).rejects.toMatchObject(refusal('BAD_ADDRESS'));
      }
      expect(await setup.balance(shop)).toMatchObject({ available: 990_000n, reserved: 0n });
    },
  );

  it('that it issued for an order is one like any other', async () => {
    const { addressKey } = await setup.order(await setup.merchant());
    await setup.sql(`insert into sender (network, address_key, role, next_nonce) values ('ETH', $1, 'DEPOSIT', 0)`, [
      addressKey,
    ]);
    expect(await book.withdraw(deps, shop, '0.1', { address: addressKey })).toMatchObject({ status: 'REQUESTED' });
  });
});
