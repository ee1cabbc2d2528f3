// Acts on an event once, however often it is delivered: by the gateway's own retries, or by somebody who recorded it.

import type { TurnpikeEvent } from './events.ts';
import { verifyWebhook, type Delivery } from './verify.ts';

/** Remembers the ids of events. In a shop it is a table with a unique column, shared by all its processes. */
export interface SeenEvents {
  /** Notes an id, and answers whether it is new. Of several callers at once, one is told so. */
  claim(eventId: string): boolean | Promise<boolean>;
  /** Forgets an id whose event could not be acted on, so that the next delivery is. */
  release(eventId: string): void | Promise<void>;
}

/** What became of a delivery. Answer 2xx to both: a repeated one needs no third. */
export type Outcome = 'handled' | 'repeated';

/**
 * Verifies a delivery and acts on its event, unless that was done before. If `act` throws, the event counts as new
 * again: answer 500, and the gateway delivers it anew. Throws what {@link verifyWebhook} throws.
 */
export async function handleWebhook(
  delivery: Delivery,
  seen: SeenEvents,
  act: (event: TurnpikeEvent) => void | Promise<void>,
): Promise<Outcome> {
  const event = await verifyWebhook(delivery);
  if (!(await seen.claim(event.id))) return 'repeated';
  try {
    await act(event);
  } catch (error) {
    await seen.release(event.id);
    throw error;
  }
  return 'handled';
}

/** Ids in the memory of one process: the newest ones, as many as `capacity`. It forgets them all at a restart. */
export class SeenInMemory implements SeenEvents {
  readonly #capacity: number;
  readonly #ids = new Set<string>();

  constructor(capacity = 10_000) {
    this.#capacity = capacity;
  }

  claim(eventId: string): boolean {
    if (this.#ids.has(eventId)) return false;
    this.#ids.add(eventId);
    // A set keeps the order in which it was filled.
    for (const oldest of this.#ids) {
      if (this.#ids.size <= this.#capacity) break;
      this.#ids.delete(oldest);
    }
    return true;
  }

  release(eventId: string): void {
    this.#ids.delete(eventId);
  }
}
