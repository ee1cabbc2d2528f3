// Reads a block's traces, which show the coin payments that contracts make within transactions.

import type { Logger } from 'pino';
import { RpcError, type Rpc } from './rpc.ts';
import { readTraces, type RpcBlock, type RpcTrace } from './rpc-types.ts';
import type { WatchedAssets } from './watched-assets.ts';

interface TraceDeps {
  rpc: Rpc;
  assets: WatchedAssets;
  /** False: no traces are read. */
  trace: boolean;
  log?: Logger | undefined;
}

/** The traces of a block, empty if the node offers none; null if the node no longer has the whole block. */
export type ReadTraces = (block: RpcBlock, tipHeight: number) => Promise<readonly RpcTrace[] | null>;

/** Nodes need a block's state to trace it. All but archive nodes keep only that of the last 128 blocks. */
const STATE_KEPT_BLOCKS = 100;

/**
 * Uses `trace_block`; a node that lacks it is asked only once. The method takes a height, so the response is checked:
 * it must be of the expected block and contain all its transactions.
 */
export function createTraceReader({ rpc, assets, trace, log }: TraceDeps): ReadTraces {
  let offersTraces = trace && assets.coin !== null;

  return async (block, tipHeight) => {
    if (!offersTraces || block.transactions.length === 0) return [];
    try {
      const traces = readTraces(await rpc.call('trace_block', [`0x${block.height.toString(16)}`]));
      return traces && isWhole(block, traces) ? traces : null;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      const reason = error.message;
      if (error.isMissingMethod) {
        offersTraces = false;
        log?.info({ reason }, 'the node lacks trace_block: what contracts pay in the coin is found by reconciliation');
        return [];
      }
      if (tipHeight - block.height <= STATE_KEPT_BLOCKS || !error.isStateGone) throw error;
      // This would fail forever, and a watcher that was offline for long would never get past this block.
      log?.warn(
        { reason, height: block.height },
        'a block is too old for the node to trace: what contracts paid in it is found by reconciliation',
      );
      return [];
    }
  };
}

/** Some nodes do not trace the transactions that the chain makes itself. */
function isWhole(block: RpcBlock, traces: readonly RpcTrace[]): boolean {
  const traced = new Set(traces.map(({ txHash }) => txHash));
  const isOfBlock = traces.every(({ blockHash }) => blockHash === block.hash);
  return isOfBlock && block.transactions.every(({ hash, isFree }) => isFree || traced.has(hash));
}

type Payment = NonNullable<RpcTrace['payment']>;

/**
 * The coin payments that contracts made, by transaction, in order of execution. A failed call also undoes the calls
 * below it, even those that succeeded. The transaction's own payment is not included.
 */
export function paymentsOf(traces: readonly RpcTrace[]): Map<string, Payment[]> {
  const nameOf = (txHash: string, path: readonly number[]) => `${txHash}/${path.join('.')}`;
  const failed = new Set(traces.filter((one) => one.failed).map(({ txHash, path }) => nameOf(txHash, path)));
  const isUndone = ({ txHash, path }: RpcTrace): boolean =>
    failed.size > 0 && [...path, 0].some((_, depth) => failed.has(nameOf(txHash, path.slice(0, depth))));
  const found = new Map<string, Payment[]>();
  // Nodes answer in this order already, but the ordinals must not depend on it.
  for (const one of traces.toSorted((a, b) => comparePaths(a.path, b.path))) {
    if (one.payment === null || one.path.length === 0 || isUndone(one)) continue;
    const payments = found.get(one.txHash) ?? [];
    payments.push(one.payment);
    found.set(one.txHash, payments);
  }
  return found;
}

/** Depth-first order: a call comes before the calls it makes. */
function comparePaths(a: readonly number[], b: readonly number[]): number {
  for (const [depth, position] of a.entries()) {
    const other = b[depth];
    if (other === undefined) return 1;
    if (position !== other) return position - other;
  }
  return a.length - b.length;
}
