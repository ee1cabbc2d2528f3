// Reads the finalised height of an EVM network, from the block tag `finalized`.

import { RpcError, type Rpc } from './rpc.ts';
import { readHead } from './rpc-types.ts';

interface FinalityDeps {
  readonly rpc: Rpc;
  readonly minesOnDemand: boolean;
}

/** How long until a node without the tag is asked again: some lack it only until they have synced. */
const ASK_AGAIN_AFTER_MS = 60_000;

/**
 * Creates `ChainSender.finalizedHeight`: null if the node lacks the tag. Throws if the node had the tag before, because
 * the fallback would count fewer blocks as final. A development chain finalises nothing; its node merely reports a
 * lower height.
 */
export function createFinalityReader({ rpc, minesOnDemand }: FinalityDeps): () => Promise<number | null> {
  let hadTag = false;
  let askedAt = -Infinity;
  return async () => {
    if (minesOnDemand) return null;
    if (!hadTag && performance.now() - askedAt < ASK_AGAIN_AFTER_MS) return null;
    try {
      const head = readHead(await rpc.call('eth_getBlockByNumber', ['finalized', false]));
      if (head) hadTag = true;
      else if (hadTag) rpc.fail('the node no longer reports a final block');
      askedAt = performance.now();
      return head?.height ?? null;
    } catch (error) {
      if (hadTag || !(error instanceof RpcError)) throw error;
      askedAt = performance.now();
      return null;
    }
  };
}
