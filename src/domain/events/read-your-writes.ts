// Read your writes: waits until events are numbered and the relay has created their delivery records, so that callers
// find what a call has just changed. Both take milliseconds after the commit. The wait is bounded, in case the outbox
// lags far behind or the processes that number and relay events are down.

import { setTimeout as rest } from 'node:timers/promises';
import { isAheadOfRelay, isAnyUnnumbered, readUnnumbered } from '../../database/queries/events/outbox-lag.ts';
import type { Deps } from '../deps.ts';

const LOOK_EVERY_MS = 5;
/**
 * Polls are counted rather than time, because a stalled process also stalls the numbering and relaying in it. A hundred
 * times what either takes on a quiet machine, because a commit may stall as well.
 */
const MOST_LOOKS = 200;

/** Waits until the merchant's events committed so far are numbered. */
export async function awaitNumbers({ db }: Pick<Deps, 'db'>, merchantId: string): Promise<void> {
  const ids = await readUnnumbered(db.pool, merchantId);
  if (ids.length > 0) await waitWhile(() => isAnyUnnumbered(db.pool, ids));
}

/**
 * Waits until the relay has created an event's delivery records, not until they are sent. Returns whether the merchant
 * has such an event that is sent as a webhook.
 */
export async function awaitRelay({ db }: Pick<Deps, 'db'>, merchantId: string, eventId: string): Promise<boolean> {
  let ahead: boolean | null = null;
  await waitWhile(async () => {
    ahead = await isAheadOfRelay(db.pool, merchantId, eventId);
    return ahead ?? false;
  });
  return ahead !== null;
}

async function waitWhile(isBehind: () => Promise<boolean>): Promise<void> {
  for (let nth = 1; (await isBehind()) && nth < MOST_LOOKS; nth += 1) await rest(LOOK_EVERY_MS);
}
