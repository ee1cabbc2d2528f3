// What is read again of the event log counts as calls, as the pages of `events` do: by what it costs and how large it
// is. A reader who has used up their calls is not refused and waits: what they are owed is not late, and none of it may
// be left out.

import { setTimeout as rest } from 'node:timers/promises';
import type { OperationContext } from '../../access/caller.ts';
import { callsOf } from '../../values/call-size.ts';
import { GatewayError } from '../../values/errors.ts';

/** What an entry costs at least, however little is asked of it: a hundred of them are read at a time. */
const LEAST_COST = 20;
/** Calls that one entry may count as: beyond the largest that there are. */
const MOST_CALLS = 10;

/** Lets one entry pass; the signal ends a wait by rejecting. */
export type LetPass = (signal: AbortSignal) => Promise<void>;

/** Makes the count of one subscription, whose own call is the first. */
export function createCatchUp({ load, charge }: Pick<OperationContext, 'load' | 'charge'>): LetPass {
  let cost = 0;
  let counted = 1;
  return async (signal) => {
    if (!load || !charge) return;
    cost += Math.max(LEAST_COST, load.itemCost);
    const calls = callsOf({ cost, bytes: load.streamed });
    const more = Math.min(calls - counted, MOST_CALLS);
    counted = calls;
    for (let n = 0; n < more; n += 1) await countOne(() => charge(1), signal);
  };
}

async function countOne(charge: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (;;)
    try {
      return await charge();
    } catch (error) {
      if (!(error instanceof GatewayError) || error.errorName !== 'RATE_LIMITED') throw error;
      await rest((error.retryAfterSeconds ?? 1) * 1_000, undefined, { signal });
    }
}
