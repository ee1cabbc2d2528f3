// Builds payments and deposits as plain facts, for the tests of the state machine.

import { expect, it } from '@jest/globals';
import type { DepositFacts, ObservedClock, PaymentFacts, Step } from '../../../src/domain/payments/state-machine.ts';
import { nextState } from '../../../src/domain/payments/state-machine.ts';

/** The time `n` minutes into the test; payments are made at minute 0 and expire at minute 30. */
export const minute = (n: number): Date => new Date(Date.UTC(2026, 0, 1, 12) + n * 60_000);
export const DAY = 24 * 60;

/** A new payment of 1,000 base units, unless `fields` say otherwise. */
export function payment(facts: Partial<PaymentFacts> = {}): PaymentFacts {
  return {
    status: 'PENDING',
    exception: null,
    amount: 1_000n,
    toleranceBasisPoints: 0,
    latePaymentPolicy: 'ACCEPT',
    expiresAt: minute(30),
    confirmingSince: null,
    lateFromStatus: null,
    lateFromException: null,
    lostFromStatus: null,
    lostFromException: null,
    lostAt: null,
    acceptedAt: null,
    setAside: 0n,
    overpaidFrom: (facts.amount ?? 1_000n) + 1n,
    ...facts,
  };
}

/**
 * The conditions of a deposit: waiting in the mempool or short of confirmations; confirmed; off the chain before it was
 * credited; off the chain, or waiting again, but still credited because it may come back; gone for good.
 */
export const CONDITIONS = {
  waiting: { status: 'PENDING', credited: false },
  confirmed: { status: 'CONFIRMED', credited: true },
  dropped: { status: 'ORPHANED', credited: false },
  unsettled: { status: 'ORPHANED', credited: true },
  returning: { status: 'PENDING', credited: true },
  gone: { status: 'ORPHANED', credited: false },
} as const satisfies Record<string, Pick<DepositFacts, 'status' | 'credited'>>;
export type Condition = keyof typeof CONDITIONS;

/** A deposit in some condition, in time unless said otherwise. */
export function money(
  amount: bigint,
  condition: Condition,
  { late = false, seenAt = minute(late ? 40 : 10) } = {},
): DepositFacts {
  return { amount, ...CONDITIONS[condition], late, seenAt };
}

/** `seenUntil` is now by default: a watcher that keeps up. */
export function at(n: number, seenUntil: Date | null = minute(n)): ObservedClock {
  return { now: minute(n), seenUntil };
}

/** Every step until the payment's state is stable. Throws if it never is. */
export function settle(start: PaymentFacts, deposits: readonly DepositFacts[], clock: ObservedClock) {
  const steps: Step[] = [];
  let facts = start;
  for (let step = nextState(facts, deposits, clock); step; step = nextState(facts, deposits, clock)) {
    if (steps.push(step) > MOST_STEPS)
      throw new Error(`no end: ${steps.map(({ changes }) => name(changes)).join(' ')}`);
    facts = { ...facts, ...step.changes };
  }
  return { facts, steps };
}

/** The longest path in one observation (PENDING, PARTIALLY_PAID, FAILED, CONFIRMING, SUCCEEDED), and one to spare. */
const MOST_STEPS = 5;

/** `FAILED (UNDERPAID)` */
export function name({ status, exception }: Pick<PaymentFacts, 'status' | 'exception'>): string {
  return exception === null ? status : `${status} (${exception})`;
}

/** The path of a payment as texts: each state with its event. */
export function way(start: PaymentFacts, deposits: readonly DepositFacts[], clock: ObservedClock): string[] {
  return settle(start, deposits, clock).steps.map(({ changes, event }) => `${name(changes)} by ${event}`);
}

/** A payment, its deposits, the time, and the path that must follow. */
export type Row = readonly [
  title: string,
  start: Partial<PaymentFacts>,
  deposits: readonly DepositFacts[],
  clock: ObservedClock,
  way: readonly string[],
];

/** Defines a test for each row. */
export function hold(rows: readonly Row[]): void {
  it.each(rows)('%s', (_title, start, deposits, clock, expected) => {
    expect(way(payment(start), deposits, clock)).toEqual(expected);
  });
}

export const UPDATED = 'by payment.updated';
