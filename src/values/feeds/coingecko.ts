// CoinGecko's simple prices: each coin in US dollars, and currencies by what Bitcoin costs in them.
// https://docs.coingecko.com/reference/simple-price

import { asUsd, ratio, readDecimal } from './decimals.ts';
import { fieldOf, fieldsOf, parseWithNumbersAsText, readSeconds } from './json-text.ts';
import { isPriced, tickOf, type ReadTicks, type Tick } from './tick.ts';

const COINS: ReadonlyMap<string, string> = new Map([
  ...([
    ['bitcoin', 'BTC'],
    ['litecoin', 'LTC'],
    ['ethereum', 'ETH'],
    ['binancecoin', 'BNB'],
  ] as const),
  ...([
    ['polygon-ecosystem-token', 'POL'],
    ['avalanche-2', 'AVAX'],
    ['tron', 'TRX'],
    ['solana', 'SOL'],
  ] as const),
  ...([
    ['tether', 'USDT'],
    ['usd-coin', 'USDC'],
  ] as const),
]);

/** The currencies that it knows prices in, of those that something may be priced in here. */
const CURRENCIES =
  `usd aed ars aud bdt bhd bmd brl cad chf clp cny czk dkk eur gbp gel hkd huf idr ils inr jpy krw kwd lkr
  mmk mxn myr ngn nok nzd php pkr pln sar sek sgd thb try twd uah vnd zar`.split(/\s+/);

/** What is asked for: all coins in all currencies, with all digits. */
export const COINGECKO_PATH =
  `/api/v3/simple/price?ids=${[...COINS.keys()].join(',')}&vs_currencies=${CURRENCIES.join(',')}` +
  '&include_last_updated_at=true&precision=full';

/** Reads the prices as of their own times. */
export const readCoingecko: ReadTicks = (body, arrivedAt) =>
  fieldsOf(parseWithNumbersAsText(body), 'the answer').flatMap(([id, prices]) => {
    const [code, at] = [COINS.get(id), readSeconds(fieldOf(prices, 'last_updated_at'), arrivedAt)];
    if (code === undefined || at === null) return [];
    const usd = readDecimal(fieldOf(prices, 'usd'));
    return [...tickOf(code, asUsd(usd), at), ...(code === 'BTC' ? currenciesOf(prices, usd, at) : [])];
  });

/** What currencies cost: Bitcoin in US dollars over Bitcoin in the currency. */
function currenciesOf(prices: unknown, usd: bigint | null, at: Date): Tick[] {
  return CURRENCIES.filter((name) => isPriced(name.toUpperCase())).flatMap((name) =>
    tickOf(name.toUpperCase(), ratio(usd, readDecimal(fieldOf(prices, name))), at),
  );
}
