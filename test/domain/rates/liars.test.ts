// The fourth life: feeds that lie, stall and die while orders go on, and what the customer gets (contract-invoices,
// section 16).

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { findInvoiceCheckout } from '../../../src/domain/invoices/checkout.ts';
import { createRates } from '../../../src/domain/rates/create-rates.ts';
import type { RateEvidence, Rates } from '../../../src/domain/rates/rates.ts';
import { closeReceivers } from '../../dispatch/receivers.fixture.ts';
import { BODIES, openDesk, openFeed, refuse, type Desk, type FeedDouble } from '../../observe/feeds.fixture.ts';
import { audit } from '../audit.fixture.ts';
import { createSetup, START, type Setup } from '../book.fixture.ts';
import { openTillAt, type Till } from '../invoices/till.fixture.ts';

const NAMES = ['kraken', 'coinbase', 'bitstamp', 'coingecko'] as const;
type Name = (typeof NAMES)[number];

let setup: Setup;
let desk: Desk;
let till: Till<Rates>;
let memory: ReturnType<Desk['memory']>;
let feeds: Record<Name, FeedDouble>;
let pollers: ReturnType<Desk['poller']>[];

const PRICES: Readonly<Record<Name, string>> = {
  kraken: '60010',
  coinbase: '59990',
  bitstamp: '600000',
  coingecko: '0',
};
/** What a feed says of everything; only of Bitcoin they differ. */
const says = (btc: string) => BODIES.custom({ BTC: btc, USDT: '0.9995', EUR: '1.08' });

beforeAll(async () => {
  setup = await createSetup();
});
afterAll(() => setup.stop());
beforeEach(async () => {
  setup.setNow(START);
  await setup.sql('truncate rate_feed, rate_tick, rate');
  desk = openDesk(setup.deps);
  const opened = await Promise.all(NAMES.map(async (name) => [name, await openFeed(says(PRICES[name]))] as const));
  feeds = Object.fromEntries(opened) as Record<Name, FeedDouble>;
  pollers = NAMES.map((name) => desk.poller(name, feeds[name].url));
  memory = desk.memory();
  till = await openTillAt(setup, createRates(memory, setup.deps.clock));
});
afterEach(async () => {
  await audit(setup);
  await desk.close();
  await closeReceivers();
});

let now = START;
/** The observer goes on until so many seconds after the start, looking each second as in a gateway. */
async function goOnUntil(seconds: number, everySeconds = 30): Promise<void> {
  const end = START.getTime() + seconds * 1_000;
  for (let time = now.getTime(); time <= end; time += everySeconds * 1_000) {
    now = new Date(Math.min(time, end));
    setup.setNow(now);
    await Promise.all(pollers.map(({ poll }) => poll()));
    await desk.judge();
    await memory.look();
  }
}
beforeEach(() => {
  now = START;
});

/** What the customer of an invoice may choose: the states of BTC and USDT. */
const optionsOf = async (id: string) => {
  const { options = [] } = (await findInvoiceCheckout(till.deps, id)) ?? {};
  return Object.fromEntries(
    options.filter(({ network }) => ['BTC', 'TRON'].includes(network)).map(({ currency, state }) => [currency, state]),
  );
};
/** What the row of a quote keeps of who said what of a code. */
const evidenceOf = async (paymentId: string, code: string) => {
  const [row] = await setup.sql<{ evidence: readonly RateEvidence[] }>(
    `select sources->'evidence' as evidence from quote where payment_id = $1`,
    [paymentId],
  );
  return (row?.evidence ?? []).flatMap((said) => (said.code === code ? `${said.feed} ${said.usd}` : []));
};
const NO_RATE = { errorName: 'NO_RATE', retryAfterSeconds: 30 };

describe('the fourth life', () => {
  it('the zero drops, the lone liar is not believed, the silent one is missed, and USDT stays payable', async () => {
    const shop = await setup.merchant();
    const order = () => till.create(shop, { amount: '55000', currency: 'EUR', expirationMinutes: 600 });
    await goOnUntil(0);
    const first = await order();
    const quote = await till.quote(first, 'BTC', 'BTC');
    expect(quote.marketRate).toBe('55555.555555555556');
    expect(await evidenceOf(quote.id, 'BTC')).toEqual(['coinbase 59990', 'kraken 60010']);
    expect(await evidenceOf(quote.id, 'EUR')).toHaveLength(4);

    // Coinbase falls silent. Its last word counts for 180 seconds, and what was made of it then for ten minutes.
    feeds.coinbase.answers((_request, response) => void response.destroy());
    await goOnUntil(180);
    expect(rateOf('BTC')).toBe('FRESH');
    await goOnUntil(300);
    expect(rateOf('BTC')).toBe('HELD');
    const second = await order();
    expect(await till.quote(second, 'BTC', 'BTC')).toMatchObject({ marketRate: '55555.555555555556' });
    await goOnUntil(780);
    expect(rateOf('BTC')).toBe('HELD');
    setup.setNow(new Date(START.getTime() + 780_001));
    const third = await order();
    expect(await optionsOf(third.id)).toEqual({ BTC: 'NO_RATE', TRX: 'NO_RATE', USDT: 'OPEN' });
    await expect(till.quote(third, 'BTC', 'BTC')).rejects.toMatchObject(NO_RATE);
    expect(await till.quote(third, 'USDT', 'TRON')).toMatchObject({ marketRate: '0.925462962963' });

    // What was quoted before holds: reload answers it again.
    expect((await till.quote(first, 'BTC', 'BTC')).marketRate).toBe('55555.555555555556');

    // Coinbase is back: quotes at the next poll.
    feeds.coinbase.answers(says('59990'));
    await goOnUntil(1_500);
    expect(await optionsOf((await order()).id)).toMatchObject({ BTC: 'OPEN', USDT: 'OPEN' });
    expect(await till.quote(third, 'BTC', 'BTC')).toMatchObject({ marketRate: '55555.555555555556' });
  });

  it('feeds lie, stall and die in turn: no order is ever quoted at another price', async () => {
    const shop = await setup.merchant();
    feeds.bitstamp.answers(says('60000'));
    feeds.coingecko.answers(says('60005'));
    const faults = [
      says('600000'),
      says('6'),
      says('-1'),
      says('NaN'),
      refuse(429, { 'retry-after': '90' }),
      '{"rates":[',
      '[]',
    ];
    let seconds = 0;
    for (const fault of faults)
      for (const name of NAMES) {
        feeds[name].answers(fault);
        await goOnUntil((seconds += 60), 60);
        const invoice = await till.create(shop, { amount: '55000', currency: 'EUR' });
        const { marketRate } = await till.quote(invoice, 'BTC', 'BTC');
        expect(Number(marketRate)).toBeGreaterThan(55_540);
        expect(Number(marketRate)).toBeLessThan(55_571);
        feeds[name].answers(says(name === 'coingecko' || name === 'bitstamp' ? '60000' : PRICES[name]));
        await goOnUntil((seconds += 60), 60);
      }
  });

  it('all die: coins are quoted for ten minutes, and then not; invoices are still made, and fixed rates go on', async () => {
    const shop = await setup.merchant();
    await goOnUntil(0);
    for (const name of NAMES) feeds[name].answers(refuse(503));
    await goOnUntil(780);
    setup.setNow(new Date(START.getTime() + 780_001));
    const invoice = await till.create(shop, { amount: '100', currency: 'EUR' });
    expect(await optionsOf(invoice.id)).toEqual({ BTC: 'NO_RATE', TRX: 'NO_RATE', USDT: 'NO_RATE' });
    await setup.sql('update merchant set fixed_rates = $2 where id = $1', [
      shop,
      JSON.stringify([{ asset: 'USDT', currency: 'EUR', rate: '0.9' }]),
    ]);
    expect(await optionsOf(invoice.id)).toEqual({ BTC: 'NO_RATE', TRX: 'NO_RATE', USDT: 'OPEN' });
    expect(await till.quote(invoice, 'USDT', 'TRON')).toMatchObject({
      rate: '0.9',
      marketRate: null,
      sources: ['fixed'],
    });
  });
});

/** The state of a coin's rate in euros. */
function rateOf(asset: string): string | undefined {
  const merchant = { id: 'mer_1', spread: 0, fixedRates: [], movedPrices: {} };
  return till.rates.quote(merchant, asset, 'EUR')?.state;
}
