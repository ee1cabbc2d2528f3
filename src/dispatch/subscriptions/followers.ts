// Followers of single payments or invoices, and what each was shown: the current state first, then every higher version
// once and in order, and the same version again when its confirmations changed.

import type { PaymentSnapshot } from '../../domain/snapshots/payment.ts';
import type { Backpressure } from './backpressure.ts';
import { createBoundedQueue, type BoundedQueue } from './bounded-queue.ts';

export interface Follower<Snapshot> {
  readonly queue: BoundedQueue<Snapshot>;
  /** Shows the initial state, then any newer changes that arrived meanwhile. */
  start(version: number, snapshot: Snapshot): void;
}

export type Followers<Snapshot> = ReturnType<typeof createFollowers<Snapshot>>;

/** What grows with the chains while a snapshot's version stays: that of a payment, or of each payment of an invoice. */
export interface Confirming {
  readonly network: string;
  readonly confirmations?: number;
  readonly transactions: readonly Pick<PaymentSnapshot['transactions'][number], 'status' | 'confirmations'>[];
}

interface Entry<Snapshot> extends Follower<Snapshot> {
  /** The last version shown; null before the initial state. */
  version: number | null;
  /** The confirmations last shown. */
  shown: string;
  change(version: number, snapshot: Snapshot): void;
  show(version: number, snapshot: Snapshot): void;
}

interface FollowersParts<Snapshot> {
  /** Queue capacity of one subscriber. */
  readonly mostWaiting: number;
  readonly backpressure?: Backpressure;
  /** Called after a subscriber has left. */
  onLeave(): void;
  /** The payments in a snapshot. */
  readonly paymentsOf: (snapshot: Snapshot) => readonly Confirming[];
}

export function createFollowers<Snapshot>(parts: FollowersParts<Snapshot>) {
  const { mostWaiting, backpressure, onLeave, paymentsOf } = parts;
  const byId = new Map<string, Set<Entry<Snapshot>>>();
  /** What is followed and has pending deposits, with their networks; and what of it is to be read again. */
  const awaiting = new Map<string, ReadonlySet<string>>();
  const stale = new Set<string>();
  let count = 0;

  function leave(id: string, entry: Entry<Snapshot>): void {
    const entries = byId.get(id);
    if (!entries?.delete(entry)) return;
    count -= 1;
    if (entries.size === 0) {
      byId.delete(id);
      awaiting.delete(id);
      stale.delete(id);
    }
    onLeave();
  }

  function noteShown(id: string, snapshot: Snapshot): void {
    if (!byId.has(id)) return;
    const pending = paymentsOf(snapshot).filter(({ transactions }) => transactions.some(isPending));
    if (pending.length > 0) awaiting.set(id, new Set(pending.map(({ network }) => network)));
    else awaiting.delete(id);
  }

  const confirmationsOf = (snapshot: Snapshot) => paymentsOf(snapshot).map(countsOf).join(' ');

  return {
    count: () => count,
    has: (id: string) => byId.has(id),
    anyAwaiting: () => awaiting.size > 0,
    stale: () => [...stale],
    markStale(id: string): void {
      if (awaiting.has(id)) stale.add(id);
    },
    markNetworkStale(network: string): void {
      for (const [id, networks] of awaiting) if (networks.has(network)) stale.add(id);
    },

    join(id: string): Follower<Snapshot> {
      const queue = createBoundedQueue<Snapshot>({ most: mostWaiting, backpressure, onEnd: () => leave(id, entry) });
      const entry = createEntry(queue, confirmationsOf, (snapshot) => noteShown(id, snapshot));
      const entries = byId.get(id) ?? new Set();
      byId.set(id, entries.add(entry));
      count += 1;
      return entry;
    },

    /** Passes a change to all who follow it. The confirmations in its event may be outdated by now. */
    change(id: string, version: number, snapshot: Snapshot): void {
      for (const entry of [...(byId.get(id) ?? [])]) entry.change(version, snapshot);
      if (awaiting.has(id)) stale.add(id);
    },

    /**
     * Call before reading the current state; returns a function that shows the state read. It shows only to subscribers
     * that had a state before (a later one is newer) and are at the same version: higher versions come from the log, in
     * order.
     */
    beginRefresh(id: string): (version: number, snapshot: Snapshot) => void {
      stale.delete(id);
      const entries = [...(byId.get(id) ?? [])].filter((entry) => entry.version !== null);
      return (version, snapshot) => {
        for (const entry of entries)
          if (entry.version === version && entry.shown !== confirmationsOf(snapshot)) entry.show(version, snapshot);
      };
    },
  };
}

function createEntry<Snapshot>(
  queue: BoundedQueue<Snapshot>,
  confirmationsOf: (snapshot: Snapshot) => string,
  onShown: (snapshot: Snapshot) => void,
): Entry<Snapshot> {
  let early: { version: number; snapshot: Snapshot }[] = [];
  const entry: Entry<Snapshot> = {
    queue,
    version: null,
    shown: '',
    start(version, snapshot) {
      entry.show(version, snapshot);
      for (const change of early) entry.change(change.version, change.snapshot);
      early = [];
    },
    change(version, snapshot) {
      if (entry.version === null) early.push({ version, snapshot });
      else if (version > entry.version) entry.show(version, snapshot);
    },
    show(version, snapshot) {
      entry.version = version;
      entry.shown = confirmationsOf(snapshot);
      entry.queue.push(snapshot);
      onShown(snapshot);
    },
  };
  return entry;
}

const isPending = ({ status }: { readonly status: string }): boolean => status === 'PENDING';

const countsOf = ({ confirmations, transactions }: Confirming): string =>
  [confirmations ?? '', ...transactions.map((transaction) => transaction.confirmations)].join(' ');
