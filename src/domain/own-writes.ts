// What a caller was answered is in what he reads next. Numbers of events and deliveries are made milliseconds after the
// commit that an answer told of; who reads in between waits for them, but not for long: they may be far behind, or the
// processes that make them down.

import { setTimeout as rest } from 'node:timers/promises';
import { isAheadOfRelay, isAnyUnnumbered, readUnnumbered } from '../database/queries/behind.ts';
import type { Deps } from './deps.ts';

const LOOK_EVERY_MS = 5;
// Looks are counted and not time: while this process stands still, those who number and relay in it do nothing either.
/** Numbering pauses 10 ms between two batches. */
const NUMBERED_WITHIN_LOOKS = 50;
/** The relay comes after numbering. */
const RELAYED_WITHIN_LOOKS = 200;

/** Waits for the numbers of the merchant's events that are committed now. Those of later ones are not waited for. */
export async function awaitNumbers({ db }: Pick<Deps, 'db'>, merchantId: string): Promise<void> {
  const ids = await readUnnumbered(db.pool, merchantId);
  if (ids.length > 0) await waitWhile(() => isAnyUnnumbered(db.pool, ids), NUMBERED_WITHIN_LOOKS);
}

/** Waits for the deliveries of an event. Says whether it is one of the merchant's that is sent as a webhook. */
export async function awaitRelay({ db }: Pick<Deps, 'db'>, merchantId: string, eventId: string): Promise<boolean> {
  let ahead: boolean | null = null;
  await waitWhile(async () => {
    ahead = await isAheadOfRelay(db.pool, merchantId, eventId);
    return ahead ?? false;
  }, RELAYED_WITHIN_LOOKS);
  return ahead !== null;
}

async function waitWhile(isBehind: () => Promise<boolean>, mostLooks: number): Promise<void> {
  for (let nth = 1; (await isBehind()) && nth < mostLooks; nth += 1) await rest(LOOK_EVERY_MS);
}
