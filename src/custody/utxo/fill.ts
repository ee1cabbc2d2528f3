// The sandbox's faucet gives what is lacking; in live the operator does, and until then payouts wait.

import type { UtxoContext } from './context.ts';

/** Working capital that the faucet gives at a time: one coin; and how long is waited for it to arrive. */
const SANDBOX_FILL = 100_000_000n;
const FILL_AGAIN_AFTER_MS = 30_000;

/** Asks for what is missing, in base units: on its way, or not to be had. */
export type Fill = (missing: bigint) => Promise<'coming' | 'lacking'>;

export function createFiller({ devChain, wallets, coin, deps, chain }: UtxoContext): Fill {
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
