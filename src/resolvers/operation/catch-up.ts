// Charges event-log entries read again by a subscription as calls, like pages of `events`: by cost and size. A
// subscriber who has used up their calls waits instead of being refused, because no entry may be skipped.

import { setTimeout as rest } from 'node:timers/promises';
import type { OperationContext } from '../../access/caller.ts';
import { callsOf } from '../../values/call-weight.ts';
import { GatewayError } from '../../values/errors.ts';

/** Least cost of an entry, however little is selected: a hundred are read at a time. */
const LEAST_COST = 20;
/** Most calls that one entry may count as; more than the largest entry needs. */
const MOST_CALLS = 10;

/** Lets one entry pass; an aborted signal ends the wait by rejecting. */
export type LetPass = (signal: AbortSignal) => Promise<void>;

/** Creates the counter of one subscription, whose own call is the first. */
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
