// What must hold of an invoice for any mixture of coins, rates, arrivals, reorganisations, refunds and clocks.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { receiptsOf, worthOfAll } from '../../../src/domain/payments/invoice-values.ts';
import { INVOICE_STATUSES, PAYMENT_STATUSES } from '../../../src/entities/enums.ts';
import { lessTolerance } from '../../../src/values/amount.ts';
import { priceAsValue } from '../../../src/values/prices/price.ts';
import { CONDITIONS, minute, type Condition } from './facts.fixture.ts';
import { depositOf, invoice, ONE, settleInvoice, worth, type Worth } from './worth.fixture.ts';

/** `PROPERTY_RUNS` sets a larger number of runs. */
const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 2_000);
const hold = <Values extends [unknown, ...unknown[]]>(property: fc.IProperty<Values>) =>
  fc.assert(property, { numRuns });

const ASSETS = [
  ['USDT', 'ETH', 10n ** 6n],
  ['USDT', 'BSC', 10n ** 18n],
  ['BTC', 'BTC', 10n ** 8n],
  ['ETH', 'ETH', 10n ** 18n],
] as const;
const time = fc.integer({ min: 0, max: 4_000 }).map(minute);
const condition = fc.constantFrom(...(Object.keys(CONDITIONS) as Condition[]));
const rate = fc.bigInt(1n, 90_000n * ONE);

/** A payment with deposits worth up to about twice the price. */
const payment: fc.Arbitrary<Worth> = fc
  .record({
    asset: fc.constantFrom(...ASSETS),
    rate,
    status: fc.constantFrom(...PAYMENT_STATUSES),
    parts: fc.array(
      fc.record({
        ...{ condition, late: fc.boolean(), seenAt: time, blockTime: fc.option(time) },
        share: fc.integer({ min: 1, max: 2_000 }),
        own: fc.option(rate),
        isOther: fc.boolean(),
      }),
      { maxLength: 3 },
    ),
    refunded: fc.integer({ min: 0, max: 3 }),
  })
  .map(({ asset: [currency, network, unit], rate: quoted, status, parts, refunded }) => {
    const deposits = parts.map(({ share, own, isOther, condition: known, late, seenAt, blockTime }) => {
      const facts = { ...CONDITIONS[known], amount: (BigInt(share) * unit * ONE) / quoted + 1n, late, seenAt };
      const valueRate = own === null || own > quoted ? null : own;
      return depositOf(facts, { network, currency: isOther ? 'USDC' : currency, blockTime, valueRate });
    });
    const credited = deposits.filter((one) => one.credited && one.currency === currency);
    const all = credited.reduce((sum, { amount }) => sum + amount, 0n);
    return worth(deposits, { currency, network, rate: quoted, status, setAside: (all * BigInt(refunded)) / 7n });
  });
const payments = fc.array(payment, { maxLength: 4 });
const facts = fc
  .record({
    toleranceBasisPoints: fc.integer({ min: 0, max: 5_000 }),
    latePaymentPolicy: fc.constantFrom('ACCEPT' as const, 'MANUAL' as const),
    deadline: time,
    status: fc.constantFrom(...INVOICE_STATUSES),
  })
  .map(invoice);

const sumOf = (values: readonly { amount: bigint }[]) => values.reduce((sum, { amount }) => sum + amount, 0n);

describe('an invoice', () => {
  it('comes to rest within five steps, and stays at rest', () => {
    hold(
      fc.property(facts, payments, time, (start, all, now) => {
        const settled = settleInvoice(start, all, now);
        expect(settleInvoice(settled.facts, all, now).steps).toEqual([]);
      }),
    );
  });

  it('is never settled for less than its price less the tolerance, at the deposits’ own rates, and told once', () => {
    hold(
      fc.property(facts, payments, time, (start, all, now) => {
        const { steps } = settleInvoice(start, all, now);
        const told = steps.filter(({ event }) => event === 'invoice.settled');
        expect(told.length).toBeLessThanOrEqual(1);
        if (told.length === 0) return;
        const confirmed = receiptsOf(start.deadline, all).filter((one) => one.credited && one.status === 'CONFIRMED');
        const due = lessTolerance(priceAsValue(start.amount, 0), start.toleranceBasisPoints);
        expect(sumOf(confirmed)).toBeGreaterThanOrEqual(due + worthOfAll(all).valueSetAside);
      }),
    );
  });

  it('does not care for the order of its payments', () => {
    const shuffled = payments.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    hold(
      fc.property(facts, shuffled, time, (start, [all, other], now) => {
        expect(settleInvoice(start, other, now)).toEqual(settleInvoice(start, all, now));
      }),
    );
  });

  it('does not end while a payment may still bring money in time', () => {
    hold(
      fc.property(facts, payments, time, (start, all, now) => {
        if (!all.some(({ payment: { status } }) => status === 'PENDING' || status === 'PARTIALLY_PAID')) return;
        const told = settleInvoice(start, all, now).steps.map(({ event, changes }) => `${event} ${changes.exception}`);
        expect(told.filter((one) => /expired|UNDERPAID|UNCONFIRMED/.test(one) && !one.includes('updated'))).toEqual([]);
      }),
    );
  });

  it('sets aside no more than what it takes from', () => {
    hold(
      fc.property(payments, (all) => {
        const { valueSetAside, valueConfirmed } = worthOfAll(all);
        expect(valueSetAside).toBeLessThanOrEqual(valueConfirmed);
      }),
    );
  });
});
