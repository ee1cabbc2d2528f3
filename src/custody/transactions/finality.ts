// The height up to which blocks are final, and how to have two nodes agree on an answer where there are several.

import type { ChainAdapter } from '../../chain/adapter.ts';

/** Where a chain reports no finality, a block is final after this many times the required confirmations. */
const CONFIRMATIONS_FACTOR = 2;

/** The height up to which blocks are final. Throws `ChainUnavailable`. */
export async function readFinalHeight(adapter: ChainAdapter, requiredConfirmations: number): Promise<number> {
  const finalized = await adapter.finalizedHeight();
  return finalized ?? (await adapter.tip()).height - CONFIRMATIONS_FACTOR * requiredConfirmations + 1;
}

/** Confirmations after which the spending of an output is final, even if fewer are required for deposits. */
const BEYOND_DOUBT = 6;

/** The height up to which spends of outputs are final, for a given tip. */
export const heightBeyondDoubt = (tipHeight: number, requiredConfirmations: number): number =>
  tipHeight - Math.max(BEYOND_DOUBT, requiredConfirmations) + 1;

/** Asks until two nodes agree, where there are several. Throws `ChainUnavailable` if no two do. */
export function agreed<Answer>(
  adapter: ChainAdapter,
  question: (node: ChainAdapter) => Promise<Answer>,
): Promise<Answer> {
  return adapter.agreed ? adapter.agreed(question) : question(adapter);
}
