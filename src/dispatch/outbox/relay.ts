// The relay: turns numbered events into deliveries, each event once for each destination, however many processes run it.

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

/** Makes the worker. `onDeliveries` is told when a batch that had any was committed. */
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

/** Deliveries and cursor move in one transaction: an event is passed exactly when its deliveries are there. */
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
  // Lists go by the id, and those of one instant are in no order: they are given out in the order of the events.
  const ids = made.map(() => newId('dlv', nowMs)).sort();
  return made.map((delivery, nth) => ({ ...delivery, id: ids[nth] ?? '' }));
}
