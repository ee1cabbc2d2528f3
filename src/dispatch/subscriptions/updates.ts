// All subscriptions of a process: tails the event log once and publishes it into a bounded queue for each subscriber.

import {
  readChainHeights,
  readEventsAfter,
  readLastPosition,
  readLastSequence,
  type LoggedEvent,
} from '../../database/queries/events/read-event-log.ts';
import { readPayment } from '../../database/queries/payments/read-payments.ts';
import type { Deps } from '../../domain/deps.ts';
import { findEvents, subjectOf } from '../../domain/events/event-log.ts';
import type { LiveUpdates } from '../../domain/events/live-updates.ts';
import { snapshotPayment, type PaymentSnapshot } from '../../domain/snapshots/payment.ts';
import type { Worker } from '../../loop.ts';
import { isId } from '../../values/id.ts';
import { createSubscribers } from './subscribers.ts';
import { createDeliveryUpdates } from './deliveries.ts';
import { createPaymentSubscribers, type PaymentSubscribers } from './payments.ts';
import { createLogReader, type LogReader, type LogReaderParts } from './event-log.ts';
import { createBackpressure, type Backpressure } from './backpressure.ts';
import { createBoundedQueue, type BoundedQueue } from './bounded-queue.ts';
import { createLogTail } from './log-tail.ts';

/** Queue capacity of one subscriber; overflow ends the subscription with 9503. */
export const MOST_WAITING = 1_000;
/** How often the worker polls the log (its `idleMs`); it polls only while there are subscribers. */
export const UPDATES_IDLE_MS = 40;

const BATCH = 500;
/** Events read at a time by a reader that catches up. */
const PAGE = 100;
const REFRESHED_AT_ONCE = 8;
const MOST_REFRESHED = 200;

type UpdatesDeps = Pick<Deps, 'db' | 'payUrl'>;

export interface UpdatesService extends LiveUpdates {
  /** Reads and publishes the event log; idle without subscribers. */
  readonly worker: Worker;
  /** Reads and publishes changes of deliveries. */
  readonly deliveryWorker: Worker;
}

interface UpdatesOptions {
  readonly mostWaiting?: number;
  readonly backpressure?: Backpressure;
  /** Schedules a read for a merchant; by default it runs at once. */
  readonly takeTurn?: <Result>(merchantId: string, read: () => Promise<Result>) => Promise<Result>;
}

const atOnce: NonNullable<UpdatesOptions['takeTurn']> = (_merchantId, read) => read();

/** Creates the subscriptions of this process. */
export function createUpdates(
  deps: UpdatesDeps,
  { mostWaiting = MOST_WAITING, backpressure = createBackpressure(), takeTurn = atOnce }: UpdatesOptions = {},
): UpdatesService {
  const { pool } = deps.db;
  const logSubscribers = createLogSubscribers({ mostWaiting, backpressure, onLeave: () => tail.subscriberLeft() });
  const deliveries = createDeliveryUpdates(pool, mostWaiting);
  const refresh = createRefresh(deps, logSubscribers.payments);
  const tail = createLogTail({
    isWanted: () => logSubscribers.count() > 0,
    begin: () => readLastPosition(pool),
    async readFrom(position: number) {
      const events = await readEventsAfter(pool, position, BATCH);
      const to = events.at(-1)?.position ?? position;
      return { to, publish: () => events.forEach(logSubscribers.publish), more: events.length === BATCH };
    },
  });

  return {
    listeners: () => logSubscribers.count() + deliveries.listeners(),
    deliveryWorker: deliveries.worker,
    worker: {
      name: 'live',
      async processNext() {
        const moreEvents = await tail.read();
        await backpressure.waitForReaders();
        const moreToRefresh = await refresh();
        return moreEvents || moreToRefresh;
      },
    },
    async followPayment(id, merchantId) {
      if (!isId('ord', id)) return null;
      const subscriber = logSubscribers.payments.join(id);
      return await orEnd(subscriber.queue, async () => {
        // In this order, so that a change missing from the state has a position that the tail has not read yet.
        await tail.anchor();
        const read = await readState(deps, id, merchantId);
        if (read) subscriber.start(read.version, read.payment);
        else await subscriber.queue.return();
        return read && subscriber.queue;
      });
    },
    followMerchant(merchantId) {
      const queue = logSubscribers.joinMerchant(merchantId);
      // If this fails, the worker tries again and logs the error.
      tail.anchor().catch(() => undefined);
      return queue;
    },
    async followEvents(merchantId, after, letPass) {
      const read = (last: number) =>
        takeTurn(merchantId, () => findEvents(deps, merchantId, { after: last, limit: PAGE }));
      const reader = logSubscribers.joinLog(merchantId, { read, letPass });
      return await orEnd(reader, async () => {
        // Events numbered from here on are added to the reader; it reads older ones from the table.
        await tail.anchor();
        reader.start(after ?? (await readLastSequence(pool, merchantId)));
        return reader;
      });
    },
    followDeliveries: deliveries.follow,
  };
}

interface LogSubscribersParts {
  readonly mostWaiting: number;
  readonly backpressure: Backpressure;
  /** Called after a subscriber has left. */
  onLeave(): void;
}

/** All subscribers of the event log, by what they follow. */
function createLogSubscribers({ mostWaiting, backpressure, onLeave }: LogSubscribersParts) {
  const merchants = createSubscribers<BoundedQueue<PaymentSnapshot>>();
  const logs = createSubscribers<LogReader>();
  const payments = createPaymentSubscribers({ mostWaiting, backpressure, onLeave });

  return {
    payments,
    count: () => payments.count() + merchants.count() + logs.count(),

    publish(this: void, { merchantId, paymentId, invoiceId, version, payload, ...event }: LoggedEvent): void {
      const [queues, readers] = [merchants.of(merchantId), logs.of(merchantId)];
      const followed = paymentId !== null && payments.has(paymentId);
      if (queues.length === 0 && readers.length === 0 && !followed) return;
      const stored = payload === null ? null : (JSON.parse(payload) as Record<string, unknown>);
      const { payment, invoice } = subjectOf(stored, invoiceId);
      const { sequence, id, type, createdAt } = event;
      for (const reader of readers) reader.add({ sequence, id, type, createdAt, payment, invoice });
      if (payment === null) return;
      for (const queue of queues) queue.push(payment);
      if (followed && version !== null) payments.change(paymentId, version, payment);
    },

    joinMerchant(merchantId: string): BoundedQueue<PaymentSnapshot> {
      const onEnd = () => {
        merchants.leave(merchantId, queue);
        onLeave();
      };
      const queue = createBoundedQueue<PaymentSnapshot>({ most: mostWaiting, backpressure, onEnd });
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

/** Runs `work`; if it fails, ends the stream. */
async function orEnd<Result>(stream: { return(): Promise<unknown> }, work: () => Promise<Result>): Promise<Result> {
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

async function readState({ db, payUrl }: UpdatesDeps, id: string, merchantId: string | null): Promise<State | null> {
  const read = await readPayment(db.em, id, merchantId);
  if (!read) return null;
  const { payment, deposits, height } = read;
  return { version: payment.version, payment: snapshotPayment(payment, deposits, { payUrl, height }) };
}

/**
 * Re-reads followed payments when their chain has moved, to show new confirmations. Returns whether there is more to
 * do.
 */
function createRefresh(deps: UpdatesDeps, subscribers: PaymentSubscribers) {
  let heights: ReadonlyMap<string, number> = new Map();

  async function refreshOne(id: string): Promise<void> {
    const show = subscribers.beginRefresh(id);
    try {
      const state = await readState(deps, id, null);
      if (state) show(state.version, state.payment);
    } catch (error) {
      subscribers.markStale(id);
      throw error;
    }
  }

  return async (): Promise<boolean> => {
    if (!subscribers.anyAwaiting()) return false;
    const before = heights;
    const now = await readChainHeights(deps.db.pool);
    for (const [network, height] of now) if (before.get(network) !== height) subscribers.markNetworkStale(network);
    heights = now;
    const stale = subscribers.stale().slice(0, MOST_REFRESHED);
    for (let i = 0; i < stale.length; i += REFRESHED_AT_ONCE)
      await Promise.all(stale.slice(i, i + REFRESHED_AT_ONCE).map(refreshOne));
    return stale.length === MOST_REFRESHED;
  };
}
