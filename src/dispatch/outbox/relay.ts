// The relay: turns numbered events into deliveries, one per event and destination, even if several processes run it.

import {
  createRelayCursor,
  hasEventsToRelay,
  lockEnabledEndpoints,
  insertDeliveries,
  moveRelayCursor,
  readEventsToRelay,
  lockRelayCursor,
  type NewDelivery,
  type RelayEvent,
} from '../../database/queries/events/relay-events.ts';
import type { EntityManager } from '../../database/connection.ts';
import { inTransaction, type Deps } from '../../domain/deps.ts';
import type { Worker } from '../../loop.ts';
import { newId } from '../../values/id.ts';
import { destinationsOf } from '../../domain/webhooks/destinations.ts';

const BATCH = 200;

type RelayDeps = Pick<Deps, 'db' | 'clock'>;

/** Creates the worker. `onDeliveries` is called after a batch with deliveries was committed. */
export function createRelay(deps: RelayDeps, onDeliveries: () => void = () => undefined): Worker {
  const { em } = deps.db;
  let hasCursor = false;
  return {
    name: 'relay',
    async processNext() {
      if (!(await hasEventsToRelay(em))) return false;
      if (!hasCursor) await createRelayCursor(em);
      hasCursor = true;
      const batch = await inTransaction(deps, (inside) => relayBatch(deps, inside));
      if (batch.deliveries > 0) onDeliveries();
      return batch.events === BATCH;
    },
  };
}

/**
 * Stores deliveries and moves the cursor in one transaction: the cursor passes an event exactly when its deliveries
 * exist.
 */
async function relayBatch({ clock }: RelayDeps, em: EntityManager) {
  const position = await lockRelayCursor(em);
  if (position === null) return { events: 0, deliveries: 0 };
  const events = await readEventsToRelay(em, position, BATCH);
  const last = events.at(-1);
  if (!last) return { events: 0, deliveries: 0 };
  const deliveries = await deliveriesOf(
    em,
    events.filter((event) => event.sendable),
    clock.now().getTime(),
  );
  if (deliveries.length > 0) await insertDeliveries(em, deliveries);
  await moveRelayCursor(em, last.position);
  return { events: events.length, deliveries: deliveries.length };
}

async function deliveriesOf(em: EntityManager, events: readonly RelayEvent[], nowMs: number): Promise<NewDelivery[]> {
  if (events.length === 0) return [];
  const endpoints = await lockEnabledEndpoints(em, [...new Set(events.map((event) => event.merchantId))]);
  const byMerchant = Map.groupBy(endpoints, (endpoint) => endpoint.merchantId);
  const made = events.flatMap((event) => {
    const { id: eventId, merchantId } = event;
    const destinations = destinationsOf(event, byMerchant.get(merchantId) ?? []);
    return destinations.map((destination) => ({ ...destination, eventId, merchantId }));
  });
  // Lists are ordered by id, and ids of one instant are unordered: they are assigned in the order of the events.
  const ids = made.map(() => newId('dlv', nowMs)).sort();
  return made.map((delivery, nth) => ({ ...delivery, id: ids[nth] ?? '' }));
}
