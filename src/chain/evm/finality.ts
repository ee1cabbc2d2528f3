// Up to which block an EVM network is final, by the block tag `finalized` of its nodes.

import { RpcError, type Rpc } from './rpc.ts';
import { readHead } from './rpc-types.ts';

interface FinalityDeps {
  readonly rpc: Rpc;
  readonly minesOnDemand: boolean;
}

/** A node that has no such tag is asked for it again after so long: some have none until they have caught up. */
const ASK_AGAIN_AFTER_MS = 60_000;

/**
 * Creates `ChainSender.finalizedHeight`. Null for a node that lacks the tag. One that had it once and has it no more is
 * not taken at its word: that throws, because fewer blocks would then count as final. A development chain finalises
 * nothing; what its node says is only a height further down.
 */
export function createFinalityReader({ rpc, minesOnDemand }: FinalityDeps): () => Promise<number | null> {
  let isKnown = false;
  let askedAt = -Infinity;
  return async () => {
    if (minesOnDemand) return null;
    if (!isKnown && performance.now() - askedAt < ASK_AGAIN_AFTER_MS) return null;
    try {
      const head = readHead(await rpc.call('eth_getBlockByNumber', ['finalized', false]));
      if (head) isKnown = true;
      else if (isKnown) rpc.fail('the node does not know any more which block is final');
      askedAt = performance.now();
      return head?.height ?? null;
    } catch (error) {
      if (isKnown || !(error instanceof RpcError)) throw error;
      askedAt = performance.now();
      return null;
    }
  };
}
