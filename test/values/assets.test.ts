// Networks and assets: the contract's table, and which names are accepted for them.

import { describe, expect, it } from '@jest/globals';
import {
  assetOf,
  ASSETS,
  explorerUrlOf,
  findAsset,
  leastOf,
  limitsOf,
  NETWORK_CODES,
  NETWORKS,
  parseNetwork,
  tokenStandardOf,
} from '../../src/values/assets.ts';
import { parseEvmAddress } from '../../src/chain/evm/address.ts';
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
    '%j is not a network',
    (text) => {
      expect(parseNetwork(text)).toBeNull();
    },
  );
});

describe('transactions', () => {
  it('have a page of their own on an explorer of each main network', () => {
    const txHash = `0x${'ab'.repeat(32)}`;
    const pages = NETWORK_CODES.map((network) => explorerUrlOf(network, txHash));
    expect(new Set(pages.map((page) => new URL(page).host)).size).toBe(NETWORK_CODES.length);
    for (const page of pages) expect(page).toMatch(new RegExp(`^https://[a-z.]+/[a-z#/]+/${txHash}$`));
  });
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

  /** From block explorers for each contract and coin, written independently of the product's table. */
  it('have the decimals that they have on each network', () => {
    const figures: Readonly<Record<string, readonly (readonly [string, number])[]>> = {
      BTC: [['BTC', 8]],
      LTC: [['LTC', 8]],
      ETH: [
        ['ETH', 18],
        ['USDT', 6],
        ['USDC', 6],
      ],
      BSC: [
        ['BNB', 18],
        ['USDT', 18],
        ['USDC', 18],
      ],
      POLYGON: [
        ['POL', 18],
        ['USDT', 6],
        ['USDC', 6],
      ],
      ARBITRUM: [
        ['ETH', 18],
        ['USDT', 6],
        ['USDC', 6],
      ],
      OPTIMISM: [
        ['ETH', 18],
        ['USDT', 6],
        ['USDC', 6],
      ],
      BASE: [
        ['ETH', 18],
        ['USDT', 6],
        ['USDC', 6],
      ],
      AVALANCHE: [
        ['AVAX', 18],
        ['USDT', 6],
        ['USDC', 6],
      ],
      TRON: [
        ['TRX', 6],
        ['USDT', 6],
        ['USDC', 6],
      ],
      SOL: [
        ['SOL', 9],
        ['USDT', 6],
        ['USDC', 6],
      ],
    };
    const own = NETWORK_CODES.map((code) => [
      code,
      ASSETS.filter((asset) => asset.network === code).map(({ currency, decimals }) => [currency, decimals]),
    ]);
    expect(Object.fromEntries(own)).toEqual(figures);
  });

  it('tokens of EVM networks have contracts with the right checksum, each its own on its network', () => {
    const tokens = ASSETS.filter(({ isCoin }) => !isCoin);
    const seen = new Set(tokens.map(({ network, mainContract }) => `${network} ${String(mainContract)}`));
    expect(seen.size).toBe(tokens.length);
    for (const { network, mainContract } of tokens.filter((asset) => NETWORKS[asset.network].kind === 'evm')) {
      expect(mainContract).toMatch(/[A-F]/);
      expect([network, parseEvmAddress(String(mainContract))?.address]).toEqual([network, mainContract]);
    }
  });

  it.each([
    ['BTC', 'ETH'],
    ['USDT', 'BTC'],
    ['DOGE', 'ETH'],
    ['constructor', 'ETH'],
    ['', 'ETH'],
  ] as const)('%s on %s is not an asset', (currency, network) => {
    expect(findAsset(currency, network)).toBeNull();
  });

  it.each([
    ['ETH', 'ERC20'],
    ['TRON', 'TRC20'],
    ['BSC', 'BEP20'],
    ['SOL', 'SPL'],
    ['POLYGON', null],
    ['BTC', null],
  ] as const)('tokens on %s are called %s where one chooses', (network, standard) => {
    expect(tokenStandardOf(network)).toBe(standard);
    if (standard !== null) expect(parseNetwork(standard)).toBe(network);
  });

  it('a stored pair that is not an asset means a broken database, and the error says so', () => {
    expect(() => assetOf({ currency: 'DOGE', network: 'ETH' })).toThrow('No such asset: DOGE on ETH');
  });

  it('tokens are taken from 0.01, coins from 0.0001, SOL with a node from what an account must hold; all up to 1,000,000', () => {
    for (const asset of ASSETS) {
      const limits = (hasNode: boolean) => {
        const { min, max } = limitsOf(asset, hasNode);
        return [min, max].map((limit) => formatAmount(limit, asset.decimals));
      };
      const least = asset.isCoin ? '0.0001' : '0.01';
      expect(limits(false)).toEqual([least, '1000000']);
      expect(limits(true)).toEqual([asset.currency === 'SOL' ? '0.001' : least, '1000000']);
      expect(formatAmount(leastOf(asset), asset.decimals)).toBe(asset.currency === 'SOL' ? '0.001' : least);
    }
  });
});
