// The arithmetic of prices: the figures of the contract's five lives, and exactness by property.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseAmount } from '../../../src/values/amount.ts';
import { ASSETS, findAsset, type Network } from '../../../src/values/assets.ts';
import {
  coinAmount,
  marketRate,
  priceAsValue,
  quotedRate,
  quoteStep,
  shownDown,
  shownHalfUp,
  shownUp,
  valueAt,
} from '../../../src/values/prices/price.ts';

const units = (text: string, decimals: number) => {
  const parsed = parseAmount(text, decimals);
  if (parsed === null) throw new Error(`${text} is not an amount of ${decimals} decimals`);
  return parsed;
};
const rate = (text: string) => units(text, 12);
const usd = (text: string) => units(text, 18);
const asset = (currency: string, network: Network) => {
  const found = findAsset(currency, network);
  if (!found) throw new Error(`No ${currency} on ${network}`);
  return found;
};

describe('the rates of the five lives', () => {
  it.each([
    ['60000', '1.08', 100, '55555.555555555556', '55000'],
    ['0.9995', '3.25', 0, '0.307538461538', '0.307538461538'],
    ['80', '3.25', 0, '24.615384615385', '24.615384615385'],
    ['3000', '0.0065', 0, '461538.461538461538', '461538.461538461538'],
    ['2850', '0.0065', 0, '438461.538461538462', '438461.538461538462'],
  ])('of %s over %s USD less %s basis points', (ofAsset, ofCurrency, spread, market, quoted) => {
    expect(marketRate(usd(ofAsset), usd(ofCurrency))).toBe(rate(market));
    expect(quotedRate(rate(market), spread)).toBe(rate(quoted));
  });

  it('a negative spread makes the quoted rate higher', () => {
    expect(quotedRate(rate('100'), -1_000)).toBe(rate('110'));
  });
});

describe('the amounts of the five lives', () => {
  it.each([
    ['49.9', 2, 'BTC', 'BTC', '55000', '0.00090728'],
    ['12.345', 3, 'USDT', 'TRON', '0.307538461538', '40.141321'],
    ['5000', 0, 'ETH', 'ETH', '461538.461538461538', '0.01083334'],
    ['20', 2, 'USDC', 'ETH', '1.0002', '19.996001'],
  ] as const)('%s of %s decimals in %s on %s at %s is %s', (price, decimals, currency, network, at, amount) => {
    const { decimals: ofAsset } = asset(currency, network);
    const due = priceAsValue(units(price, decimals), decimals);
    expect(coinAmount(due, rate(at), { decimals: ofAsset })).toBe(units(amount, ofAsset));
  });

  it('what an exchange sent less is due in another coin', () => {
    const received = valueAt(rate('0.307538461538'), units('20', 6), { decimals: 6 });
    expect(received).toBe(units('6.15076923076', 18) * 10n ** 12n);
    const due = priceAsValue(12_345n, 3) - received;
    expect(shownDown(received, 3)).toBe(6_150n);
    expect(shownUp(due, 3)).toBe(6_195n);
    const litecoin = asset('LTC', 'LTC');
    const amount = coinAmount(due, rate('24.615384615385'), litecoin);
    expect(amount).toBe(units('0.25164063', 8));
    expect(shownDown(received + valueAt(rate('24.615384615385'), amount, litecoin), 9)).toBe(12_345_000_123n);
  });
});

it('half up is up from the middle on', () => {
  expect(shownHalfUp(5n * 10n ** 27n, 2)).toBe(1n);
  expect(shownHalfUp(5n * 10n ** 27n - 1n, 2)).toBe(0n);
});

it('an amount is worth what it was asked for, and one step less is not', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 10n ** 14n }),
      fc.bigInt({ min: 1n, max: 10n ** 24n }),
      fc.constantFrom(...ASSETS),
      (price, at, of) => {
        const due = priceAsValue(price, 2);
        const amount = coinAmount(due, at, of);
        const worth = valueAt(at, amount, of);
        expect(worth).toBeGreaterThanOrEqual(due);
        expect(worth - valueAt(at, quoteStep(of), of)).toBeLessThan(due);
      },
    ),
  );
});

it('what is shown as received and as due is together the price', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.bigInt({ min: 0n, max: 10n ** 10n }), (received, price) => {
      const due = priceAsValue(price, 2) - received;
      fc.pre(due >= 0n);
      expect(shownDown(received, 2) + shownUp(due, 2)).toBe(price);
    }),
  );
});
