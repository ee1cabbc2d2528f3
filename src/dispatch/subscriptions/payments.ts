// Who follows which payment, and what each was shown: first a state, then every higher version once and in order, and
// in between that same version again when its confirmations have changed.

import type { PaymentSnapshot } from '../../domain/snapshots/payment.ts';
import type { Pace } from './backpressure.ts';
import { createLiveQueue, type LiveQueue } from './bounded-queue.ts';

export interface Follower {
  readonly queue: LiveQueue<PaymentSnapshot>;
  /** Shows the state to begin with, then what came in since and is newer. */
  start(version: number, payment: PaymentSnapshot): void;
}

export type Followers = ReturnType<typeof createFollowers>;

interface Entry extends Follower {
  /** The version shown last; null before the first state. */
  version: number | null;
  /** The confirmations shown last. */
  shown: string;
  change(version: number, payment: PaymentSnapshot): void;
  show(version: number, payment: PaymentSnapshot): void;
}

interface FollowersParts {
  /** Updates that may wait for one follower. */
  readonly mostWaiting: number;
  readonly pace?: Pace;
  /** Called after a follower has gone. */
  onLeave(): void;
}

/** Makes the register. */
export function createFollowers({ mostWaiting, pace, onLeave }: FollowersParts) {
  const byPayment = new Map<string, Set<Entry>>();
  /** Followed payments whose confirmations are awaited, with their networks; and those to be read again. */
  const awaiting = new Map<string, string>();
  const stale = new Set<string>();
  let count = 0;

  function leave(id: string, entry: Entry): void {
    const entries = byPayment.get(id);
    if (!entries?.delete(entry)) return;
    count -= 1;
    if (entries.size === 0) {
      byPayment.delete(id);
      awaiting.delete(id);
      stale.delete(id);
    }
    onLeave();
  }

  function noteShown(id: string, payment: PaymentSnapshot): void {
    if (!byPayment.has(id)) return;
    if (payment.transactions.some((transaction) => transaction.status === 'PENDING')) awaiting.set(id, payment.network);
    else awaiting.delete(id);
  }

  return {
    count: () => count,
    has: (id: string) => byPayment.has(id),
    anyAwaiting: () => awaiting.size > 0,
    stale: () => [...stale],
    markStale(id: string): void {
      if (awaiting.has(id)) stale.add(id);
    },
    markNetworkStale(network: string): void {
      for (const [id, of] of awaiting) if (of === network) stale.add(id);
    },

    join(id: string): Follower {
      const queue = createLiveQueue<PaymentSnapshot>({ most: mostWaiting, pace, onEnd: () => leave(id, entry) });
      const entry = createEntry(queue, (payment) => noteShown(id, payment));
      const entries = byPayment.get(id) ?? new Set();
      byPayment.set(id, entries.add(entry));
      count += 1;
      return entry;
    },

    /** Hands a change to all who follow the payment; what its event says of confirmations may be old by now. */
    change(id: string, version: number, payment: PaymentSnapshot): void {
      for (const entry of [...(byPayment.get(id) ?? [])]) entry.change(version, payment);
      if (awaiting.has(id)) stale.add(id);
    },

    /**
     * Call it before reading the present state; it answers how to show what was read. Shown only to those who had a
     * state by then (a later one is newer) and have the same version: a higher one comes by the log, in its turn.
     */
    beginRefresh(id: string): (version: number, payment: PaymentSnapshot) => void {
      stale.delete(id);
      const entries = [...(byPayment.get(id) ?? [])].filter((entry) => entry.version !== null);
      return (version, payment) => {
        for (const entry of entries)
          if (entry.version === version && entry.shown !== confirmationsOf(payment)) entry.show(version, payment);
      };
    },
  };
}

function createEntry(queue: LiveQueue<PaymentSnapshot>, onShown: (payment: PaymentSnapshot) => void): Entry {
  let early: { version: number; payment: PaymentSnapshot }[] = [];
  const entry: Entry = {
    queue,
    version: null,
    shown: '',
    start(version, payment) {
      entry.show(version, payment);
      for (const change of early) entry.change(change.version, change.payment);
      early = [];
    },
    change(version, payment) {
      if (entry.version === null) early.push({ version, payment });
      else if (version > entry.version) entry.show(version, payment);
    },
    show(version, payment) {
      entry.version = version;
      entry.shown = confirmationsOf(payment);
      entry.queue.push(payment);
      onShown(payment);
    },
  };
  return entry;
}

function confirmationsOf({ confirmations, transactions }: PaymentSnapshot): string {
  return [confirmations, ...transactions.map((transaction) => transaction.confirmations)].join(' ');
}
