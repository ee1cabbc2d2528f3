// Starts what rates come from: the sandbox's prices, or the market's, which every process follows.

import { Gauge, type Registry } from 'prom-client';
import type { Config } from '../../config/config.ts';
import type { SyncedClock } from '../../database/clock.ts';
import type { Database } from '../../database/connection.ts';
import { createRates, type PriceSource } from '../../domain/rates/create-rates.ts';
import { createMarketPrices, type MarketPrices } from '../../domain/rates/market-prices.ts';
import type { Rates } from '../../domain/rates/rates.ts';
import { createSandboxPrices } from '../../domain/rates/sandbox-prices.ts';
import type { Loops } from '../lifecycle.ts';

interface RateParts {
  readonly db: Database;
  readonly clock: SyncedClock;
  readonly loops: Loops;
  readonly registry: Registry;
}

/** How often a process looks for new figures, which is one small statement. */
const LOOK_MS = 1_000;

/** The rates of this process, from memory. Every process follows the figures. */
export async function startRates(config: Config, { db, clock, loops, registry }: RateParts): Promise<Rates> {
  const { source, pollSeconds, lastGoodMinutes } = config.rates;
  const market = source === 'market' ? createMarketPrices({ db, clock }, { pollSeconds, lastGoodMinutes }) : null;
  if (market) {
    await market.worker.processNext();
    loops.start(market.worker, { idleMs: LOOK_MS });
  }
  watchAges(registry, market);
  let prices: PriceSource | null = market;
  if (config.environment === 'sandbox' && source !== 'none') prices = createSandboxPrices(clock, prices);
  return createRates(prices, clock);
}

function watchAges(registry: Registry, market: MarketPrices | null): void {
  new Gauge({
    name: 'turnpike_rate_age_seconds',
    help: 'How long ago a code last had a good figure',
    labelNames: ['code'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [code, seconds] of market?.ages() ?? []) this.set({ code }, seconds);
    },
  });
}
