// Reads all receipts of a block by its hash: which transactions succeeded, and their logs in order.

import type { Logger } from 'pino';
import { RpcError, type Rpc } from './rpc.ts';
import { TRANSFER_TOPIC } from './transfers.ts';
import type { WatchedAssets } from './watched-assets.ts';
import { readLogOwners, readReceipt, readReceipts, type RpcBlock, type RpcReceipt } from './rpc-types.ts';

interface ReceiptDeps {
  rpc: Rpc;
  assets: WatchedAssets;
  log?: Logger | undefined;
}

/** Receipts by transaction hash; null if the node no longer has the whole block. */
export type ReadReceipts = (block: RpcBlock) => Promise<ReadonlyMap<string, RpcReceipt> | null>;

/**
 * Uses `eth_getBlockReceipts`, or, on nodes without it, `eth_getLogs` by block hash and the receipts of the relevant
 * transactions. A missing receipt makes the result null, never incomplete.
 */
export function createReceiptReader({ rpc, assets, log }: ReceiptDeps): ReadReceipts {
  let offersBlockReceipts = true;

  async function ofBlock(block: RpcBlock): Promise<RpcReceipt[] | null> {
    if (!offersBlockReceipts) return null;
    try {
      return readReceipts(await rpc.call('eth_getBlockReceipts', [block.hash]));
    } catch (error) {
      if (!(error instanceof RpcError && error.isMissingMethod)) throw error;
      offersBlockReceipts = false;
      log?.info({ reason: error.message }, 'the node lacks eth_getBlockReceipts; receipts are read one by one');
      return null;
    }
  }

  async function hashesOfInterest(block: RpcBlock): Promise<string[]> {
    const coins = assets.coin === null ? [] : block.transactions.filter(({ to, value }) => to !== null && value > 0n);
    const hashes = coins.map(({ hash }) => hash);
    if (assets.tokens.size === 0) return hashes;
    const filter = { blockHash: block.hash, address: [...assets.tokens.keys()], topics: [TRANSFER_TOPIC] };
    return [...new Set([...hashes, ...readLogOwners(await rpc.call('eth_getLogs', [filter]))])];
  }

  async function ofTransactions(hashes: readonly string[]): Promise<RpcReceipt[]> {
    const answers = await rpc.batch(hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })));
    return answers.map(readReceipt).filter((receipt) => receipt !== null);
  }

  return async (block) => {
    if (block.transactions.length === 0 && offersBlockReceipts) return new Map();
    const found = await ofBlock(block);
    if (found === null && offersBlockReceipts) return null;
    const byHash = new Map(found?.map((receipt) => [receipt.txHash, receipt]));
    const wanted = found ? block.transactions.map(({ hash }) => hash) : await hashesOfInterest(block);
    const missing = wanted.filter((hash) => !byHash.has(hash));
    for (const receipt of await ofTransactions(missing)) byHash.set(receipt.txHash, receipt);
    const isWhole = wanted.every((hash) => byHash.has(hash));
    const isOfBlock = [...byHash.values()].every(({ blockHash }) => blockHash === block.hash);
    return isWhole && isOfBlock ? byHash : null;
  };
}
