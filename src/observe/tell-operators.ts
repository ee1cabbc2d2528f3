// Looks for what operators have to do, and tells them: payouts that are stuck, and gas wallets that are low.

import type { Deps } from '../domain/deps.ts';
import { findLowGas, tellLowGas, tellStuckPayouts } from '../domain/operator/notices.ts';
import type { Worker } from '../loop.ts';
import type { Network } from '../values/assets.ts';

export interface OperatorNoticesOptions {
  readonly stuckAfterMinutes: number;
  /** The time between two looks at the gas wallets, each of which asks a node. */
  readonly gasEveryMs?: number;
}

/** A wallet that is being filled is low for a moment: it is told of at the second look in a row. */
const GAS_EVERY_MS = 5 * 60_000;

/** Creates the worker. Several processes may run it: each thing is told of once. Without mails it does nothing. */
export function createOperatorNotices(
  deps: Deps,
  { stuckAfterMinutes, gasEveryMs = GAS_EVERY_MS }: OperatorNoticesOptions,
): Worker {
  let lookedAt = -Infinity;
  const low = new Set<Network>();
  return {
    name: 'tell-operators',
    async processNext() {
      if (deps.sendsMail !== true) return false;
      await tellStuckPayouts(deps, stuckAfterMinutes);
      if (performance.now() - lookedAt < gasEveryMs) return false;
      lookedAt = performance.now();
      for (const [network, chain] of deps.chains) {
        const found = await findLowGas(deps, chain);
        if (found === null) low.delete(network);
        else if (low.has(network)) await tellLowGas(deps, chain, found);
        else low.add(network);
      }
      return false;
    },
  };
}
