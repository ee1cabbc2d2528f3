// What contracts pay out in the coin while a block's transactions run, which no transaction says: the node's traces do.

import type { Logger } from 'pino';
import { RpcError, type Rpc } from './rpc.ts';
import type { WatchedAssets } from './transfers.ts';
import { readTraces, type RpcBlock, type RpcTrace } from './rpc-types.ts';

interface TraceDeps {
  rpc: Rpc;
  assets: WatchedAssets;
  /** False: the node is not asked. */
  trace: boolean;
  log?: Logger | undefined;
}

/** The traces of a block, none where they are not offered; null when the node no longer holds the block, or only a part. */
export type ReadTraces = (block: RpcBlock, tipHeight: number) => Promise<readonly RpcTrace[] | null>;

/** Nodes keep the state of the last 128 blocks, archives excepted, and without it they cannot run a block again. */
const STATE_KEPT_BLOCKS = 100;

/**
 * Creates the reader of `trace_block`, which a node that lacks it is asked for once. The method goes by height, so its
 * answer must say that it is of the block that was asked for, and have every transaction in it.
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
      // It would fail for ever, and a watcher that was away for long would never get past this block.
      log?.warn(
        { reason, height: block.height },
        'a block is too old for the node to trace: reconciliation sees to it',
      );
      return [];
    }
  };
}

/** Every trace is of this block, and every transaction has one. Some nodes do not trace what the chain itself does. */
function isWhole(block: RpcBlock, traces: readonly RpcTrace[]): boolean {
  const traced = new Set(traces.map(({ txHash }) => txHash));
  const isOfBlock = traces.every(({ blockHash }) => blockHash === block.hash);
  return isOfBlock && block.transactions.every(({ hash, isFree }) => isFree || traced.has(hash));
}

/** One payment that a contract made. */
type Payment = NonNullable<RpcTrace['payment']>;

/**
 * By transaction, the payments inside it in the order in which they were made. What failed is undone together with all
 * that it had called, whether or not that succeeded. What the transaction itself pays is not among them.
 */
export function paymentsOf(traces: readonly RpcTrace[]): Map<string, Payment[]> {
  const nameOf = (txHash: string, path: readonly number[]) => `${txHash}/${path.join('.')}`;
  const failed = new Set(traces.filter((one) => one.failed).map(({ txHash, path }) => nameOf(txHash, path)));
  const isUndone = ({ txHash, path }: RpcTrace): boolean =>
    failed.size > 0 && [...path, 0].some((_, depth) => failed.has(nameOf(txHash, path.slice(0, depth))));
  const found = new Map<string, Payment[]>();
  // Nodes answer in this order already; the ordinals must not depend on it.
  for (const one of traces.toSorted((a, b) => comparePaths(a.path, b.path))) {
    if (one.payment === null || one.path.length === 0 || isUndone(one)) continue;
    const payments = found.get(one.txHash) ?? [];
    payments.push(one.payment);
    found.set(one.txHash, payments);
  }
  return found;
}

/** The order of execution: a call before those it makes, and they one after the other. */
function comparePaths(a: readonly number[], b: readonly number[]): number {
  for (const [depth, position] of a.entries()) {
    const other = b[depth];
    if (other === undefined) return 1;
    if (position !== other) return position - other;
  }
  return a.length - b.length;
}
