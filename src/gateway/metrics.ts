// Gauges in /metrics for the database, loops, event log, networks and connections; other counters live where they
// count.

import { Counter, Gauge, type Registry } from 'prom-client';
import type { Database } from '../database/connection.ts';
import { readShares } from '../database/queries/chain/address-ranges.ts';
import { countAdoptions } from '../database/queries/cluster-identity.ts';
import { readQueueDepths } from '../database/queries/events/queue-depths.ts';
import { readHalts } from '../database/queries/payouts/signing-state.ts';
import type { Chain } from '../domain/deps.ts';
import type { Loop } from '../loop.ts';
import type { Connections } from '../server/admission/connections.ts';
import type { ConnectionRegistry } from '../server/graphql/connections/registry.ts';
import { watchCostly, watchNow } from '../server/metrics/cached-gauges.ts';
import type { Network } from '../values/assets.ts';
import { VERSION } from '../database/program.ts';
import { watchDatabase } from './database-metrics.ts';
import { watchNetworks, watchNodes } from './networks/network-metrics.ts';
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

/** Registers the gauges of every role: the database, loops, event log, networks and subscriptions. */
export function watchProcess(registry: Registry, parts: ProcessParts): void {
  const { db, loops, chains, assetsOff, listeners, payouts } = parts;
  showBuild(registry, db);
  watchDatabase(registry, db, payouts.clock);
  watchLoops(registry, loops);
  watchCostly(registry, () => readQueueDepths(db.em), [
    {
      name: 'turnpike_events_unnumbered',
      help: 'Committed events that are not numbered yet, so nothing was sent for them',
      of: ({ unnumbered }) => unnumbered,
    },
    {
      name: 'turnpike_events_not_relayed',
      help: 'Numbered events whose webhook deliveries are not created yet',
      of: ({ notRelayed }) => notRelayed,
    },
    {
      name: 'turnpike_events_unnumbered_seconds',
      help: 'For how long the first committed event has waited for its number',
      of: ({ unnumberedSeconds }) => unnumberedSeconds,
    },
    {
      name: 'turnpike_events_not_relayed_seconds',
      help: 'Age of the first numbered event whose webhook deliveries are not created yet',
      of: ({ notRelayedSeconds }) => notRelayedSeconds,
    },
  ]);
  watchPayouts(registry, db, { chains, assetsOff, ...payouts });
  watchCopies(registry, db, chains);
  watchNetworks(registry, db, chains);
  watchNodes(registry, chains);
  watchCostly(registry, () => readHalts(db.em), [
    {
      name: 'turnpike_signing_halted',
      help: 'Whether signing on a network is halted until its operator has recovered the book: 1, else 0',
      label: 'network',
      of: (halts) => {
        const halted = new Set(halts.map(({ network }) => network));
        return new Map([...chains.keys()].map((network) => [network, halted.has(network) ? 1 : 0]));
      },
    },
  ]);
  watchNow(registry, listeners, [
    { name: 'turnpike_live_listeners', help: 'Open subscriptions', of: (count) => count() },
  ]);
}

/** Adoptions of database copies, and the share of addresses used up. */
function watchCopies(registry: Registry, { em }: Database, chains: ReadonlyMap<Network, Chain>): void {
  watchCostly(registry, () => countAdoptions(em), [
    {
      name: 'turnpike_database_adoptions',
      help: 'How often another copy of the database was adopted: restored, promoted or loaded from a dump',
      of: (count) => count,
    },
  ]);
  const pooled = () => [...chains.values()].filter(({ adapter }) => adapter.addresses === 'POOLED');
  const shares = () => readShares(em, [...new Set(pooled().map(({ account }) => account))]);
  watchCostly(registry, shares, [
    {
      name: 'turnpike_addresses_used_ratio',
      help: "Share of an account's addresses that are used or skipped; at 1 there are none left",
      label: 'account',
      of: (of) => of,
    },
  ]);
}

/** Which program this is, so that a rolling upgrade can be followed. */
function showBuild(registry: Registry, { steps }: Database): void {
  const build = new Gauge({
    name: 'turnpike_build_info',
    help: 'Always 1: the version of this program, and of the schema that it needs',
    labelNames: ['version', 'schema'] as const,
    registers: [registry],
  });
  build.set({ version: VERSION, schema: String(steps.length) }, 1);
}

function watchLoops(registry: Registry, loops: Loops): void {
  const each = (figureOf: (loop: Loop) => number) => () =>
    new Map(loops.all().map((loop) => [loop.name, figureOf(loop)]));
  watchNow(registry, loops, [
    {
      name: 'turnpike_loop_since_run_seconds',
      help: 'Seconds since the last run of a loop ended',
      label: 'loop',
      of: each((loop) => loop.sinceRunMs() / 1_000),
    },
    {
      name: 'turnpike_loop_since_success_seconds',
      help: 'Seconds since the last run of a loop that ended without an error',
      label: 'loop',
      of: each((loop) => loop.sinceSuccessMs() / 1_000),
    },
    {
      name: 'turnpike_loop_failures',
      help: 'Consecutive runs of a loop that ended with an error',
      label: 'loop',
      of: each((loop) => loop.failures()),
    },
  ]);
  new Counter({
    name: 'turnpike_loop_runs_total',
    help: 'Runs of a loop, by outcome',
    labelNames: ['loop', 'outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const loop of loops.all()) {
        const { succeeded, failed } = loop.totals();
        this.inc({ loop: loop.name, outcome: 'success' }, succeeded);
        this.inc({ loop: loop.name, outcome: 'failed' }, failed);
      }
    },
  });
  new Counter({
    name: 'turnpike_loop_busy_seconds_total',
    help: 'Seconds in which a loop was running and not waiting for work',
    labelNames: ['loop'],
    registers: [registry],
    collect() {
      this.reset();
      for (const loop of loops.all()) this.inc({ loop: loop.name }, loop.totals().busySeconds);
    },
  });
}

interface ApiMetricsParts {
  readonly sockets: () => number;
  readonly streams: () => number;
  readonly load: () => { readonly underWay: number; readonly waiting: number };
  readonly connections: Connections;
  readonly clients: Pick<ConnectionRegistry, 'refused' | 'unread'>;
}

/** Registers the gauges of the api role: connections and load. */
export function watchApi(registry: Registry, parts: ApiMetricsParts): void {
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
      help: 'Current calls: under way, and waiting for their turn, including operations that count as several calls',
      label: 'state',
      of: ({ load }) =>
        new Map([
          ['under way', load().underWay],
          ['waiting', load().waiting],
        ]),
    },
    {
      name: 'turnpike_connections',
      help: 'Open connections of callers, including those for live updates',
      of: ({ connections }) => connections.size(),
    },
    {
      name: 'turnpike_unread_bytes',
      help: 'Bytes waiting to be read by callers: large responses, and everything on web sockets and event streams',
      of: ({ clients }) => clients.unread.taken(),
    },
  ]);
  new Counter({
    name: 'turnpike_unread_cut_total',
    help: 'Connections closed because too much was unread in total, and most of it by their callers',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(parts.clients.unread.givenUp());
    },
  });
  new Counter({
    name: 'turnpike_connections_refused_total',
    help: 'Connections refused, by the limit that was reached',
    labelNames: ['kind', 'of'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [of, count] of parts.connections.refused()) this.inc({ kind: 'any', of }, count);
      for (const [of, count] of parts.clients.refused()) this.inc({ kind: 'live', of }, count);
    },
  });
}
