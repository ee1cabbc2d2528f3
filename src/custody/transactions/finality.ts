// Decides from which block on a transaction counts as final, with two nodes agreeing where there are two.

import type { ChainAdapter } from '../../chain/adapter.ts';

/** Where a chain reports no finality, a block is final after this many times the required confirmations. */
const CONFIRMATIONS_FACTOR = 2;

/** The height up to which blocks are final. Throws `ChainUnavailable`. */
export async function readFinalHeight(adapter: ChainAdapter, requiredConfirmations: number): Promise<number> {
  const finalized = await adapter.finalizedHeight();
  return finalized ?? (await adapter.tip()).height - CONFIRMATIONS_FACTOR * requiredConfirmations + 1;
}

/** Confirmations that make the spending of an output final, however few make a deposit count. */
const BEYOND_DOUBT = 6;

/** The height up to which spends of outputs are final, for a given tip. */
export const heightBeyondDoubt = (tipHeight: number, requiredConfirmations: number): number =>
  tipHeight - Math.max(BEYOND_DOUBT, requiredConfirmations) + 1;

/** Asks two nodes where there are two. Throws `ChainUnavailable` while they disagree. */
export function agreed<Answer>(
  adapter: ChainAdapter,
  question: (node: ChainAdapter) => Promise<Answer>,
): Promise<Answer> {
  return adapter.agreed ? adapter.agreed(question) : question(adapter);
}
