// Live updates of deliveries: one tail for each process of what happened to those of the merchants that listen.

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
import { createAudiences } from './subscribers.ts';
import { createPace } from './backpressure.ts';
import { createLiveQueue, type LiveQueue } from './bounded-queue.ts';
import { createTail, type Reading } from './log-tail.ts';

/** Deliveries read at a time: a look that was held up may be about very many. */
const BATCH = 200;

/** A look under way: what of it is still to be read. Without any, the next look begins where this one stopped. */
interface Place extends Look {
  readonly ids: readonly string[];
}

export interface LiveDeliveries {
  readonly worker: Worker;
  listeners(): number;
  /** All of a merchant's deliveries: what happens to them from now on. */
  follow(merchantId: string): Promise<AsyncIterableIterator<Delivery>>;
}

/** Makes them; at most `mostWaiting` wait for one subscriber. */
export function createLiveDeliveries(pool: Pool, mostWaiting: number): LiveDeliveries {
  const audiences = createAudiences<LiveQueue<Delivery>>();
  const pace = createPace();

  async function begin(): Promise<Place> {
    const now = await readOldestRunning(pool);
    return { from: now, until: now, ids: [] };
  }

  async function readFrom(place: Place): Promise<Reading<Place>> {
    if (place.ids.length > 0) return readSome(place);
    const until = await readOldestRunning(pool);
    if (until === place.until) return { to: place, publish: () => undefined, more: false };
    const look = { from: place.until, until };
    // Who listens is asked after the look has got its end: what is written after a merchant came is not within it.
    const ids = await readChangedDeliveryIds(pool, look, audiences.names());
    return { to: { ...look, ids }, publish: () => undefined, more: ids.length > 0 };
  }

  async function readSome(place: Place): Promise<Reading<Place>> {
    const read = await readChangedDeliveries(pool, place.ids.slice(0, BATCH));
    const publish = () => {
      for (const { delivery, attempts } of read)
        for (const change of changesWithin(place, delivery, attempts))
          for (const queue of audiences.of(delivery.merchantId)) queue.push(change);
    };
    const ids = place.ids.slice(BATCH);
    return { to: { ...place, ids }, publish, more: ids.length > 0 };
  }

  const tail = createTail({ isWanted: () => audiences.count() > 0, begin, readFrom });

  return {
    listeners: audiences.count,
    worker: {
      name: 'live-deliveries',
      async processNext() {
        const more = await tail.read();
        await pace.letRead();
        return more;
      },
    },
    async follow(merchantId) {
      const onEnd = () => {
        audiences.leave(merchantId, queue);
        tail.rest();
      };
      const queue = createLiveQueue<Delivery>({ most: mostWaiting, pace, onEnd });
      audiences.join(merchantId, queue);
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
