// Live updates: one tail of the numbered log for each process, published into a bounded queue for each subscriber.

import {
  readChainHeights,
  readEventsAfter,
  readLastPosition,
  readLastSequence,
  type LoggedEvent,
} from '../../database/queries/events/read-event-log.ts';
import { readPayment } from '../../database/queries/payments/read-payments.ts';
import type { Deps } from '../../domain/deps.ts';
import { findEvents } from '../../domain/events/event-log.ts';
import type { LiveUpdates } from '../../domain/events/live-updates.ts';
import { fromPayload, snapshotPayment, type PaymentSnapshot } from '../../domain/snapshots/payment.ts';
import type { Worker } from '../../loop.ts';
import { isId } from '../../values/id.ts';
import { createAudiences } from './subscribers.ts';
import { createLiveDeliveries } from './deliveries.ts';
import { createFollowers, type Followers } from './payments.ts';
import { createLogReader, type LogReader, type LogReaderParts } from './event-log.ts';
import { createPace, type Pace } from './backpressure.ts';
import { createLiveQueue, type LiveQueue } from './bounded-queue.ts';
import { createTail } from './log-tail.ts';

/** Updates that may wait for one subscriber; one more ends their subscription with 9503. */
export const MOST_WAITING = 1_000;
/** How often to look at the log (`idleMs` of the worker's loop); it looks only while anyone listens. */
export const LIVE_IDLE_MS = 40;

const BATCH = 500;
/** Events that one who catches up reads at a time. */
const PAGE = 100;
const REFRESHED_AT_ONCE = 8;
const MOST_REFRESHED = 200;

type LiveDeps = Pick<Deps, 'db' | 'payUrl'>;

export interface LiveTail extends LiveUpdates {
  /** Reads the log and publishes it; without listeners it does nothing. */
  readonly worker: Worker;
  /** The same for deliveries. */
  readonly deliveryWorker: Worker;
}

interface LiveOptions {
  readonly mostWaiting?: number;
  readonly pace?: Pace;
  /** Reads for a merchant, at once or in their turn. */
  readonly takeTurn?: <Result>(merchantId: string, read: () => Promise<Result>) => Promise<Result>;
}

const atOnce: NonNullable<LiveOptions['takeTurn']> = (_merchantId, read) => read();

/** Makes the live updates of this process. */
export function createLiveUpdates(
  deps: LiveDeps,
  { mostWaiting = MOST_WAITING, pace = createPace(), takeTurn = atOnce }: LiveOptions = {},
): LiveTail {
  const { pool } = deps.db;
  const listeners = createListeners({ mostWaiting, pace, onLeave: () => tail.rest() });
  const deliveries = createLiveDeliveries(pool, mostWaiting);
  const refresh = createRefresh(deps, listeners.followers);
  const tail = createTail({
    isWanted: () => listeners.count() > 0,
    begin: () => readLastPosition(pool),
    async readFrom(position: number) {
      const events = await readEventsAfter(pool, position, BATCH);
      const to = events.at(-1)?.position ?? position;
      return { to, publish: () => events.forEach(listeners.tell), more: events.length === BATCH };
    },
  });

  return {
    listeners: () => listeners.count() + deliveries.listeners(),
    deliveryWorker: deliveries.worker,
    worker: {
      name: 'live',
      async processNext() {
        const moreEvents = await tail.read();
        await pace.letRead();
        const moreToRefresh = await refresh();
        return moreEvents || moreToRefresh;
      },
    },
    async followPayment(id, merchantId) {
      if (!isId('ord', id)) return null;
      const follower = listeners.followers.join(id);
      return await orReturn(follower.queue, async () => {
        // In this order, so that a change that the state does not show yet has a position that the tail has not read.
        await tail.anchor();
        const read = await readState(deps, id, merchantId);
        if (read) follower.start(read.version, read.payment);
        else await follower.queue.return();
        return read && follower.queue;
      });
    },
    followMerchant(merchantId) {
      const queue = listeners.joinMerchant(merchantId);
      // When this look fails, the worker's next one does it, and logs why it cannot.
      tail.anchor().catch(() => undefined);
      return queue;
    },
    async followEvents(merchantId, after, letPass) {
      const read = (last: number) =>
        takeTurn(merchantId, () => findEvents(deps, merchantId, { after: last, limit: PAGE }));
      const reader = listeners.joinLog(merchantId, { read, letPass });
      return await orReturn(reader, async () => {
        // Whatever is numbered from here on is told to the reader; what was before, they read from the table.
        await tail.anchor();
        reader.start(after ?? (await readLastSequence(pool, merchantId)));
        return reader;
      });
    },
    followDeliveries: deliveries.follow,
  };
}

interface ListenersParts {
  readonly mostWaiting: number;
  readonly pace: Pace;
  /** Called after a listener has gone. */
  onLeave(): void;
}

/** All who listen to the log, by what they want of it. */
function createListeners({ mostWaiting, pace, onLeave }: ListenersParts) {
  const merchants = createAudiences<LiveQueue<PaymentSnapshot>>();
  const logs = createAudiences<LogReader>();
  const followers = createFollowers({ mostWaiting, pace, onLeave });

  return {
    followers,
    count: () => followers.count() + merchants.count() + logs.count(),

    tell(this: void, { merchantId, paymentId, version, payload, ...event }: LoggedEvent): void {
      const [queues, readers] = [merchants.of(merchantId), logs.of(merchantId)];
      const followed = paymentId !== null && followers.has(paymentId);
      if (queues.length === 0 && readers.length === 0 && !followed) return;
      const payment = payload === null ? null : fromPayload(JSON.parse(payload) as Record<string, unknown>);
      const { sequence, id, type, createdAt } = event;
      for (const reader of readers) reader.add({ sequence, id, type, createdAt, payment });
      if (payment === null) return;
      for (const queue of queues) queue.push(payment);
      if (followed && version !== null) followers.change(paymentId, version, payment);
    },

    joinMerchant(merchantId: string): LiveQueue<PaymentSnapshot> {
      const onEnd = () => {
        merchants.leave(merchantId, queue);
        onLeave();
      };
      const queue = createLiveQueue<PaymentSnapshot>({ most: mostWaiting, pace, onEnd });
      merchants.join(merchantId, queue);
      return queue;
    },

    joinLog(merchantId: string, parts: Pick<LogReaderParts, 'read' | 'letPass'>): LogReader {
      const onEnd = () => {
        logs.leave(merchantId, reader);
        onLeave();
      };
      const reader = createLogReader({ ...parts, onEnd });
      logs.join(merchantId, reader);
      return reader;
    },
  };
}

/** Ends a stream that could not be opened. */
async function orReturn<Result>(stream: { return(): Promise<unknown> }, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await stream.return();
    throw error;
  }
}

interface State {
  readonly version: number;
  readonly payment: PaymentSnapshot;
}

async function readState({ db, payUrl }: LiveDeps, id: string, merchantId: string | null): Promise<State | null> {
  const read = await readPayment(db.em, id, merchantId);
  if (!read) return null;
  const { payment, deposits, height } = read;
  return { version: payment.version, payment: snapshotPayment(payment, deposits, { payUrl, height }) };
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
