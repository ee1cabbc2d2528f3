// The market's prices in the memory of a process: fresh, held, and gone; and what the market said at a block's time
// (contract-invoices, sections 2 and 10).

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { storeTicks } from '../../../src/database/queries/rates/ticks.ts';
import { createRates } from '../../../src/domain/rates/create-rates.ts';
import { judgeFigures } from '../../../src/domain/rates/judge-figures.ts';
import { createMarketPrices, type MarketPrices } from '../../../src/domain/rates/market-prices.ts';
import type { RateMerchant, Rates } from '../../../src/domain/rates/rates.ts';
import { createRetention } from '../../../src/domain/retention.ts';
import { formatAmount } from '../../../src/values/amount.ts';
import type { FigureRules } from '../../../src/values/feeds/figure.ts';
import { RATE_DECIMALS, readUsd } from '../../../src/values/prices/price.ts';
import { createSetup, START, type Setup } from '../book.fixture.ts';

const RULES: FigureRules = { minSources: 2, maxAgeSeconds: 180, maxDeviation: 5, maxJump: 20, lastGoodMinutes: 10 };
const FEEDS = ['kraken', 'coinbase'];
const MERCHANT: RateMerchant = { id: 'mer_1', spread: 0, fixedRates: [], movedPrices: {} };

let setup: Setup;
let memory: MarketPrices;
let rates: Rates;
let now = START;

beforeAll(async () => {
  setup = await createSetup();
});
afterAll(() => setup.stop());
beforeEach(async () => {
  await setup.sql('truncate rate_feed, rate_tick, rate');
  at(0);
  restart();
});

const secondsLater = (seconds: number) => new Date(START.getTime() + seconds * 1_000);
function at(seconds: number): void {
  now = secondsLater(seconds);
  setup.setNow(now);
}
/** Another process, or this one after its start. */
function restart(): void {
  memory = createMarketPrices(setup.deps, { pollSeconds: 30, lastGoodMinutes: RULES.lastGoodMinutes });
  rates = createRates(memory, setup.deps.clock);
}
const look = () => memory.worker.processNext();

/** The feeds say prices now, and they are judged; the first only if `alone`. */
async function say(prices: Record<string, string>, { alone = false, rules = RULES } = {}): Promise<void> {
  const ticks = Object.entries(prices).map(([code, usd]) => ({ code, usd: readUsd(usd), at: now }));
  for (const feed of alone ? FEEDS.slice(0, 1) : FEEDS) await storeTicks(setup.deps.db.em, feed, ticks);
  await judgeFigures(setup.deps, FEEDS, rules);
  await look();
}
/** The rate that a quote would take, with its state; null for none. */
function quote(asset = 'BTC', currency = 'EUR'): string | null {
  const quoted = rates.quote(MERCHANT, asset, currency);
  return quoted && `${formatAmount(quoted.rate, RATE_DECIMALS)} ${quoted.state}`;
}
const PRICES = { BTC: '60000', EUR: '1.08' };

describe('a price', () => {
  it('is there once the feeds have said it, with what each said, as old as the older of its two codes', async () => {
    await look();
    expect(quote()).toBeNull();
    await say({ EUR: '1.08' });
    at(20);
    await say({ BTC: '60000' });
    expect(quote()).toBe('55555.555555555556 FRESH');
    at(30);
    const { at: time, sources, evidence } = rates.quote(MERCHANT, 'BTC', 'EUR') ?? {};
    // The euro was judged again, from the same ticks, when Bitcoin was.
    expect([time, sources]).toEqual([secondsLater(20), ['coinbase', 'kraken']]);
    expect(evidence).toEqual([
      { feed: 'coinbase', code: 'BTC', usd: '60000', at: secondsLater(20).toISOString() },
      { feed: 'kraken', code: 'BTC', usd: '60000', at: secondsLater(20).toISOString() },
      { feed: 'coinbase', code: 'EUR', usd: '1.08', at: START.toISOString() },
      { feed: 'kraken', code: 'EUR', usd: '1.08', at: START.toISOString() },
    ]);
  });

  it('of the dollar is one, and others are read in it', async () => {
    await say(PRICES);
    expect([quote('BTC', 'USD'), quote('BTC', 'BTC')]).toEqual(['60000 FRESH', '1 FRESH']);
  });

  it('is held while the sources say too little, until it is ten minutes old, and for that coin alone', async () => {
    await say(PRICES);
    for (const [seconds, state] of [
      [65, 'FRESH'],
      [65.001, 'HELD'],
      [600, 'HELD'],
    ] as const) {
      at(seconds);
      await look();
      expect(quote()).toBe(`55555.555555555556 ${state}`);
    }
    await say({ EUR: '1.08', ETH: '3000' });
    at(600.001);
    expect([quote(), quote('ETH')]).toEqual([null, '2777.777777777778 FRESH']);
  });

  it('is none at once after a jump, also for a process that starts then, and back once it is believed', async () => {
    await say(PRICES);
    at(30);
    await say({ BTC: '40000' });
    expect([quote(), quote('EUR', 'USD')]).toEqual([null, '1.08 FRESH']);
    restart();
    await look();
    expect(quote()).toBeNull();
    // What was good before the jump stays as it was: the next figures are judged by it.
    at(60);
    await say({ BTC: '40000' });
    expect(quote()).toBeNull();
    at(90);
    await say({ BTC: '59000', EUR: '1.08' });
    expect(quote()).toBe('54629.62962962963 FRESH');
  });

  it('after a jump is none while the sources say too little, too', async () => {
    await say(PRICES);
    at(30);
    await say({ BTC: '40000' });
    at(300);
    await say({ BTC: '60000' }, { alone: true });
    expect(quote()).toBeNull();
  });

  it('that jumped and stays is believed once the last good one is ten minutes old: a crash stops quotes for minutes', async () => {
    await say(PRICES);
    for (const seconds of [120, 240, 360, 480, 600]) {
      at(seconds);
      await say({ BTC: '40000', EUR: '1.08' });
      expect(quote()).toBeNull();
    }
    at(601);
    await say({ BTC: '40000', EUR: '1.08' });
    expect(quote()).toBe('37037.037037037037 FRESH');
  });

  it('is the newest of a minute, and a jump in a minute leaves its last good one', async () => {
    await say(PRICES);
    at(10);
    await say({ BTC: '60600', EUR: '1.08' });
    at(20);
    await say({ BTC: '90000' });
    const rows = await setup.sql<{ usd: string | null; seconds: number }>(
      `select trim_scale(usd)::text as usd, extract(epoch from at - $1::timestamptz)::int as seconds
       from rate where code = 'BTC' order by at`,
      [START],
    );
    expect(rows).toEqual([
      { usd: '60600', seconds: 10 },
      { usd: null, seconds: 20 },
    ]);
  });

  it('is judged by one process at a time; another’s turn is the next', async () => {
    await say(PRICES);
    at(30);
    await Promise.all([say(PRICES), judgeFigures(setup.deps, FEEDS, RULES), judgeFigures(setup.deps, FEEDS, RULES)]);
    expect(quote()).toBe('55555.555555555556 FRESH');
  });

  it('that fits no column makes no rate, and stops nothing', async () => {
    await say({ BTC: '999999999999999999', IRR: '0.000000000000000001', EUR: '1.08' });
    expect([quote('BTC', 'IRR'), quote('IRR', 'BTC'), quote('EUR', 'USD')]).toEqual([null, null, '1.08 FRESH']);
  });
});

describe('a currency', () => {
  it('is known once it had a price here, for good, also where nothing quotes it now', async () => {
    await look();
    expect(['EUR', 'USD', 'BTC'].map((code) => rates.knows(MERCHANT, code))).toEqual([false, false, true]);
    await say(PRICES);
    expect(['EUR', 'USD', 'GBP'].map((code) => rates.knows(MERCHANT, code))).toEqual([true, true, false]);
    at(30 * 86_400);
    const retention = createRetention(setup.deps, { apiLogDays: 90, eventDays: null });
    while (await retention.processNext());
    restart();
    await look();
    expect([rates.knows(MERCHANT, 'EUR'), quote()]).toEqual([true, null]);
    const fixed = { ...MERCHANT, fixedRates: [{ asset: 'USDT', currency: 'ISK', rate: '137.5' }] };
    expect([rates.knows(fixed, 'ISK'), rates.knows(MERCHANT, 'ISK')]).toEqual([true, false]);
  });
});

describe('the age of a code', () => {
  it('is how long ago it had a good figure, also after a jump', async () => {
    await say(PRICES);
    at(30);
    await say({ BTC: '40000', EUR: '1.08' });
    at(40);
    expect(Object.fromEntries(memory.ages())).toEqual({ BTC: 40, EUR: 10 });
  });
});

describe('what the market said', () => {
  const marketAt = async (seconds: number, asset = 'BTC', currency = 'EUR', merchantId = 'mer_1') => {
    const questions = [{ merchantId, asset, currency, at: secondsLater(seconds) }];
    const [found] = await rates.marketsAt(setup.deps.db.em, questions);
    return found
      ? `${formatAmount(found.rate, RATE_DECIMALS)} ${(found.at.getTime() - START.getTime()) / 1_000}`
      : null;
  };

  it('at a block’s time is what was judged last before it, at most 24 hours earlier', async () => {
    await say(PRICES);
    at(60);
    await say({ BTC: '60600', EUR: '1.08' });
    expect(await marketAt(-1)).toBeNull();
    expect(await marketAt(0)).toBe('55555.555555555556 0');
    expect(await marketAt(59)).toBe('55555.555555555556 0');
    expect(await marketAt(60)).toBe('56111.111111111111 60');
    expect(await marketAt(60 + 86_400)).toBe('56111.111111111111 60');
    expect(await marketAt(60 + 86_401)).toBeNull();
  });

  it('is as old as the older of two codes, and passes over jumps', async () => {
    await say(PRICES);
    at(60);
    await say({ BTC: '90000', EUR: '1.09' });
    expect(await marketAt(120)).toBe('55045.871559633028 0');
    expect(await marketAt(120, 'EUR', 'USD')).toBe('1.09 60');
  });
});
