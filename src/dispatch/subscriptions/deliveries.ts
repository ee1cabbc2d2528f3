// Subscription to webhook deliveries: each process follows the changes to the deliveries of subscribed merchants.

import type { Pool } from 'pg';
import type { Delivery } from '../../database/queries/webhooks/read-deliveries.ts';
import {
  readChangedDeliveries,
  readChangedDeliveryIds,
  readOldestRunning,
  type Look,
} from '../../database/queries/webhooks/read-delivery-changes.ts';
import type { Worker } from '../../loop.ts';
import { changesWithin } from './delivery-changes.ts';
import { createSubscribers } from './subscribers.ts';
import { createBackpressure } from './backpressure.ts';
import { createBoundedQueue, type BoundedQueue } from './bounded-queue.ts';
import { createLogTail, type Reading } from './log-tail.ts';

/** Deliveries read at a time; after a delay a look may cover very many. */
const BATCH = 200;

/** A look in progress, with the ids still to read. When none are left, the next look begins where this one ended. */
interface Place extends Look {
  readonly ids: readonly string[];
}

export interface DeliveryUpdates {
  readonly worker: Worker;
  listeners(): number;
  /** Follows all of a merchant's deliveries: every change from now on. */
  follow(merchantId: string): Promise<AsyncIterableIterator<Delivery>>;
}

/** Creates the subscription source; at most `mostWaiting` updates queue for one subscriber. */
export function createDeliveryUpdates(pool: Pool, mostWaiting: number): DeliveryUpdates {
  const subscribers = createSubscribers<BoundedQueue<Delivery>>();
  const backpressure = createBackpressure();

  async function begin(): Promise<Place> {
    const now = await readOldestRunning(pool);
    return { from: now, until: now, ids: [] };
  }

  async function readFrom(place: Place): Promise<Reading<Place>> {
    if (place.ids.length > 0) return readSome(place);
    const until = await readOldestRunning(pool);
    if (until === place.until) return { to: place, publish: () => undefined, more: false };
    const look = { from: place.until, until };
    // Read the subscribers only after the end of the look is fixed: later writes, for a merchant that subscribes later,
    // are not within it.
    const ids = await readChangedDeliveryIds(pool, look, subscribers.topics());
    return { to: { ...look, ids }, publish: () => undefined, more: ids.length > 0 };
  }

  async function readSome(place: Place): Promise<Reading<Place>> {
    const read = await readChangedDeliveries(pool, place.ids.slice(0, BATCH));
    const publish = () => {
      for (const { delivery, attempts } of read)
        for (const change of changesWithin(place, delivery, attempts))
          for (const queue of subscribers.of(delivery.merchantId)) queue.push(change);
    };
    const ids = place.ids.slice(BATCH);
    return { to: { ...place, ids }, publish, more: ids.length > 0 };
  }

  const tail = createLogTail({ isWanted: () => subscribers.count() > 0, begin, readFrom });

  return {
    listeners: subscribers.count,
    worker: {
      name: 'live-deliveries',
      async processNext() {
        const more = await tail.read();
        await backpressure.waitForReaders();
        return more;
      },
    },
    async follow(merchantId) {
      const onEnd = () => {
        subscribers.leave(merchantId, queue);
        tail.subscriberLeft();
      };
      const queue = createBoundedQueue<Delivery>({ most: mostWaiting, backpressure, onEnd });
      subscribers.join(merchantId, queue);
      try {
        await tail.anchor();
        return queue;
      } catch (error) {
        await queue.return();
        throw error;
      }
    },
  };
}
