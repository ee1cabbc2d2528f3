// Gauges of networks and their nodes in /metrics: read progress, tips, and the health of nodes.

import type { Registry } from 'prom-client';
import type { NodeState } from '../../chain/adapter.ts';
import type { Database } from '../../database/connection.ts';
import { readCursor } from '../../database/queries/chain/chain-cursor.ts';
import type { Chain } from '../../domain/deps.ts';
import { watchCostly, watchNow } from '../../server/metrics/cached-gauges.ts';
import type { Network } from '../../values/assets.ts';
import { createSyncProgress, lagOf, type SyncProgress, type SyncSample } from './sync-progress.ts';

/** How far a network was read, by the node's own current tip instead of the watcher's. */
interface NetworkState extends SyncSample {
  /** Null at the first sample. */
  readonly progress: SyncProgress | null;
}

export function watchNetworks(registry: Registry, db: Database, chains: ReadonlyMap<Network, Chain>): void {
  const states = new Map<string, NetworkState>();
  const progressOf = new Map<string, ReturnType<typeof createSyncProgress>>();
  const sample = async (network: Network, { adapter }: Chain): Promise<void> => {
    const [tip, cursor] = await Promise.all([adapter.tip(), readCursor(db.em, network)]);
    const tipHeight = tip.height;
    const taken: SyncSample = { tipHeight, cursorHeight: cursor?.height ?? tipHeight, readAtMs: performance.now() };
    const measure = progressOf.get(network) ?? createSyncProgress();
    progressOf.set(network, measure);
    states.set(network, { ...taken, progress: measure(taken) });
  };
  const read = async () => {
    // A node that does not answer keeps its last figures; their age grows.
    await Promise.allSettled([...chains].map(([network, chain]) => sample(network, chain)));
    return states;
  };
  const each = (figureOf: (state: NetworkState) => number | null) => () => {
    const figures = [...states].map(([network, state]) => [network, figureOf(state)] as const);
    return new Map(figures.flatMap(([network, figure]) => (figure === null ? [] : [[network, figure]])));
  };
  watchCostly(registry, read, [
    {
      name: 'turnpike_chain_lag_blocks',
      help: "Blocks between the last one read and the node's tip",
      label: 'network',
      of: each(lagOf),
    },
    {
      name: 'turnpike_chain_tip_height',
      help: "The height of the node's tip",
      label: 'network',
      of: each(({ tipHeight }) => tipHeight),
    },
    {
      name: 'turnpike_chain_blocks_per_second',
      help: 'Blocks of a network read per second, over the last minute',
      label: 'network',
      of: each(({ progress }) => progress?.blocksPerSecond ?? null),
    },
    {
      name: 'turnpike_chain_catch_up_seconds',
      help: 'Seconds until a network is read to its tip at this speed; missing while the lag does not shrink',
      label: 'network',
      of: each(({ progress }) => progress?.secondsLeft ?? null),
    },
    {
      name: 'turnpike_chain_tip_age_seconds',
      help: 'Seconds since a node last reported its tip',
      label: 'network',
      of: each(({ readAtMs }) => (performance.now() - readAtMs) / 1_000),
    },
  ]);
}

/** The nodes of networks that have several, labelled by network and position. */
export function watchNodes(registry: Registry, chains: ReadonlyMap<Network, Chain>): void {
  const each = (figureOf: (node: NodeState) => number | null) => () => {
    const figures = new Map<string, number>();
    for (const [network, { adapter }] of chains)
      for (const node of adapter.nodes?.() ?? []) {
        const figure = figureOf(node);
        if (figure !== null) figures.set(`${network} ${node.name}`, figure);
      }
    return figures;
  };
  watchNow(registry, chains, [
    {
      name: 'turnpike_node_up',
      help: 'Whether a node of a network is in use: 0 while it pauses after a failure, is wrong or was dropped',
      label: 'node',
      of: each(({ state }) => (state === 'up' ? 1 : 0)),
    },
    {
      name: 'turnpike_node_height',
      help: 'The height that a node last reported',
      label: 'node',
      of: each(({ height }) => height),
    },
    {
      name: 'turnpike_node_latency_seconds',
      help: 'Response time of a node, smoothed',
      label: 'node',
      of: each(({ latencyMs }) => latencyMs && latencyMs / 1_000),
    },
  ]);
}
