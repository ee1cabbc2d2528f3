// The table of currencies that a price may be in.

import { expect, it } from '@jest/globals';
import { COIN_CODES, FIAT_CODES, isFiat, priceDecimals } from '../../../src/values/prices/currencies.ts';

const WITHOUT = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' ');
const THREE = 'BHD IQD JOD KWD LYD OMR TND'.split(' ');

it.each([...WITHOUT.map((code) => [code, 0] as const), ...THREE.map((code) => [code, 3] as const)])(
  '%s has %s decimals',
  (code, decimals) => {
    expect(priceDecimals(code)).toBe(decimals);
  },
);

it('every other currency of a state has two', () => {
  const others = FIAT_CODES.filter((code) => !WITHOUT.includes(code) && !THREE.includes(code));
  expect(others.length).toBeGreaterThan(125);
  expect(others.filter((code) => priceDecimals(code) !== 2)).toEqual([]);
});

it('the table has what is in use in the runtime, and no code twice', () => {
  expect(new Set(FIAT_CODES).size).toBe(FIAT_CODES.length);
  const known = new Set(Intl.supportedValuesOf('currency'));
  // Newer than some runtimes' tables.
  for (const recent of ['XCG', 'ZWG', 'SLE', 'VED']) known.add(recent);
  expect(FIAT_CODES.filter((code) => !known.has(code))).toEqual([]);
});

it.each(['XAU', 'XAG', 'XDR', 'XTS', 'XXX', 'BOV', 'CHE', 'CHW', 'CLF', 'COU', 'MXV', 'USN', 'UYI', 'UYW', 'eur', ''])(
  'nothing is priced in %p',
  (code) => {
    expect(priceDecimals(code)).toBeNull();
  },
);

it.each([
  ['USDT', 6],
  ['USDC', 6],
  ['BTC', 8],
  ['ETH', 8],
  ['SOL', 8],
  ['TRX', 8],
])('a price in %s has %s decimals, whatever its network has', (code, decimals) => {
  expect(COIN_CODES).toContain(code);
  expect(isFiat(code)).toBe(false);
  expect(priceDecimals(code)).toBe(decimals);
});
