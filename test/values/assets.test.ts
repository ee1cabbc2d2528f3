// Networks and assets: the contract's table, and what is understood by it.

import { describe, expect, it } from '@jest/globals';
import {
  ASSETS,
  assetOf,
  findAsset,
  limitsOf,
  NETWORK_CODES,
  NETWORKS,
  parseNetwork,
} from '../../src/values/assets.ts';
import { formatAmount } from '../../src/values/amount.ts';

describe('networks', () => {
  it('have the contract’s codes and confirmations', () => {
    expect(NETWORK_CODES.map((code) => [code, NETWORKS[code].confirmations])).toEqual([
      ...[
        ['BTC', 2],
        ['LTC', 6],
        ['ETH', 12],
        ['BSC', 15],
        ['POLYGON', 30],
        ['ARBITRUM', 20],
        ['OPTIMISM', 20],
      ],
      ...[
        ['BASE', 20],
        ['AVALANCHE', 12],
        ['TRON', 20],
        ['SOL', 32],
      ],
    ]);
  });

  it.each([
    ['ERC20', 'ETH'],
    ['TRC20', 'TRON'],
    ['BEP20', 'BSC'],
    ['MATIC', 'POLYGON'],
    ['SPL', 'SOL'],
    ['eth', 'ETH'],
    ['Bep20', 'BSC'],
  ])('%s is %s', (text, code) => {
    expect(parseNetwork(text)).toBe(code);
  });

  it.each(['', 'ETHEREUM', 'constructor', '__proto__', 'toString', 'hasOwnProperty', ' ETH', 'ＥＴＨ', 'ETH\u0000'])(
    '%j is none',
    (text) => {
      expect(parseNetwork(text)).toBeNull();
    },
  );
});

describe('assets', () => {
  it('are each network’s coin, and USDT and USDC where they exist', () => {
    for (const code of NETWORK_CODES) {
      const own = ASSETS.filter((asset) => asset.network === code).map((asset) => asset.currency);
      const hasTokens = code !== 'BTC' && code !== 'LTC';
      expect(own).toEqual(hasTokens ? [NETWORKS[code].coin, 'USDT', 'USDC'] : [NETWORKS[code].coin]);
    }
  });

  it.each([
    ['USDT', 'ETH', 6],
    ['USDT', 'BSC', 18],
    ['USDC', 'BSC', 18],
    ['usdc', 'TRON', 6],
    ['BTC', 'BTC', 8],
    ['ETH', 'BASE', 18],
    ['SOL', 'SOL', 9],
  ] as const)('%s on %s has %i decimals', (currency, network, decimals) => {
    expect(findAsset(currency, network)).toMatchObject({ currency: currency.toUpperCase(), network, decimals });
  });

  it.each([
    ['BTC', 'ETH'],
    ['USDT', 'BTC'],
    ['DOGE', 'ETH'],
    ['constructor', 'ETH'],
    ['', 'ETH'],
  ] as const)('%s on %s is none', (currency, network) => {
    expect(findAsset(currency, network)).toBeNull();
  });

  it('a stored pair that is none is a broken database, and is said to be', () => {
    expect(() => assetOf({ currency: 'DOGE', network: 'ETH' })).toThrow('No such asset: DOGE on ETH');
  });

  it('tokens are taken from 0.01, coins from 0.0001, and everything up to 1,000,000', () => {
    for (const asset of ASSETS) {
      const { min, max } = limitsOf(asset);
      const least = asset.isCoin ? '0.0001' : '0.01';
      expect([min, max].map((limit) => formatAmount(limit, asset.decimals))).toEqual([least, '1000000']);
    }
  });
});
