// What the parts of a gateway tell of themselves in /metrics, besides what each counts itself.

import { Counter, type Registry } from 'prom-client';
import type { NodeState } from '../chain/adapter.ts';
import type { Database } from '../database/connection.ts';
import { readShares } from '../database/queries/chain/address-ranges.ts';
import { readCursor } from '../database/queries/chain/chain-cursor.ts';
import { countAdoptions } from '../database/queries/cluster-identity.ts';
import { readQueueDepths } from '../database/queries/events/queue-depths.ts';
import { readHalts } from '../database/queries/payouts/signing.ts';
import type { Chain } from '../domain/deps.ts';
import type { Loop } from '../loop.ts';
import type { Connections } from '../server/admission/connections.ts';
import type { LiveClients } from '../server/graphql/connections/registry.ts';
import { watchCostly, watchNow } from '../server/metrics/cached-gauges.ts';
import type { Network } from '../values/assets.ts';
import { createSyncProgress, lagOf, type SyncSample, type SyncProgress } from './networks/sync-progress.ts';
import type { Loops } from './lifecycle.ts';
import { watchPayouts, type PayoutParts } from './payout-metrics.ts';

interface ProcessParts {
  readonly db: Database;
  readonly loops: Loops;
  readonly chains: ReadonlyMap<Network, Chain>;
  readonly assetsOff: PayoutParts['assetsOff'];
  readonly listeners: () => number;
  readonly payouts: Pick<PayoutParts, 'clock' | 'stuckAfterMinutes'>;
}

/** Registers the gauges of what every role has: the database, the loops, the event log, the chains, the live updates. */
export function watchProcess(registry: Registry, parts: ProcessParts): void {
  const { db, loops, chains, assetsOff, listeners, payouts } = parts;
  watchPool(registry, db);
  watchLoops(registry, loops);
  watchCostly(registry, () => readQueueDepths(db.em), [
    {
      name: 'turnpike_events_unnumbered',
      help: 'Committed events without a number, of which nobody was told yet',
      of: ({ unnumbered }) => unnumbered,
    },
    {
      name: 'turnpike_events_not_relayed',
      help: 'Numbered events whose deliveries were not made yet',
      of: ({ notRelayed }) => notRelayed,
    },
  ]);
  watchPayouts(registry, db, { chains, assetsOff, ...payouts });
  watchCopies(registry, db, chains);
  watchChains(registry, db, chains);
  watchNodes(registry, chains);
  watchCostly(registry, () => readHalts(db.em), [
    {
      name: 'turnpike_signing_halted',
      help: "Whether a network's signing stands still until its operator has recovered the book: 1, else 0",
      label: 'network',
      of: (halts) => {
        const halted = new Set(halts.map(({ network }) => network));
        return new Map([...chains.keys()].map((network) => [network, halted.has(network) ? 1 : 0]));
      },
    },
  ]);
  watchNow(registry, listeners, [
    { name: 'turnpike_live_listeners', help: 'Subscriptions that follow something', of: (count) => count() },
  ]);
}

/** What becomes of the database as a copy, and what is left of the addresses. */
function watchCopies(registry: Registry, { em }: Database, chains: ReadonlyMap<Network, Chain>): void {
  watchCostly(registry, () => countAdoptions(em), [
    {
      name: 'turnpike_database_adoptions',
      help: 'Times that the database was another copy than before: restored, promoted or loaded from a dump',
      of: (count) => count,
    },
  ]);
  const pooled = () => [...chains.values()].filter(({ adapter }) => adapter.addresses === 'POOLED');
  const shares = () => readShares(em, [...new Set(pooled().map(({ account }) => account))]);
  watchCostly(registry, shares, [
    {
      name: 'turnpike_addresses_used_ratio',
      help: "An account's addresses that are used up or left out, of all that it can have; at 1 there is none left",
      label: 'account',
      of: (of) => of,
    },
  ]);
}

function watchPool(registry: Registry, { pool }: Database): void {
  watchNow(registry, pool, [
    {
      name: 'turnpike_database_connections',
      help: 'Connections to the database, by what they do',
      label: 'state',
      of: ({ totalCount, idleCount }) =>
        new Map([
          ['idle', idleCount],
          ['used', totalCount - idleCount],
        ]),
    },
    {
      name: 'turnpike_database_waiting',
      help: 'Pieces of work that wait for a connection to the database',
      of: ({ waitingCount }) => waitingCount,
    },
  ]);
}

function watchLoops(registry: Registry, loops: Loops): void {
  const each = (figureOf: (loop: Loop) => number) => () =>
    new Map(loops.all().map((loop) => [loop.name, figureOf(loop)]));
  watchNow(registry, loops, [
    {
      name: 'turnpike_loop_since_run_seconds',
      help: 'Since the last run of a loop ended',
      label: 'loop',
      of: each((loop) => loop.sinceRunMs() / 1_000),
    },
    {
      name: 'turnpike_loop_since_success_seconds',
      help: 'Since the last run of a loop ended without an error',
      label: 'loop',
      of: each((loop) => loop.sinceSuccessMs() / 1_000),
    },
    {
      name: 'turnpike_loop_failures',
      help: 'Runs of a loop in a row that ended with an error',
      label: 'loop',
      of: each((loop) => loop.failures()),
    },
  ]);
}

/** How far a network was read, by the node's word of this moment and not by the watcher's. */
interface ChainState extends SyncSample {
  /** Null at the first look. */
  readonly pace: SyncProgress | null;
}

function watchChains(registry: Registry, db: Database, chains: ReadonlyMap<Network, Chain>): void {
  const states = new Map<string, ChainState>();
  const paces = new Map<string, ReturnType<typeof createSyncProgress>>();
  const look = async (network: Network, { adapter }: Chain): Promise<void> => {
    const [tip, cursor] = await Promise.all([adapter.tip(), readCursor(db.em, network)]);
    const tipHeight = tip.height;
    const seen: SyncSample = { tipHeight, cursorHeight: cursor?.height ?? tipHeight, readAtMs: performance.now() };
    const paceOf = paces.get(network) ?? createSyncProgress();
    paces.set(network, paceOf);
    states.set(network, { ...seen, pace: paceOf(seen) });
  };
  const read = async () => {
    // A node that does not answer leaves its last figures, and the age of them.
    await Promise.allSettled([...chains].map(([network, chain]) => look(network, chain)));
    return states;
  };
  const each = (figureOf: (state: ChainState) => number | null) => () => {
    const figures = [...states].map(([network, state]) => [network, figureOf(state)] as const);
    return new Map(figures.flatMap(([network, figure]) => (figure === null ? [] : [[network, figure]])));
  };
  watchCostly(registry, read, [
    {
      name: 'turnpike_chain_lag_blocks',
      help: "Blocks from where a network was read to its node's tip",
      label: 'network',
      of: each(lagOf),
    },
    {
      name: 'turnpike_chain_blocks_per_second',
      help: 'Blocks of a network read in a second, over the last minute',
      label: 'network',
      of: each(({ pace }) => pace?.blocksPerSecond ?? null),
    },
    {
      name: 'turnpike_chain_catch_up_seconds',
      help: 'Until a network is read to its tip at this pace; missing while it comes no nearer',
      label: 'network',
      of: each(({ pace }) => pace?.secondsLeft ?? null),
    },
    {
      name: 'turnpike_chain_tip_age_seconds',
      help: 'Since a node last told its tip',
      label: 'network',
      of: each(({ readAtMs }) => (performance.now() - readAtMs) / 1_000),
    },
  ]);
}

/** The nodes of networks that have several, by network and place. */
function watchNodes(registry: Registry, chains: ReadonlyMap<Network, Chain>): void {
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
      help: 'Whether a node of a network is asked: 0 while it rests after a failure, is wrong or was dropped',
      label: 'node',
      of: each(({ state }) => (state === 'up' ? 1 : 0)),
    },
    {
      name: 'turnpike_node_height',
      help: 'The height of a node when it last told it',
      label: 'node',
      of: each(({ height }) => height),
    },
    {
      name: 'turnpike_node_latency_seconds',
      help: 'How long a node takes to answer, smoothed',
      label: 'node',
      of: each(({ latencyMs }) => latencyMs && latencyMs / 1_000),
    },
  ]);
}

interface FaceParts {
  readonly sockets: () => number;
  readonly streams: () => number;
  readonly load: () => { readonly underWay: number; readonly waiting: number };
  readonly connections: Connections;
  readonly clients: Pick<LiveClients, 'refused' | 'unread'>;
}

/** Registers the gauges of the api role: who is connected, and how busy it is. */
export function watchFaces(registry: Registry, parts: FaceParts): void {
  watchNow(registry, parts, [
    {
      name: 'turnpike_live_connections',
      help: 'Connections for live updates, by kind',
      label: 'kind',
      of: ({ sockets, streams }) =>
        new Map([
          ['web socket', sockets()],
          ['event stream', streams()],
        ]),
    },
    {
      name: 'turnpike_http_calls',
      help: 'Calls at this moment: under way, and waiting for their turn, operations of several calls among them',
      label: 'state',
      of: ({ load }) =>
        new Map([
          ['under way', load().underWay],
          ['waiting', load().waiting],
        ]),
    },
    {
      name: 'turnpike_connections',
      help: 'Open connections of callers, those for live updates among them',
      of: ({ connections }) => connections.size(),
    },
    {
      name: 'turnpike_unread_bytes',
      help: 'What waits to be taken by callers: large answers, and all on web sockets and event streams',
      of: ({ clients }) => clients.unread.taken(),
    },
  ]);
  new Counter({
    name: 'turnpike_unread_cut_total',
    help: 'Connections cut because too much waited to be taken in all, and most for their callers',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(parts.clients.unread.givenUp());
    },
  });
  new Counter({
    name: 'turnpike_connections_refused_total',
    help: 'Connections refused, by what there was too much of',
    labelNames: ['kind', 'of'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [of, count] of parts.connections.refused()) this.inc({ kind: 'any', of }, count);
      for (const [of, count] of parts.clients.refused()) this.inc({ kind: 'live', of }, count);
    },
  });
}
