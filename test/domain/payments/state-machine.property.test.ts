// What must hold of the state machine for any payment, any money and any clock.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  isPaidLate,
  nextState,
  type DepositFacts,
  type PaymentFacts,
} from '../../../src/domain/payments/state-machine.ts';
import { PAYMENT_EXCEPTIONS, PAYMENT_STATUSES } from '../../../src/entities/enums.ts';
import { lessTolerance } from '../../../src/values/amount.ts';
import { CONDITIONS, minute, name, payment, settle, type Condition } from './facts.fixture.ts';

/** `PROPERTY_RUNS` sets a larger number of runs. */
const numRuns = Number(process.env['PROPERTY_RUNS'] ?? 2_000);
const hold = <Values extends [unknown, ...unknown[]]>(property: fc.IProperty<Values>) =>
  fc.assert(property, { numRuns });

const time = fc.integer({ min: 0, max: 4_000 }).map(minute);
const condition = fc.constantFrom(...(Object.keys(CONDITIONS) as Condition[]));
const deposit: fc.Arbitrary<DepositFacts> = fc
  .record({ amount: fc.bigInt(1n, 1_200n), condition, late: fc.boolean(), seenAt: time })
  .map(({ condition: known, ...rest }) => ({ ...rest, ...CONDITIONS[known] }));
const deposits = fc.array(deposit, { maxLength: 5 });
const clock = fc
  .tuple(time, fc.option(time))
  .map(([a, b]) => ({ now: b && b > a ? b : a, seenUntil: b && b > a ? a : b }));
const status = fc.constantFrom(...PAYMENT_STATUSES);
const exception = fc.option(fc.constantFrom(...PAYMENT_EXCEPTIONS));
const paidException = fc.constantFrom(null, 'OVERPAID' as const, 'PAID_LATE' as const);
const ended = fc.constantFrom('EXPIRED' as const, 'FAILED' as const, 'CANCELED' as const);
const paid = fc.constantFrom('SUCCEEDED' as const, 'PARTIALLY_REFUNDED' as const, 'REFUNDED' as const);

/** Any possible payment: what was left or lost is either known completely or not at all. */
const anyPayment: fc.Arbitrary<PaymentFacts> = fc
  .record({
    status,
    exception,
    amount: fc.bigInt(1n, 2_000n),
    toleranceBasisPoints: fc.integer({ min: 0, max: 5_000 }),
    latePaymentPolicy: fc.constantFrom('ACCEPT' as const, 'MANUAL' as const),
    expiresAt: time,
    confirmingSince: fc.option(time),
    acceptedAt: fc.option(time),
    late: fc.option(fc.record({ lateFromStatus: ended, lateFromException: exception })),
    lost: fc.option(fc.record({ lostFromStatus: paid, lostFromException: paidException, lostAt: time })),
  })
  .map(({ late, lost, ...facts }) => payment({ ...facts, ...(facts.status === 'CONFIRMING' ? late : {}), ...lost }));

const sumOf = (all: readonly DepositFacts[], counts: (one: DepositFacts) => boolean) =>
  all.filter(counts).reduce((sum, { amount }) => sum + amount, 0n);
const dueOf = ({ amount, toleranceBasisPoints }: PaymentFacts) => lessTolerance(amount, toleranceBasisPoints);
const isConfirmed = (one: DepositFacts) => one.status === 'CONFIRMED' && one.credited;

describe('the state machine', () => {
  it('comes to rest within five steps', () => {
    hold(fc.property(anyPayment, deposits, clock, (facts, all, when) => void settle(facts, all, when)));
  });

  it('stays at rest: the same observation again changes nothing', () => {
    hold(
      fc.property(anyPayment, deposits, clock, (start, all, when) => {
        const { facts } = settle(start, all, when);
        expect(nextState(facts, all, when)).toBeNull();
      }),
    );
  });

  it('does not care for the order of the deposits', () => {
    const shuffled = deposits.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    hold(
      fc.property(anyPayment, shuffled, clock, (facts, [all, other], when) => {
        expect(settle(facts, other, when)).toEqual(settle(facts, all, when));
      }),
    );
  });

  it('lets none succeed in time with less confirmed money, sent in time, than is due', () => {
    hold(
      fc.property(anyPayment, deposits, clock, (start, all, when) => {
        const fresh = { ...start, status: 'PENDING' as const, exception: null, lostAt: null, lostFromStatus: null };
        const { facts } = settle(fresh, all, when);
        if (facts.status !== 'SUCCEEDED' || facts.exception === 'PAID_LATE') return;
        expect(sumOf(all, (one) => isConfirmed(one) && !one.late)).toBeGreaterThanOrEqual(dueOf(facts));
      }),
    );
  });

  it('tells payment.succeeded of none with less confirmed money than is due', () => {
    hold(
      fc.property(anyPayment, deposits, clock, (facts, all, when) => {
        const told = settle(facts, all, when).steps.filter(({ event }) => event === 'payment.succeeded');
        if (told.length > 0) expect(sumOf(all, isConfirmed)).toBeGreaterThanOrEqual(dueOf(facts));
        expect(told.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('calls nothing paid in full while less is credited than is due', () => {
    hold(
      fc.property(anyPayment, deposits, clock, (start, all, when) => {
        const { facts } = settle(start, all, when);
        if (!['SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED'].includes(facts.status)) return;
        expect(sumOf(all, ({ credited }) => credited)).toBeGreaterThanOrEqual(dueOf(facts));
      }),
    );
  });

  it('without a look at the chain ends nothing', () => {
    hold(
      fc.property(anyPayment, deposits, time, (start, all, now) => {
        const told = settle(start, all, { now, seenUntil: null }).steps.map(
          ({ changes, event }) => `${event} ${name(changes)}`,
        );
        expect(
          told.filter((step) => /expired|UNDERPAID|UNCONFIRMED/.test(step) && !step.startsWith('payment.updated')),
        ).toEqual([]);
      }),
    );
  });

  it('leaves what ended under MANUAL alone unless it is accepted, or lost money is back', () => {
    hold(
      fc.property(anyPayment, ended, deposits, clock, (start, endedAs, all, when) => {
        const facts = {
          ...start,
          status: endedAs,
          latePaymentPolicy: 'MANUAL' as const,
          acceptedAt: null,
          lostAt: null,
        };
        expect(nextState(facts, all, when)).toBeNull();
      }),
    );
  });

  it('leads an ended payment on exactly when it is paid late', () => {
    hold(
      fc.property(anyPayment, ended, deposits, clock, (start, endedAs, all, when) => {
        const facts = { ...start, status: endedAs, latePaymentPolicy: 'ACCEPT' as const, lostAt: null };
        expect(nextState(facts, all, when)?.changes.status).toBe(isPaidLate(facts, all) ? 'CONFIRMING' : undefined);
      }),
    );
  });
});
