// Finds every transition that the state machine can make by trying all histories of two deposits, in every order and
// condition, before and after each deadline, with cancels and refunds in between.

import type { DepositFacts, PaymentFacts } from '../../../src/domain/payments/state-machine.ts';
import { at, CONDITIONS, DAY, minute, name, payment, settle, type Condition } from './facts.fixture.ts';

/** One transition, e.g. `PENDING → EXPIRED by payment.expired`. */
export type Transition = string;

/** A point in a history; `conditions` of the deposits, null for one that was not seen yet. */
interface Point {
  readonly amounts: readonly bigint[];
  readonly facts: PaymentFacts;
  readonly conditions: readonly (Condition | null)[];
  readonly seenAt: readonly (Date | null)[];
  readonly late: readonly boolean[];
  readonly now: number;
}

/** Alone and together these amounts cover less than the payment's 1,000, exactly that, and more, in either order. */
const AMOUNTS = [
  [600n, 1_000n],
  [1_000n, 1_000n],
  [1_500n, 1_000n],
];
const TIMES = [0, 30, 31 + DAY, 32 + 2 * DAY];
const NEXT: Readonly<Record<Condition | 'unseen', readonly Condition[]>> = {
  unseen: ['waiting'],
  waiting: ['confirmed', 'dropped'],
  dropped: ['waiting'],
  confirmed: ['unsettled'],
  unsettled: ['returning', 'gone'],
  returning: ['confirmed', 'unsettled'],
  gone: ['waiting'],
};

/**
 * Walks all histories of a payment. (With a third deposit, and with accepts under MANUAL, it finds the same in
 * minutes.)
 */
export function findTransitions(): Set<Transition> {
  const found = new Set<Transition>();
  const none = { conditions: [null, null], seenAt: [null, null], late: [false, false], now: 0 };
  const queue: Point[] = AMOUNTS.map((amounts) => ({ facts: payment(), amounts, ...none }));
  const seen = new Set(queue.map(keyOf));
  for (let point = queue.pop(); point; point = queue.pop()) {
    for (const moved of moves(point)) {
      const { facts, steps } = settle(moved.facts, depositsOf(moved), at(TIMES[moved.now] ?? 0));
      let from = name(moved.facts);
      for (const { changes, event } of steps) {
        found.add(`${from} → ${name(changes)} by ${event}`);
        from = name(changes);
      }
      const next = { ...moved, facts };
      const key = keyOf(next);
      if (seen.has(key)) continue;
      seen.add(key);
      queue.push(next);
    }
  }
  return found;
}

const ENDED = ['EXPIRED', 'FAILED', 'CANCELED'];

/** The possible next steps: one deposit changes, time passes, or the merchant acts. */
function moves(point: Point): Point[] {
  const { facts, now } = point;
  const when = minute(TIMES[now] ?? 0);
  const later = now + 1 < TIMES.length ? [{ ...point, now: now + 1 }] : [];
  const ofDeposits = point.conditions.flatMap((condition, index) =>
    NEXT[condition ?? 'unseen'].map((next) => ({
      ...point,
      conditions: point.conditions.with(index, next),
      seenAt: condition === null ? point.seenAt.with(index, when) : point.seenAt,
      late: condition === null ? point.late.with(index, now > 1 || ENDED.includes(facts.status)) : point.late,
    })),
  );
  const merchant: Partial<PaymentFacts>[] = [];
  const nothingSeen = depositsOf(point).every(({ status }) => status === 'ORPHANED');
  if (facts.status === 'PENDING' && nothingSeen) merchant.push({ status: 'CANCELED' });
  if (facts.status === 'SUCCEEDED') merchant.push({ status: 'PARTIALLY_REFUNDED' });
  if (facts.status === 'PARTIALLY_REFUNDED') merchant.push({ status: 'REFUNDED' });
  return [...later, ...ofDeposits, ...merchant.map((acts) => ({ ...point, facts: { ...facts, ...acts } }))];
}

function depositsOf({ amounts, conditions, seenAt, late }: Point): DepositFacts[] {
  return conditions.flatMap((condition, index) => {
    const [amount, seen] = [amounts[index], seenAt[index]];
    if (condition === null || amount === undefined || !seen) return [];
    return [{ amount, ...CONDITIONS[condition], seenAt: seen, late: late[index] ?? false }];
  });
}

function keyOf({ facts, amounts, ...rest }: Point): string {
  const { amount: _amount, overpaidFrom: _overpaidFrom, setAside: _setAside, ...others } = facts;
  return JSON.stringify([others, amounts.join(), rest]);
}
