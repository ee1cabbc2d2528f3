// All subscriptions of a process: tails the event log once and publishes it into a bounded queue for each subscriber.

import { readEventsAfter, readLastPosition, readLastSequence } from '../../database/queries/events/read-event-log.ts';
import { findEvents } from '../../domain/events/event-log.ts';
import type { LiveUpdates } from '../../domain/events/live-updates.ts';
import type { Worker } from '../../loop.ts';
import { isId } from '../../values/id.ts';
import { createDeliveryUpdates } from './deliveries.ts';
import type { Followers } from './followers.ts';
import { createBackpressure, type Backpressure } from './backpressure.ts';
import { createLogSubscribers } from './log-subscribers.ts';
import { createLogTail, type LogTail } from './log-tail.ts';
import { createRefresh, readInvoiceState, readPaymentState, type ReadState, type StateDeps } from './refresh.ts';

/** Queue capacity of one subscriber; overflow ends the subscription with 9503. */
export const MOST_WAITING = 1_000;
/** How often the worker polls the log (its `idleMs`); it polls only while there are subscribers. */
export const UPDATES_IDLE_MS = 40;

const BATCH = 500;
/** Events read at a time by a reader that catches up. */
const PAGE = 100;

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
  deps: StateDeps,
  { mostWaiting = MOST_WAITING, backpressure = createBackpressure(), takeTurn = atOnce }: UpdatesOptions = {},
): UpdatesService {
  const { pool } = deps.db;
  const logSubscribers = createLogSubscribers({ mostWaiting, backpressure, onLeave: () => tail.subscriberLeft() });
  const deliveries = createDeliveryUpdates(pool, mostWaiting);
  const { payments, invoices } = logSubscribers;
  const refresh = createRefresh(deps, { payments, invoices });
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
    followPayment: (id, merchantId) =>
      isId('ord', id)
        ? follow(tail, payments, id, () => readPaymentState(deps, id, merchantId))
        : Promise.resolve(null),
    followInvoice: (id, merchantId) =>
      isId('inv', id)
        ? follow(tail, invoices, id, () => readInvoiceState(deps, id, merchantId))
        : Promise.resolve(null),
    followMerchant: (merchantId) => anchored(tail, logSubscribers.joinMerchant(merchantId)),
    followMerchantInvoices: (merchantId) => anchored(tail, logSubscribers.joinInvoices(merchantId)),
    followMerchantPayouts: (merchantId) => anchored(tail, logSubscribers.joinPayouts(merchantId)),
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

/** A stream of changes only. If the place cannot be read, the worker tries again and logs the error. */
function anchored<Stream>(tail: LogTail, stream: Stream): Stream {
  tail.anchor().catch(() => undefined);
  return stream;
}

/** The current state, then every change; null if there is none to follow. */
async function follow<Snapshot>(
  tail: LogTail,
  followers: Followers<Snapshot>,
  id: string,
  readState: ReadState<Snapshot>,
) {
  const follower = followers.join(id);
  return await orEnd(follower.queue, async () => {
    // In this order, so that a change missing from the state has a position that the tail has not read yet.
    await tail.anchor();
    const read = await readState();
    if (read) follower.start(read.version, read.snapshot);
    else await follower.queue.return();
    return read && follower.queue;
  });
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
