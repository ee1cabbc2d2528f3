// Subscribers of payments, and what each was shown: the current state first, then every higher version once and in
// order, and the same version again when its confirmations changed.

import type { PaymentSnapshot } from '../../domain/snapshots/payment.ts';
import type { Backpressure } from './backpressure.ts';
import { createBoundedQueue, type BoundedQueue } from './bounded-queue.ts';

export interface PaymentSubscriber {
  readonly queue: BoundedQueue<PaymentSnapshot>;
  /** Shows the initial state, then any newer changes that arrived meanwhile. */
  start(version: number, payment: PaymentSnapshot): void;
}

export type PaymentSubscribers = ReturnType<typeof createPaymentSubscribers>;

interface Entry extends PaymentSubscriber {
  /** The last version shown; null before the initial state. */
  version: number | null;
  /** The confirmations last shown. */
  shown: string;
  change(version: number, payment: PaymentSnapshot): void;
  show(version: number, payment: PaymentSnapshot): void;
}

interface SubscribersParts {
  /** Queue capacity of one subscriber. */
  readonly mostWaiting: number;
  readonly backpressure?: Backpressure;
  /** Called after a subscriber has left. */
  onLeave(): void;
}

export function createPaymentSubscribers({ mostWaiting, backpressure, onLeave }: SubscribersParts) {
  const byPayment = new Map<string, Set<Entry>>();
  /** Followed payments with pending deposits, with their networks; and those of them to read again. */
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

    join(id: string): PaymentSubscriber {
      const queue = createBoundedQueue<PaymentSnapshot>({
        most: mostWaiting,
        backpressure,
        onEnd: () => leave(id, entry),
      });
      const entry = createEntry(queue, (payment) => noteShown(id, payment));
      const entries = byPayment.get(id) ?? new Set();
      byPayment.set(id, entries.add(entry));
      count += 1;
      return entry;
    },

    /** Passes a change to all subscribers of the payment. The confirmations in its event may be outdated by now. */
    change(id: string, version: number, payment: PaymentSnapshot): void {
      for (const entry of [...(byPayment.get(id) ?? [])]) entry.change(version, payment);
      if (awaiting.has(id)) stale.add(id);
    },

    /**
     * Call before reading the current state; returns a function that shows the state read. It shows only to subscribers
     * that had a state before (a later one is newer) and are at the same version: higher versions come from the log, in
     * order.
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

function createEntry(queue: BoundedQueue<PaymentSnapshot>, onShown: (payment: PaymentSnapshot) => void): Entry {
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
