// What is known of each node of a network: whether it answers, how far it is, how quick; and which is asked first.

import type { ChainAdapter, NodeState } from '../adapter.ts';
import { ChainUnavailable, NotTaken, PriceTooHigh } from '../errors.ts';

export interface PoolNode {
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
  readonly name: string;
  readonly adapter: ChainAdapter;
  /** Why it is not what it should be; null while it is. */
  fault: Error | null;
  /** Why it is not believed any more. */
  dropped: string | null;
  failures: number;
  /** Monotonic; before that it is left alone. */
  restsUntilMs: number;
  height: number | null;
  latencyMs: number | null;
}

/** A node that failed rests for a second, then two, four, at most a minute; or for as long as it asks for. */
const REST_MS = { first: 1_000, most: 60_000 };
/** Nodes of one network are a block or two apart at any moment; more, and a node is behind. */
const APART_AT_MOST = 3;
/** Weight of the newest answer. */
const SMOOTHING = 0.2;
/** A node in use is left for a quicker one only if that is so many times as quick: changing costs more than it gains. */
const QUICKER_BY = 2;

export function createPoolNode(adapter: ChainAdapter, place: number, now: () => number): PoolNode {
  return {
    now,
    name: `node ${String(place + 1)}`,
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
 * Those that may be asked, the best first: of those that answered when they were last asked the one in use, or one that
 * is much quicker; then those that are not known, or failed; then those that are behind. `verify` asks each of them again
 * and again, so that none stays unknown: no question of a payment has to try a node that may be dead.
 */
export function inOrder(nodes: readonly PoolNode[], inUse: PoolNode | null): PoolNode[] {
  const able = nodes.filter((node) => stateOf(node).state === 'up');
  const best = Math.max(...able.map(({ height }) => height ?? 0));
  const isBehind = ({ height }: PoolNode) => height !== null && best - height > APART_AT_MOST;
  const isProven = ({ latencyMs, failures }: PoolNode) => latencyMs !== null && failures === 0;
  const rank = (node: PoolNode) => (isBehind(node) ? 2 : isProven(node) ? 0 : 1);
  const cost = (node: PoolNode) => (node.latencyMs ?? 0) / (node === inUse ? QUICKER_BY : 1);
  const isOther = (node: PoolNode) => Number(node !== inUse);
  return able.sort((a, b) => rank(a) - rank(b) || cost(a) - cost(b) || isOther(a) - isOther(b));
}

/** Asks one node, and keeps what that tells of it. Only a failure of the node itself counts against it. */
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

/** Leaves a node alone for a while. */
export function rest(node: PoolNode, forMs: number | null = null): void {
  const byFailures = Math.min(REST_MS.most, REST_MS.first * 2 ** node.failures);
  node.failures += 1;
  node.restsUntilMs = node.now() + Math.min(forMs ?? byFailures, 10 * REST_MS.most);
}
