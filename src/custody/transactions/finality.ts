// When what a chain says of our transactions is acted on for good: under final blocks, and by the word of two nodes where
// there are two.

import type { ChainAdapter } from '../../chain/adapter.ts';

/** Where a chain does not say what is final, so many times the confirmations on top of a block do. */
const CONFIRMATIONS_FACTOR = 2;

/** The height up to which blocks are final. Throws `ChainUnavailable`. */
export async function readFinalHeight(adapter: ChainAdapter, requiredConfirmations: number): Promise<number> {
  const told = await adapter.finalizedHeight();
  return told ?? (await adapter.tip()).height - CONFIRMATIONS_FACTOR * requiredConfirmations + 1;
}

/** A transaction that spends an output is beyond doubt with so many confirmations, however few make a deposit count. */
const BEYOND_DOUBT = 6;

/** The height up to which what spends an output is beyond doubt, at a tip. */
export const heightBeyondDoubt = (tipHeight: number, requiredConfirmations: number): number =>
  tipHeight - Math.max(BEYOND_DOUBT, requiredConfirmations) + 1;

/** Asks two nodes where there are two, and throws `ChainUnavailable` while they do not say the same. */
export function agreed<Answer>(
  adapter: ChainAdapter,
  question: (node: ChainAdapter) => Promise<Answer>,
): Promise<Answer> {
  return adapter.agreed ? adapter.agreed(question) : question(adapter);
}
