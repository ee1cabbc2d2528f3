// The state of an invoice, and what its payments are worth, each row a rule of the contract (contract-invoices,
// sections 1 and 4).

import { describe, expect, it } from '@jest/globals';
import { overpaidFrom, receiptsOf, worthOfAll } from '../../../src/domain/payments/invoice-values.ts';
import { priceAsValue } from '../../../src/values/prices/price.ts';
import { minute, money } from './facts.fixture.ts';
import { depositOf, invoice, ONE, settleInvoice, worth, type Worth } from './worth.fixture.ts';

const UNIT = 1_000_000n;
const value = (units: bigint) => priceAsValue(units, 0);

/** The path of an invoice as texts. */
function way(payments: readonly Worth[], minutes: number, facts: Parameters<typeof invoice>[0] = {}): string[] {
  return settleInvoice(invoice(facts), payments, minute(minutes)).steps.map(
    ({ changes: { status, exception }, event }) => `${event} ${status}${exception === null ? '' : ` ${exception}`}`,
  );
}

const seen = (amount: bigint) => depositOf(money(amount * UNIT, 'waiting'));
const confirmed = (amount: bigint) => depositOf(money(amount * UNIT, 'confirmed'));

describe('the state of an invoice', () => {
  it.each<[string, string[], string[]]>([
    ['of nothing is OPEN', way([], 10), []],
    ['of less than the price is PARTIALLY_PAID', way([worth([seen(999n)])], 10), ['invoice.updated PARTIALLY_PAID']],
    [
      'is PROCESSING by parts in two payments',
      way([worth([seen(400n)]), worth([seen(600n)])], 10),
      ['invoice.processing PROCESSING'],
    ],
    [
      'is SETTLED once all of it is confirmed, both steps told',
      way([worth([confirmed(400n)]), worth([confirmed(600n)])], 10),
      ['invoice.processing PROCESSING', 'invoice.settled SETTLED'],
    ],
    [
      'is PROCESSING while a part is not confirmed',
      way([worth([confirmed(400n)]), worth([seen(600n)])], 10),
      ['invoice.processing PROCESSING'],
    ],
    [
      'with a tolerance is enough at exactly the rest',
      way([worth([confirmed(950n)])], 10, { toleranceBasisPoints: 500 }),
      ['invoice.processing PROCESSING', 'invoice.settled SETTLED'],
    ],
    [
      'with a tolerance is short by a base unit below',
      way([worth([depositOf(money(950n * UNIT - 1n, 'confirmed'))])], 10, { toleranceBasisPoints: 500 }),
      ['invoice.updated PARTIALLY_PAID'],
    ],
    ['without payments ends by the clock', way([], 30), ['invoice.expired EXPIRED']],
    ['waits for an open payment', way([worth([])], 300), []],
    ['waits for one that is partly paid', way([worth([], { status: 'PARTIALLY_PAID' })], 300), []],
    [
      'does not wait for one that confirms',
      way([worth([], { status: 'CONFIRMING' })], 30),
      ['invoice.expired EXPIRED'],
    ],
    [
      'fails with a part of its price',
      way([worth([confirmed(1n)], { status: 'FAILED' })], 30, { status: 'PARTIALLY_PAID' }),
      ['invoice.failed FAILED UNDERPAID'],
    ],
    [
      'never confirmed fails a day after the later of deadline and entry',
      way([worth([seen(1_000n)], { status: 'FAILED' })], 40 + 24 * 60, {
        ...{ status: 'PROCESSING', processingSince: minute(40) },
      }),
      ['invoice.failed FAILED UNCONFIRMED'],
    ],
    [
      'does not fail while a payment confirms',
      way([worth([seen(1_000n)], { status: 'CONFIRMING' })], 40 + 24 * 60, {
        ...{ status: 'PROCESSING', processingSince: minute(40) },
      }),
      [],
    ],
    [
      'does not count what came after the deadline while it is open',
      way([worth([depositOf(money(1_000n * UNIT, 'confirmed', { late: true }))])], 40),
      [],
    ],
    [
      'counts everything once it has ended',
      way([worth([depositOf(money(1_000n * UNIT, 'confirmed', { late: true }))], { status: 'EXPIRED' })], 40),
      ['invoice.expired EXPIRED', 'invoice.processing PROCESSING', 'invoice.settled SETTLED PAID_LATE'],
    ],
    [
      'counts what is late for its payment, but came before the deadline',
      way([worth([depositOf(money(1_000n * UNIT, 'confirmed', { late: true, seenAt: minute(20) }))])], 25),
      ['invoice.processing PROCESSING', 'invoice.settled SETTLED'],
    ],
    [
      'does not count another asset',
      way([worth([depositOf(money(1_000n * UNIT, 'confirmed'), { currency: 'USDC' })])], 10),
      [],
    ],
    [
      'does not count what is set aside',
      way([worth([confirmed(1_000n)], { setAside: 1n })], 10),
      ['invoice.updated PARTIALLY_PAID'],
    ],
  ])('%s', (_title, found, expected) => {
    expect(found).toEqual(expected);
  });
});

describe('what is too much', () => {
  const price = { amount: 1_000n, currency: 'JPY' };

  it('is a minor unit of the currency', () => {
    expect(overpaidFrom(price, [worth([confirmed(1n)])])).toBe(value(1_001n));
  });

  it('is one rounding step of each coin paid where those are more', () => {
    // A BTC of 300,000,000 JPY: a satoshi is worth three.
    const btc = { currency: 'BTC', network: 'BTC', rate: 300_000_000n * ONE } as const;
    const paid = worth([depositOf(money(1n, 'confirmed'), { currency: 'BTC', network: 'BTC' })], btc);
    expect(overpaidFrom(price, [paid])).toBe(value(1_003n));
    // Two payments in one coin have one step, and a coin that only was chosen has none.
    expect(overpaidFrom(price, [paid, paid])).toBe(value(1_003n));
    expect(overpaidFrom(price, [worth([], btc)])).toBe(value(1_001n));
  });
});

describe('what payments are worth', () => {
  it('is exact at each deposit’s own rate', () => {
    const own = depositOf(money(3n, 'confirmed'), { valueRate: 1n });
    const quoted = depositOf(money(2n, 'waiting'));
    const { valueReceived, valueConfirmed } = worthOfAll([worth([own, quoted])]);
    // 10⁻⁶ USDT times 10⁻¹² is a value of 10⁻¹⁸.
    expect(valueConfirmed).toBe(3n * 10n ** 12n);
    expect(valueReceived).toBe(3n * 10n ** 12n + (2n * value(1n)) / UNIT);
  });

  it('is set aside pro rata, rounded up, and refunded rounded down', () => {
    const deposits = [
      depositOf(money(1n, 'confirmed'), { valueRate: 1n }),
      depositOf(money(2n, 'confirmed'), { valueRate: 2n }),
    ];
    const one = worth(deposits, { setAside: 1n });
    const refunded = { ...one, payment: { ...one.payment, amountRefunded: 1n } };
    // Three units are worth 5 × 10¹²: one of them 1.66…
    expect(worthOfAll([refunded])).toMatchObject({
      valueSetAside: 1_666_666_666_667n,
      valueRefunded: 1_666_666_666_666n,
    });
  });

  it('of what was lost for good is that of what was once credited', () => {
    const gone = depositOf(money(2n, 'gone'), { credits: 1, valueRate: 3n });
    expect(worthOfAll([worth([gone], { setAside: 1n })]).valueSetAside).toBe(3n * 10n ** 12n);
    expect(worthOfAll([worth([depositOf(money(2n, 'gone'))], { setAside: 1n })]).valueSetAside).toBe(0n);
  });

  it('came late if both its sighting and its block are after the deadline', () => {
    const late = money(1n, 'confirmed', { late: true, seenAt: minute(31) });
    const isLate = (blockTime: Date | null) =>
      receiptsOf(minute(30), [worth([depositOf(late, { blockTime })])]).map((receipt) => receipt.late);
    expect(isLate(null)).toEqual([true]);
    expect(isLate(minute(32))).toEqual([true]);
    expect(isLate(minute(30))).toEqual([false]);
  });
});
