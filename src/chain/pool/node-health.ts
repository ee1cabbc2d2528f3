// Tracks the health of each node (failures, height, latency) and ranks the nodes by it.

import type { ChainAdapter, NodeState } from '../adapter.ts';
import { ChainUnavailable, NotTaken, PriceTooHigh } from '../errors.ts';

export interface PoolNode {
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
  readonly name: string;
  readonly adapter: ChainAdapter;
  /** Why its last check failed; null if it passed. */
  fault: Error | null;
  /** Why it is no longer trusted; null while it is. */
  dropped: string | null;
  failures: number;
  /** Monotonic; it is not asked before then. */
  restsUntilMs: number;
  height: number | null;
  latencyMs: number | null;
}

/** A failed node rests for 1 second, then 2, 4, at most 60; or for as long as it asks for (Retry-After). */
const REST_MS = { first: 1_000, most: 60_000 };
/** Healthy nodes are a block or two apart; one that is further behind lags. */
const MAX_LAG_BLOCKS = 3;
/** Weight of the newest latency in the moving average. */
const SMOOTHING = 0.2;
/** Another node replaces the one in use only if it is this many times as fast, because switching has a cost. */
const FASTER_BY = 2;

export function createPoolNode(adapter: ChainAdapter, position: number, now: () => number): PoolNode {
  return {
    now,
    name: `node ${String(position + 1)}`,
    adapter,
    fault: null,
    dropped: null,
    failures: 0,
    restsUntilMs: -Infinity,
    height: null,
    latencyMs: null,
  };
}

export function stateOf(node: PoolNode): NodeState {
  const resting = node.restsUntilMs > node.now() ? 'resting' : 'up';
  const state = node.dropped !== null ? 'dropped' : node.fault !== null ? 'wrong' : resting;
  return { name: node.name, state, height: node.height, latencyMs: node.latencyMs };
}

/**
 * The nodes that may be asked, best first: those that answered last time, led by the one in use unless another is much
 * faster; then untested and failed ones; then those that lag. `verify` checks every node regularly, so that payments do
 * not have to try a node that may be down.
 */
export function inOrder(nodes: readonly PoolNode[], inUse: PoolNode | null): PoolNode[] {
  const up = nodes.filter((node) => stateOf(node).state === 'up');
  const best = Math.max(...up.map(({ height }) => height ?? 0));
  const isLagging = ({ height }: PoolNode) => height !== null && best - height > MAX_LAG_BLOCKS;
  const isProven = ({ latencyMs, failures }: PoolNode) => latencyMs !== null && failures === 0;
  const rank = (node: PoolNode) => (isLagging(node) ? 2 : isProven(node) ? 0 : 1);
  const cost = (node: PoolNode) => (node.latencyMs ?? 0) / (node === inUse ? FASTER_BY : 1);
  const isOther = (node: PoolNode) => Number(node !== inUse);
  return up.sort((a, b) => rank(a) - rank(b) || cost(a) - cost(b) || isOther(a) - isOther(b));
}

/** Asks one node and records its latency or failure. Only failures of the node itself count against it. */
export async function ask<Value>(node: PoolNode, question: (adapter: ChainAdapter) => Promise<Value>): Promise<Value> {
  const startedAt = node.now();
  try {
    const value = await question(node.adapter);
    const tookMs = node.now() - startedAt;
    node.latencyMs = node.latencyMs === null ? tookMs : node.latencyMs + SMOOTHING * (tookMs - node.latencyMs);
    node.failures = 0;
    return value;
  } catch (error) {
    if (error instanceof ChainUnavailable && !(error instanceof NotTaken || error instanceof PriceTooHigh))
      rest(node, error.retryAfterMs);
    throw error;
  }
}

/** Does not ask a node for a while. */
export function rest(node: PoolNode, forMs: number | null = null): void {
  const byFailures = Math.min(REST_MS.most, REST_MS.first * 2 ** node.failures);
  node.failures += 1;
  node.restsUntilMs = node.now() + Math.min(forMs ?? byFailures, 10 * REST_MS.most);
}
