// Live updates: one tail of the numbered log for each process, published into a bounded queue for each subscriber.

import {
  readChainHeights,
  readEventsAfter,
  readLastPosition,
  type LoggedEvent,
} from '../database/queries/read-event-log.ts';
import { readPayment } from '../database/queries/read-payments.ts';
import type { Deps } from '../domain/deps.ts';
import type { LiveUpdates } from '../domain/live-updates.ts';
import {
  fromPayload,
  snapshotPayment,
  type DepositRow,
  type PaymentRow,
  type PaymentSnapshot,
} from '../domain/payment-snapshot.ts';
import type { Worker } from '../loop.ts';
import { isId } from '../values/id.ts';
import { createFollowers, type Followers } from './live-followers.ts';
import { createLiveQueue, type LiveQueue } from './live-queue.ts';

/** Updates that may wait for one subscriber; one more ends his subscription with 9503. */
export const MOST_WAITING = 1_000;
/** How often to look at the log (`idleMs` of the worker's loop); it looks only while anyone listens. */
export const LIVE_IDLE_MS = 40;

const BATCH = 500;
const REFRESHED_AT_ONCE = 8;
const MOST_REFRESHED = 200;

type LiveDeps = Pick<Deps, 'db' | 'payUrl'>;

export interface LiveTail extends LiveUpdates {
  /** Reads the log and publishes it; without listeners it does nothing. */
  readonly worker: Worker;
  /** How many subscribers there are; for metrics. */
  listeners(): number;
}

/** Makes the live updates of this process. */
export function createLiveUpdates(deps: LiveDeps, { mostWaiting = MOST_WAITING } = {}): LiveTail {
  const merchants = new Map<string, Set<LiveQueue<PaymentSnapshot>>>();
  const followers = createFollowers(mostWaiting, () => tail.rest());
  const tail = createTail(deps, () => followers.count() + merchants.size > 0);
  const refresh = createRefresh(deps, followers);

  function publish({ merchantId, paymentId, version, payload }: LoggedEvent): void {
    const queues = merchants.get(merchantId);
    const followed = paymentId !== null && followers.has(paymentId);
    if ((!queues && !followed) || payload === null || version === null || paymentId === null) return;
    const payment = fromPayload(JSON.parse(payload) as Record<string, unknown>);
    for (const queue of [...(queues ?? [])]) queue.push(payment);
    if (followed) followers.change(paymentId, version, payment);
  }

  return {
    listeners: () => followers.count() + [...merchants.values()].reduce((sum, queues) => sum + queues.size, 0),
    worker: {
      name: 'live',
      async processNext() {
        const moreEvents = await tail.read(publish);
        const moreToRefresh = await refresh();
        return moreEvents || moreToRefresh;
      },
    },
    async followPayment(id, merchantId) {
      if (!isId('ord', id)) return null;
      const follower = followers.join(id);
      try {
        // In this order, so that a change that the state does not show yet has a position that the tail has not read.
        await tail.anchor();
        const read = await readState(deps, id, merchantId);
        if (read) follower.start(read.version, read.payment);
        else await follower.queue.return();
        return read && follower.queue;
      } catch (error) {
        await follower.queue.return();
        throw error;
      }
    },
    followMerchant(merchantId) {
      const queues = merchants.get(merchantId) ?? new Set();
      const queue = createLiveQueue<PaymentSnapshot>(mostWaiting, () => {
        queues.delete(queue);
        if (queues.size === 0 && merchants.get(merchantId) === queues) merchants.delete(merchantId);
        tail.rest();
      });
      merchants.set(merchantId, queues.add(queue));
      // When this look fails, the worker's next one does it, and logs why it cannot.
      tail.anchor().catch(() => undefined);
      return queue;
    },
  };
}

interface State {
  readonly version: number;
  readonly payment: PaymentSnapshot;
}

async function readState({ db, payUrl }: LiveDeps, id: string, merchantId: string | null): Promise<State | null> {
  const read = await readPayment(db.em, id, merchantId);
  if (!read) return null;
  const { payment, deposits, height } = read;
  const context = { payUrl, height };
  return {
    version: Number(payment['version']),
    payment: snapshotPayment(payment as unknown as PaymentRow, deposits as unknown as DepositRow[], context),
  };
}

/** The place in the log up to which it was read. There is none while nobody listens, so that no past is read again. */
function createTail({ db }: LiveDeps, isWanted: () => boolean) {
  let position: number | null = null;
  let anchoring: Promise<void> | null = null;
  // Tells a reader that came back to another place than the one it left, because everyone had gone in between.
  let turn = 0;

  async function readAnchor(): Promise<void> {
    const readTurn = turn;
    const last = await readLastPosition(db.pool);
    if (turn === readTurn) position ??= last;
  }

  async function anchor(): Promise<void> {
    while (position === null && isWanted()) {
      anchoring ??= readAnchor().finally(() => (anchoring = null));
      await anchoring;
    }
  }

  return {
    anchor,
    rest(): void {
      if (isWanted()) return;
      position = null;
      turn += 1;
    },
    async read(publish: (event: LoggedEvent) => void): Promise<boolean> {
      await anchor();
      const from = position;
      const readTurn = turn;
      if (from === null) return false;
      const events = await readEventsAfter(db.pool, from, BATCH);
      if (turn !== readTurn) return false;
      position = events.at(-1)?.position ?? from;
      for (const event of events) publish(event);
      return events.length === BATCH;
    },
  };
}

/** Shows payments again, with their new confirmations, when their chain has moved. Says whether there is more to do. */
function createRefresh(deps: LiveDeps, followers: Followers) {
  let heights: ReadonlyMap<string, number> = new Map();

  async function refreshOne(id: string): Promise<void> {
    const show = followers.beginRefresh(id);
    try {
      const state = await readState(deps, id, null);
      if (state) show(state.version, state.payment);
    } catch (error) {
      followers.markStale(id);
      throw error;
    }
  }

  return async (): Promise<boolean> => {
    if (!followers.anyAwaiting()) return false;
    const before = heights;
    const now = await readChainHeights(deps.db.pool);
    for (const [network, height] of now) if (before.get(network) !== height) followers.markNetworkStale(network);
    heights = now;
    const stale = followers.stale().slice(0, MOST_REFRESHED);
    for (let i = 0; i < stale.length; i += REFRESHED_AT_ONCE)
      await Promise.all(stale.slice(i, i + REFRESHED_AT_ONCE).map(refreshOne));
    return stale.length === MOST_REFRESHED;
  };
}
