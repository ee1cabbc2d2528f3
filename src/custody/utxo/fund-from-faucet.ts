// Funds the hot wallet from the sandbox's faucet. In live the operator does that, and payouts wait until then.

import type { UtxoContext } from './context.ts';

/**
 * What the faucet gives beyond the missing amount: one coin; and how long it waits for the money before asking again.
 */
const SANDBOX_FILL = 100_000_000n;
const FILL_AGAIN_AFTER_MS = 30_000;

/** Asks for the missing base units: on their way, or unavailable. */
export type FaucetFunding = (missing: bigint) => Promise<'coming' | 'lacking'>;

export function createFaucetFunding({ devChain, wallets, coin, deps, chain }: UtxoContext): FaucetFunding {
  let filledAt = -Infinity;
  return async (missing) => {
    if (!devChain) return 'lacking';
    if (performance.now() - filledAt < FILL_AGAIN_AFTER_MS) return 'coming';
    filledAt = performance.now();
    const amount = missing + SANDBOX_FILL;
    const { address } = wallets.hot;
    const confirmations = chain.requiredConfirmations - 1;
    await devChain.deposit({ address, currency: coin.currency, amount, confirmations });
    deps.signals.chain(chain.adapter.network);
    return 'coming';
  };
}
