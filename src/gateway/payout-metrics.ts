// Payout gauges in /metrics: held and stuck payouts, freezes, and assets out of service.

import type { Registry } from 'prom-client';
import type { Clock } from '../database/clock.ts';
import type { Database } from '../database/connection.ts';
import { readHeldPayouts } from '../database/queries/payouts/held-payouts.ts';
import { countOpen, countStuck, type OpenCount } from '../database/queries/payouts/open-payouts.ts';
import { readFreezes } from '../database/queries/payouts/freezes.ts';
import type { AssetsOff } from '../domain/assets/out-of-service.ts';
import type { Chain } from '../domain/deps.ts';
import { watchCostly, watchNow } from '../server/metrics/cached-gauges.ts';
import type { Network } from '../values/assets.ts';
import { HELD_REASONS } from '../values/held-reasons.ts';

const OPEN_STATES = ['REQUESTED', 'BROADCAST'] as const;
const REASONS = Object.keys(HELD_REASONS);

export interface PayoutParts {
  readonly chains: ReadonlyMap<Network, Chain>;
  readonly assetsOff: Pick<AssetsOff, 'all'>;
  readonly clock: Clock;
  readonly stuckAfterMinutes: number;
}

/** Registers the gauges that an operator has to watch. */
export function watchPayouts(registry: Registry, db: Database, parts: PayoutParts): void {
  watchStuck(registry, db, parts);
  watchOpen(registry, db, parts);
  watchHeld(registry, db);
  watchNow(registry, parts.assetsOff, [
    {
      name: 'turnpike_asset_off',
      help: 'Assets out of service, by an operator or because their token charges a transfer fee',
      label: 'asset',
      of: (off) => new Map(off.all().map(({ currency, network }) => [`${currency}/${network}`, 1])),
    },
  ]);
}

/** Open payouts by their state: requested, or broadcast and not final yet. */
function watchOpen(registry: Registry, { em }: Database, { chains }: PayoutParts): void {
  const labels = ['network', 'state'];
  const each = (figureOf: (found: OpenCount) => number) => (open: readonly OpenCount[]) => {
    const series = [...chains.keys()].flatMap((network) => OPEN_STATES.map((state) => ({ network, state })));
    const named = open.map(({ network, status }) => ({ network, state: status }));
    const all = new Map([...series, ...named].map((one) => [`${one.network} ${one.state}`, one]));
    return [...all.values()].map(({ network, state }) => {
      const found = open.find((one) => one.network === network && one.status === state);
      return { labels: { network, state: state.toLowerCase() }, value: found ? figureOf(found) : 0 };
    });
  };
  watchCostly(registry, () => countOpen(em), [
    {
      ...{ name: 'turnpike_payouts_open', help: 'Payouts that are neither paid nor failed, by state', labels },
      of: each(({ count }) => count),
    },
    {
      ...{ name: 'turnpike_payouts_open_seconds', help: 'Age of the oldest open payout, by state', labels },
      of: each(({ seconds }) => seconds),
    },
  ]);
}

/** Held payouts by `heldReason`; 0 where there are none, so that alerts always have a value to compare. */
function watchHeld(registry: Registry, { em }: Database): void {
  watchCostly(registry, () => readHeldPayouts(em), [
    {
      name: 'turnpike_payouts_held',
      help: 'Payouts on hold, by reason',
      label: 'reason',
      of: (held) => new Map(REASONS.map((reason) => [reason, held.get(reason)?.count ?? 0])),
    },
    {
      name: 'turnpike_payouts_held_seconds',
      help: 'Age of the payout that has been on hold for longest, by reason',
      label: 'reason',
      of: (held) => new Map(REASONS.map((reason) => [reason, held.get(reason)?.seconds ?? 0])),
    },
  ]);
}

function watchStuck(registry: Registry, { em }: Database, { chains, clock, stuckAfterMinutes }: PayoutParts): void {
  const read = async () => {
    const until = new Date(clock.now().getTime() - stuckAfterMinutes * 60_000);
    return { stuck: await countStuck(em, until), freezes: (await readFreezes(em)).length };
  };
  watchCostly(registry, read, [
    {
      name: 'turnpike_payouts_stuck',
      help: 'Payouts open for longer than STUCK_AFTER_MINUTES',
      label: 'network',
      of: ({ stuck }) => new Map([...[...chains.keys()].map((network) => [network, 0] as const), ...stuck]),
    },
    { name: 'turnpike_payout_freezes', help: 'Freezes in force', of: ({ freezes }) => freezes },
  ]);
}
