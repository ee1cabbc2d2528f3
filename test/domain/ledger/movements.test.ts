// Movements in the domain: what each posting is called, what it is worth, and that they add up to the balance
// (contract-people-payouts, sections E and G).

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { inTransaction } from '../../../src/domain/deps.ts';
import { creditDeposit } from '../../../src/domain/ledger/ledger.ts';
import { findMovements, movementType } from '../../../src/domain/ledger/movements.ts';
import { createRates } from '../../../src/domain/rates/create-rates.ts';
import { lastRatesOf } from '../../../src/domain/rates/last-rates.ts';
import { createSandboxPrices, setSandboxRate } from '../../../src/domain/rates/sandbox-prices.ts';
import type { QuotedRate } from '../../../src/domain/rates/rates.ts';
import { assetOf } from '../../../src/values/assets.ts';
import { newId } from '../../../src/values/id.ts';
import { audit } from '../audit.fixture.ts';
import { createSetup, minutesLater, openChain, pay, START, type DataChain, type Setup } from '../book.fixture.ts';
import { openTillAt, toward, type Till } from '../invoices/till.fixture.ts';
import { auditMovements, balancesOf, readMovements } from '../movement-audit.fixture.ts';
import * as book from '../payouts/book.fixture.ts';

let setup: Setup;
let its: Setup;
let till: Till<ReturnType<typeof createRates>>;
let shop: string;
let eth: DataChain;

beforeAll(async () => {
  setup = await createSetup();
});
afterAll(() => setup.stop());
beforeEach(async () => {
  setup.setNow(START);
  till = await openTillAt(setup, createRates(createSandboxPrices(setup.deps.clock), setup.deps.clock));
  its = { ...setup, deps: till.deps };
  shop = await setup.merchant();
  eth = await openChain(its, 100, 'ETH');
});
afterEach(async () => {
  await auditMovements(its, shop);
  await audit(setup);
});

const keepBooksIn = (currency: string | null) =>
  setup.sql('update merchant set accounting_currency = $2 where id = $1', [shop, currency]);

/** One USDT is worth so much in EUR from now on. */
async function setRate(usdt: string | null): Promise<void> {
  await setSandboxRate(till.deps, shop, { code: 'EUR', usd: '1' });
  await setSandboxRate(till.deps, shop, { code: 'USDT', usd: usdt });
}

describe('movements', () => {
  it('of a customer who pays in two parts and gets some back: 78 is the balance, and each row is valued alone', async () => {
    await keepBooksIn('EUR');
    await setRate('0.92');
    const withFee = book.withNetwork(till.deps, 1_000_000n);
    const order = await setup.order(shop, { amount: '100000000' });
    await book.deposit(eth, order, 60_000_000n);
    setup.setNow(minutesLater(2));
    await book.deposit(eth, order, 40_000_000n);
    setup.setNow(minutesLater(3));
    const refund = await book.refund(withFee, order, '20');
    setup.setNow(minutesLater(4));
    await setRate(null);
    await book.broadcast(withFee, refund, '0xabc');
    await book.complete(withFee, refund, '0xabc');
    const movements = await readMovements(its, shop, { oldestFirst: true });
    expect(movements.map(({ type, from, to, amount, fiatAmount }) => [type, from, to, amount, fiatAmount])).toEqual([
      ['DEPOSIT', 'outside', 'available', '60', '55.2'],
      ['FEE', 'available', 'fee', '0.6', '0.55'],
      ['DEPOSIT', 'outside', 'available', '40', '36.8'],
      ['FEE', 'available', 'fee', '0.4', '0.37'],
      ['RESERVE', 'available', 'reserved', '21', '19.32'],
      // There is no rate any more: what is not known then is not known later.
      ['REFUND', 'reserved', 'outside', '20', null],
      ['NETWORK_FEE', 'reserved', 'network_fee', '1', null],
    ]);
    expect(balancesOf(movements, 'available')).toEqual({ 'USDT/ETH': 78_000_000n });
    for (const { orderId, withdrawalId, fiatCurrency } of movements)
      expect([orderId, withdrawalId, fiatCurrency]).toEqual([order.id, null, 'EUR']);
    expect(movements.map(({ refundId }) => refundId)).toEqual([
      ...[null, null, null, null],
      ...[refund.id, refund.id, refund.id],
    ]);
    expect(movements.map(({ txHash }) => txHash !== null)).toEqual([true, true, true, true, false, true, true]);
    expect(movements.slice(-2).map(({ txHash }) => txHash)).toEqual(['0xabc', '0xabc']);
  });

  it('are valued at the locked rate of the order, whatever the books and the market say', async () => {
    const invoice = await till.create(shop, { amount: '10', currency: 'GBP' });
    const quote = await till.quote(invoice, 'USDT', 'ETH');
    await keepBooksIn('EUR');
    await setRate('5');
    await eth.mine(await toward(setup, quote, 12_500_000n));
    await eth.mineEmpty(1);
    // 0.9995 / 1.25.
    expect((await readMovements(its, shop)).map(({ fiatCurrency, fiatRate, fiatAmount }) => [fiatCurrency, fiatRate, fiatAmount])).toEqual([
      ['GBP', '0.7996', '0.1'],
      ['GBP', '0.7996', '10'],
    ]); // prettier-ignore
  });

  it('have no fiat without a currency, and of before', async () => {
    await book.deposit(eth, await setup.order(shop), 1_000_000n);
    for (const { fiatCurrency, fiatRate, fiatAmount } of await readMovements(its, shop))
      expect([fiatCurrency, fiatRate, fiatAmount]).toEqual([null, null, null]);
  });

  it('of a reversal that the balance does not cover, and of the debt that a later deposit pays', async () => {
    const order = await setup.order(shop);
    await book.deposit(eth, order, 1_000_000n);
    setup.setNow(minutesLater(1));
    const withdrawal = await book.withdraw(book.withNetwork(till.deps), shop, '0.9');
    setup.setNow(minutesLater(2));
    await book.loseForGood(eth);
    setup.setNow(minutesLater(3));
    await book.fail(till.deps, withdrawal);
    setup.setNow(minutesLater(4));
    await book.deposit(eth, await setup.order(shop), 1_000_000n);
    expect((await readMovements(its, shop, { oldestFirst: true })).map(({ type, from, to, amount }) => [type, from, to, amount])).toEqual([
      ['DEPOSIT', 'outside', 'available', '1'],
      ['FEE', 'available', 'fee', '0.01'],
      ['RESERVE', 'available', 'reserved', '0.9'],
      ['REVERSAL', 'available', 'outside', '0.09'],
      ['REVERSAL', 'receivable', 'outside', '0.9'],
      ['RELEASE', 'reserved', 'available', '0.9'],
      ['RECEIVABLE', 'available', 'receivable', '0.9'],
      ['DEPOSIT', 'outside', 'available', '1'],
      ['FEE', 'available', 'fee', '0.01'],
    ]); // prettier-ignore
  });

  it('are narrowed by time and asset, and oldest first cover 366 days', async () => {
    await book.deposit(eth, await setup.order(shop), 1_000_000n);
    await eth.mine(pay(await setup.order(shop), 10n ** 18n, { currency: 'ETH', ordinal: 0 }));
    await eth.mineEmpty(1);
    const currencies = async (filter: object) =>
      (await readMovements(its, shop, filter)).map(({ currency }) => currency);
    expect(await currencies({ currency: 'eth', network: 'ERC20' })).toEqual(['ETH', 'ETH']);
    expect(await currencies({ network: 'TRON' })).toEqual([]);
    expect(await currencies({ startDate: '2026-01-02' })).toEqual([]);
    expect(await currencies({ endDate: '2025-12-31' })).toEqual([]);
    expect(await currencies({ startDate: '2026-01-01', endDate: '2026-01-01' })).toHaveLength(4);
    const page = { limit: 10, before: null, oldestFirst: true };
    const during = (startDate: string | undefined, endDate: string) =>
      findMovements(its.deps, shop, startDate === undefined ? { endDate } : { startDate, endDate }, page);
    await expect(during('2025-01-01', '2026-01-02')).rejects.toMatchObject({
      details: [{ path: 'startDate', message: 'must be at most 366 days before endDate' }],
    });
    expect((await during('2025-01-02', '2026-01-02')).nodes).toHaveLength(4);
    expect((await during(undefined, '2027-01-01')).nodes).toHaveLength(4);
    expect((await during(undefined, '2027-01-02')).nodes).toEqual([]);
    await expect(findMovements(its.deps, shop, { currency: 'XYZ' }, page)).rejects.toMatchObject({
      errorName: 'UNSUPPORTED_ASSET',
    });
  });

  it('of one moment come once each, however they are cut into pages', async () => {
    const order = await setup.order(shop);
    for (let nth = 0; nth < 9; nth += 1) {
      const deposit = { depositId: newId('dep'), paymentId: order.id, merchantId: shop, amount: 100n, turn: 1 };
      await inTransaction(setup.deps, (em) =>
        creditDeposit(em, { ...deposit, asset: assetOf({ currency: 'USDC', network: 'ETH' }) }, START),
      );
    }
    const all = await readMovements(its, shop);
    expect(all).toHaveLength(18);
    for (const limit of [1, 2, 5, 17, 18]) expect(await readMovements(its, shop, { limit })).toEqual(all);
    await setup.sql('alter table ledger_transaction disable trigger user');
    await setup.sql('alter table posting disable trigger user');
    await setup.sql(
      `delete from posting where transaction_id in (select id from ledger_transaction where payment_id = $1)`,
      [order.id],
    );
    await setup.sql(`delete from ledger_transaction where payment_id = $1`, [order.id]);
    await setup.sql(`delete from ledger_account where currency = 'USDC'`);
    await setup.sql('alter table ledger_transaction enable trigger user');
    await setup.sql('alter table posting enable trigger user');
  });
});

describe('the type of a movement', () => {
  it.each([
    ['outside', 'available', 'credit/dep_1/1', 'DEPOSIT'],
    ['available', 'fee', 'credit/dep_1/1', 'FEE'],
    ['available', 'outside', 'reversal/dep_1/1', 'REVERSAL'],
    ['receivable', 'outside', 'reversal/dep_1/1', 'REVERSAL'],
    ['available', 'receivable', 'release/wdr_1', 'RECEIVABLE'],
    ['receivable', 'reserved', 'reserve/wdr_1', 'RECEIVABLE'],
    ['available', 'reserved', 'reserve/rfd_1', 'RESERVE'],
    ['reserved', 'available', 'release/rfd_1', 'RELEASE'],
    ['reserved', 'network_fee', 'payout/rfd_1', 'NETWORK_FEE'],
    ['reserved', 'outside', 'payout/rfd_1', 'REFUND'],
    ['reserved', 'outside', 'payout/wdr_1', 'WITHDRAWAL'],
    ['suspense', 'available', 'suspense/1', 'CORRECTION'],
  ])('from %s to %s under %s: %s', (from, to, reference, type) => {
    expect(movementType(from, to, reference)).toBe(type);
  });
});

describe('the last rate', () => {
  const quoted = (minutesAgo: number, market: bigint | null): QuotedRate => ({
    ...{ market, rate: 1n, state: 'HELD', sources: [], evidence: [] },
    at: minutesLater(-minutesAgo),
  });
  it.each([
    [0, 920_000_000_000n, '0.92'],
    [10, 920_000_000_000n, '0.92'],
    [10.001, 920_000_000_000n, null],
    [0, null, null],
  ])('%s minutes old, %s: %s', (minutesAgo, market, rate) => {
    const of = lastRatesOf({ quote: () => quoted(minutesAgo, market) });
    expect(of({ id: 'mer_1', movedPrices: {} }, 'USDT', 'EUR', START)).toBe(rate);
  });

  it('is none without rates', () => {
    expect(lastRatesOf(undefined)({ id: 'mer_1', movedPrices: {} }, 'USDT', 'EUR', START)).toBeNull();
  });
});
