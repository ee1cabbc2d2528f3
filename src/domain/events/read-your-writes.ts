// What a caller was answered is in what they read next. Numbers of events and deliveries are made milliseconds after
// the commit that an answer told of; who reads in between waits for them, but not for long: they may be far behind, or
// the processes that make them down.

import { setTimeout as rest } from 'node:timers/promises';
import { isAheadOfRelay, isAnyUnnumbered, readUnnumbered } from '../../database/queries/events/outbox-lag.ts';
import type { Deps } from '../deps.ts';

const LOOK_EVERY_MS = 5;
// Looks are counted and not time: while this process stands still, those who number and relay in it do nothing either.
/** A hundred times what either takes on a quiet machine: the commit that is waited for may stand still by itself. */
const MOST_LOOKS = 200;

/** Waits for the numbers of the merchant's events that are committed now. Those of later ones are not waited for. */
export async function awaitNumbers({ db }: Pick<Deps, 'db'>, merchantId: string): Promise<void> {
  const ids = await readUnnumbered(db.pool, merchantId);
  if (ids.length > 0) await waitWhile(() => isAnyUnnumbered(db.pool, ids));
}

/** Waits for the deliveries of an event. Says whether it is one of the merchant's that is sent as a webhook. */
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
