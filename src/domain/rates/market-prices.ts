// The market's prices in the memory of this process, kept fresh from the figures that observers store.

import type { Clock } from '../../database/clock.ts';
import type { Database } from '../../database/connection.ts';
import { readFiguresAt, readFiguresAfter, readKnownCodes, type Figure } from '../../database/queries/rates/figures.ts';
import { isOver, type FigureRules } from '../../values/feeds/figure.ts';
import { USD_DECIMALS } from '../../values/prices/price.ts';
import type { CurrentPrice, PriceSource } from './create-rates.ts';
import type { RateEvidence } from './rates.ts';

/** What is remembered of a code. */
interface Remembered {
  /** The last good figure. */
  readonly price: Omit<CurrentPrice, 'state'> | null;
  /** Whether a jump came after it, so that it does not serve. */
  readonly jumped: boolean;
}

export interface MarketPrices extends PriceSource {
  /** Keeps the memory fresh. */
  readonly worker: { readonly name: string; processNext(): Promise<boolean> };
  /** How long ago each code had a good figure, in seconds. */
  ages(): ReadonlyMap<string, number>;
}

export interface MarketRules extends Pick<FigureRules, 'lastGoodMinutes'> {
  /** How often figures are judged at least; a good one that is older than two of them is held. */
  readonly pollSeconds: number;
}

const DOLLAR = 10n ** BigInt(USD_DECIMALS);
/** Figures become visible in the order of their times, but the clocks of two observers differ a little. */
const OVERLAP_MS = 5_000;
/** A poll may take so long. */
const SLACK_MS = 5_000;

/** Creates the source. It has no prices until its worker has run once. */
export function createMarketPrices(deps: { db: Database; clock: Clock }, rules: MarketRules): MarketPrices {
  const { db, clock } = deps;
  const memory = new Map<string, Remembered>();
  const known = new Set<string>();
  let readUntil: Date | null = null;

  async function look(): Promise<void> {
    if (readUntil === null) for (const code of await readKnownCodes(db.em)) known.add(code);
    const first = new Date(clock.now().getTime() - rules.lastGoodMinutes * 60_000 - OVERLAP_MS);
    for (const figure of await readFiguresAfter(db.em, readUntil ?? first)) {
      known.add(figure.code);
      memory.set(figure.code, remember(figure, memory.get(figure.code)));
      readUntil = laterOf(readUntil, new Date(figure.at.getTime() - OVERLAP_MS));
    }
    readUntil = laterOf(readUntil, first);
  }

  return {
    worker: { name: 'market-prices', processNext: () => look().then(() => false) },
    knows: (code) => known.has(code) || (code === 'USD' && known.size > 0),
    priceOf(_merchant, code) {
      const now = clock.now();
      if (code === 'USD') return { usd: DOLLAR, at: now, state: 'FRESH', evidence: [] };
      const { price, jumped } = memory.get(code) ?? { price: null, jumped: false };
      if (price === null || jumped || isOver(price, rules, now)) return null;
      const isFresh = now.getTime() - price.at.getTime() <= 2_000 * rules.pollSeconds + SLACK_MS;
      return { ...price, state: isFresh ? 'FRESH' : 'HELD' };
    },
    async pricesAt(em, wanted) {
      const figures = await readFiguresAt(em, wanted);
      return wanted.map(({ code, at }, nth) => (code === 'USD' ? { usd: DOLLAR, at } : (figures[nth] ?? null)));
    },
    ages() {
      const ageOf = (at: Date) => Math.max(0, (clock.now().getTime() - at.getTime()) / 1_000);
      return new Map([...memory].flatMap(([code, { price }]) => (price ? [[code, ageOf(price.at)] as const] : [])));
    },
  };
}

/** The memory of a code after one more figure, which may be one that was read before. */
function remember({ code, usd, at, sources }: Figure, before: Remembered | undefined): Remembered {
  if (usd === null) return { price: before?.price ?? null, jumped: true };
  const evidence = sources.map((source): RateEvidence => ({ code, ...source }));
  return { price: { usd, at, evidence }, jumped: false };
}

const laterOf = (one: Date | null, other: Date): Date => (one !== null && one > other ? one : other);
