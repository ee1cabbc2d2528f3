// Reads the waiting transactions of an EVM node, from its transaction pool or its pending block.

import type { Logger } from 'pino';
import type { Mempool } from '../blocks.ts';
import { RpcError, type Rpc } from './rpc.ts';
import { decodePending, signedOf } from './transfers.ts';
import type { WatchedAssets } from './watched-assets.ts';
import { readHead, readPendingBlock, readPool, type RpcTransaction } from './rpc-types.ts';

interface MempoolDeps {
  rpc: Rpc;
  assets: WatchedAssets;
  log?: Logger | undefined;
}

/** Uses `txpool_content`, or the pending block on nodes without it. */
export function createMempoolReader({ rpc, assets, log }: MempoolDeps): () => Promise<Mempool> {
  let offersPool = true;

  function decode(waiting: readonly RpcTransaction[]): Mempool {
    const transfers = decodePending(waiting, assets);
    const paying = new Set(transfers.map(({ txHash }) => txHash));
    return { transfers, signed: signedOf(waiting.filter(({ hash }) => paying.has(hash))) };
  }

  async function pendingBlock(): Promise<RpcTransaction[]> {
    const [latest, answer] = await rpc.batch([
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
      { method: 'eth_getBlockByNumber', params: ['pending', true] },
    ]);
    const tip = readHead(latest);
    const pending = readPendingBlock(answer);
    // A node that builds no pending block answers with the latest one, whose transactions are already mined.
    if (!tip || !pending || pending.height <= tip.height) return [];
    return pending.transactions.map((transaction) => ({ ...transaction, blockHash: null }));
  }

  return async () => {
    if (offersPool) {
      try {
        return decode(readPool(await rpc.call('txpool_content', [])));
      } catch (error) {
        if (!(error instanceof RpcError && error.isMissingMethod)) throw error;
        offersPool = false;
        log?.info({ reason: error.message }, 'the node does not show its pool; its pending block is read instead');
      }
    }
    return decode(await pendingBlock());
  };
}
