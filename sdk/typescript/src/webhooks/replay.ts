// Acts on an event once, however often it is delivered: by the gateway's own retries, or by somebody who recorded it.

import type { TurnpikeEvent } from './events.ts';
import { verifyWebhook, type Delivery } from './verify.ts';

/** What is known of an event: nothing, that somebody acts on it at the moment, or that it was acted on. */
export type Claim = 'new' | 'busy' | 'done';

/** Remembers events by their ids. In a shop it is a table with a unique column, shared by all its processes. */
export interface SeenEvents {
  /**
   * Answers what is known of an event; if that is `new`, also claims it for so many seconds, in which others are told
   * `busy`. Of several callers at once, one is told `new`. A claim that has lapsed is `new` again: its holder was
   * killed.
   */
  claim(eventId: string, leaseSeconds: number): Claim | Promise<Claim>;
  /** Notes that the event was acted on: it is `done` from now on. */
  finish(eventId: string): void | Promise<void>;
  /** Gives up the claim of an event that could not be acted on, so that the next delivery is. */
  release(eventId: string): void | Promise<void>;
}

/**
 * What became of a delivery. Answer 2xx to `handled` and `repeated`, and 503 to `busy`: the same event is being acted
 * on, and if that fails, only the gateway's next attempt brings it again.
 */
export type Outcome = 'handled' | 'repeated' | 'busy';

/** Longer than a receiver takes that answers in time; as long as the gateway waits before its second attempt. */
const LEASE_SECONDS = 60;

/**
 * Verifies a delivery and acts on its event, unless that was done before. If `act` throws, the event counts as new
 * again: answer 500, and the gateway delivers it anew. A process that is killed between acting and noting it acts again
 * a minute later, so let `act` change only what is not changed yet. Throws what {@link verifyWebhook} throws.
 */
export async function handleWebhook(
  delivery: Delivery,
  seen: SeenEvents,
  act: (event: TurnpikeEvent) => void | Promise<void>,
): Promise<Outcome> {
  const event = await verifyWebhook(delivery);
  const claim = await seen.claim(event.id, LEASE_SECONDS);
  if (claim !== 'new') return claim === 'done' ? 'repeated' : 'busy';
  try {
    await act(event);
  } catch (error) {
    await seen.release(event.id);
    throw error;
  }
  await seen.finish(event.id);
  return 'handled';
}

/** Ids in the memory of one process: the newest ones, as many as `capacity`. It forgets them all at a restart. */
export class SeenInMemory implements SeenEvents {
  readonly #capacity: number;
  /** When each claim lapses, in milliseconds of Unix time; infinity for what was acted on. */
  readonly #lapses = new Map<string, number>();

  constructor(capacity = 10_000) {
    this.#capacity = capacity;
  }

  claim(eventId: string, leaseSeconds: number): Claim {
    const lapses = this.#lapses.get(eventId) ?? 0;
    if (lapses === Infinity) return 'done';
    if (lapses > Date.now()) return 'busy';
    this.#lapses.set(eventId, Date.now() + leaseSeconds * 1_000);
    // A map keeps the order in which it was filled.
    for (const oldest of this.#lapses.keys()) {
      if (this.#lapses.size <= this.#capacity) break;
      this.#lapses.delete(oldest);
    }
    return 'new';
  }

  finish(eventId: string): void {
    this.#lapses.set(eventId, Infinity);
  }

  release(eventId: string): void {
    this.#lapses.delete(eventId);
  }
}
