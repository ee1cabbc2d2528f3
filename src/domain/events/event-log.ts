// A merchant's own log of events, to catch up by: oldest first, numbered without gaps, each with the payment as of then.

import { listEvents } from '../../database/queries/events/list-events.ts';
import { readEventKinds, type EventKind } from '../../database/queries/events/read-event-types.ts';
import { GatewayError } from '../../values/errors.ts';
import type { Deps } from '../deps.ts';
import { fromPayload, type PaymentSnapshot } from '../snapshots/payment.ts';

/** An event of the log. */
export interface LogEntry {
  /** Its place among the merchant's events, from 1. */
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly createdAt: Date;
  /** As of the event; null where it is of no payment. */
  readonly payment: PaymentSnapshot | null;
}

/** A part of the log, and whether there is more after it as yet. */
export interface LogPage {
  readonly items: readonly LogEntry[];
  readonly hasMore: boolean;
}

/**
 * The events after a sequence number (0: from the beginning). An event is here once it is numbered, milliseconds after
 * its commit; until then all later ones of the merchant are not here either, so nothing is ever passed over.
 */
export async function findEvents(
  deps: Pick<Deps, 'db'>,
  merchantId: string,
  { after, limit }: { after: number; limit: number },
): Promise<LogPage> {
  const rows = await listEvents(deps.db.pool, merchantId, after, limit + 1);
  const items = rows.slice(0, limit).map(({ payload, ...event }) => ({
    ...event,
    payment: payload && fromPayload(payload),
  }));
  return { items, hasMore: rows.length > limit };
}

export type { EventKind };

/** What events are of, in the order asked for; an event that was pruned meanwhile is an error in its place. */
export async function findEventKinds(
  { db }: Pick<Deps, 'db'>,
  ids: readonly string[],
): Promise<(EventKind | GatewayError)[]> {
  const found = new Map((await readEventKinds(db.pool, ids)).map((event) => [event.id, event]));
  return ids.map((id) => found.get(id) ?? new GatewayError('NOT_FOUND'));
}
