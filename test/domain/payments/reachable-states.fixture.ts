// Finds every transition that a state machine can make, that of payments or that of invoices, by trying all histories
// of two deposits, in every order and condition, before and after each deadline, with cancels and refunds in between.

import type { DepositFacts } from '../../../src/domain/payments/state-machine.ts';
import { at, CONDITIONS, DAY, minute, payment, settle, type Condition } from './facts.fixture.ts';

/** One transition, e.g. `PENDING → EXPIRED by payment.expired`. */
export type Transition = string;

interface State {
  readonly status: string;
  readonly exception?: string | null | undefined;
}

/** A state machine: where it begins, how it comes to rest at a minute, and its words for two states. */
export interface Machine<Facts extends State> {
  readonly start: Facts;
  readonly words: { readonly pending: Facts['status']; readonly succeeded: Facts['status'] };
  settle(
    facts: Facts,
    deposits: readonly DepositFacts[],
    minutes: number,
  ): { readonly facts: Facts; readonly steps: readonly { readonly changes: State; readonly event: string }[] };
}

/** A payment of 1,000 base units that expires at minute 30. */
const PAYMENT: Machine<ReturnType<typeof payment>> = {
  start: payment(),
  words: { pending: 'PENDING', succeeded: 'SUCCEEDED' },
  settle: (facts, deposits, minutes) => settle(facts, deposits, at(minutes)),
};

/** A point in a history; `conditions` of the deposits, null for one that was not seen yet. */
interface Point<Facts> {
  readonly amounts: readonly bigint[];
  readonly facts: Facts;
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

const nameOf = ({ status, exception }: State): string => (exception == null ? status : `${status} (${exception})`);

/**
 * Walks all histories of what a machine describes. (With a third deposit, and with accepts under MANUAL, it finds the
 * same in minutes.)
 */
export function findTransitions(): Set<Transition> {
  return transitionsOf(PAYMENT);
}

export function transitionsOf<Facts extends State>(machine: Machine<Facts>): Set<Transition> {
  const found = new Set<Transition>();
  const none = { conditions: [null, null], seenAt: [null, null], late: [false, false], now: 0 };
  const queue: Point<Facts>[] = AMOUNTS.map((amounts) => ({ facts: machine.start, amounts, ...none }));
  const seen = new Set(queue.map(keyOf));
  for (let point = queue.pop(); point; point = queue.pop()) {
    for (const moved of moves(machine, point)) {
      const { facts, steps } = machine.settle(moved.facts, depositsOf(moved), TIMES[moved.now] ?? 0);
      let from = nameOf(moved.facts);
      for (const { changes, event } of steps) {
        found.add(`${from} → ${nameOf(changes)} by ${event}`);
        from = nameOf(changes);
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
function moves<Facts extends State>({ words }: Machine<Facts>, point: Point<Facts>): Point<Facts>[] {
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
  const merchant: string[] = [];
  const nothingSeen = depositsOf(point).every(({ status }) => status === 'ORPHANED');
  if (facts.status === words.pending && nothingSeen) merchant.push('CANCELED');
  if (facts.status === words.succeeded) merchant.push('PARTIALLY_REFUNDED');
  if (facts.status === 'PARTIALLY_REFUNDED') merchant.push('REFUNDED');
  return [...later, ...ofDeposits, ...merchant.map((status) => ({ ...point, facts: { ...facts, status } }))];
}

function depositsOf({ amounts, conditions, seenAt, late }: Omit<Point<unknown>, 'facts'>): DepositFacts[] {
  return conditions.flatMap((condition, index) => {
    const [amount, seen] = [amounts[index], seenAt[index]];
    if (condition === null || amount === undefined || !seen) return [];
    return [{ amount, ...CONDITIONS[condition], seenAt: seen, late: late[index] ?? false }];
  });
}

function keyOf(point: Point<unknown>): string {
  return JSON.stringify(point, (_name, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}
