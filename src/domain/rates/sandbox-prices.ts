// The sandbox's prices: always the same, always fresh, and moved by a merchant for themselves alone (contract-invoices,
// section 2).

import type { Clock } from '../../database/clock.ts';
import { readSandboxRatesAt, storeSandboxRate } from '../../database/queries/rates/sandbox-rates.ts';
import { parseAmount } from '../../values/amount.ts';
import { readUsd, USD_DECIMALS } from '../../values/prices/price.ts';
import type { Deps } from '../deps.ts';
import type { CurrentPrice, PriceSource, UsdPrice } from './create-rates.ts';
import type { RateMerchant } from './rates.ts';

/** What one unit costs in US dollars, unless a merchant moves it. */
export const SANDBOX_PRICES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ BTC: '60000', ETH: '3000', BNB: '600', SOL: '150', LTC: '80', AVAX: '25', POL: '0.4', TRX: '0.25' },
    ...{ USDT: '0.9995', USDC: '1.0002' },
    ...{ EUR: '1.08', GBP: '1.25', CHF: '1.1', CAD: '0.75', AUD: '0.65', PLN: '0.25', BRL: '0.2', SEK: '0.1' },
    ...{ INR: '0.012', JPY: '0.0065', KWD: '3.25', USD: '1' },
  }),
);

const SOURCE = 'sandbox';

/** The source of prices of a sandbox: what the merchant moved, else the market's where it reads one, else its own. */
export function createSandboxPrices(clock: Clock, market: PriceSource | null = null): PriceSource {
  const priceFrom = (code: string, usd: string | null | undefined): CurrentPrice | null => {
    if (usd == null) return null;
    const at = clock.now();
    const evidence = [{ feed: SOURCE, code, usd, at: at.toISOString() }];
    return { usd: readUsd(usd), at, state: 'FRESH', evidence };
  };
  const isMoved = ({ movedPrices }: RateMerchant, code: string) => Object.hasOwn(movedPrices, code);
  return {
    knows: (code) => market?.knows(code) ?? SANDBOX_PRICES.has(code),
    priceOf(merchant, code) {
      if (isMoved(merchant, code)) return priceFrom(code, merchant.movedPrices[code]);
      return market ? market.priceOf(merchant, code) : priceFrom(code, SANDBOX_PRICES.get(code));
    },
    async pricesAt(em, wanted) {
      const ofOthers = market
        ? await market.pricesAt(em, wanted)
        : wanted.map(({ code, at }) => pastPrice(SANDBOX_PRICES.get(code), at));
      const moves = await readSandboxRatesAt(em, wanted);
      return wanted.map(({ at }, nth) => {
        const moved = moves[nth];
        return moved ? pastPrice(moved.usd, at) : (ofOthers[nth] ?? null);
      });
    },
  };
}

const pastPrice = (usd: string | null | undefined, at: Date): UsdPrice | null =>
  usd == null ? null : { usd: readUsd(usd), at };

/** A price that a merchant sets for themselves: a decimal string, null for none, undefined for the sandbox's own. */
export interface SandboxRateChange {
  readonly code: string;
  readonly usd?: string | null | undefined;
}

/** Moves a price for one merchant, from now on; `usd` has at most 18 decimals. */
export async function setSandboxRate(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  merchantId: string,
  { code, usd }: SandboxRateChange,
): Promise<void> {
  if (usd != null && parseAmount(usd, USD_DECIMALS) === null) throw new Error('The schema checks what a price is');
  await storeSandboxRate(db.pool, { merchantId, code, usd, at: clock.now() });
}
