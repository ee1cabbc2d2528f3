// Above which amounts what an operator does waits for another one.

import { describe, expect, it } from '@jest/globals';
import { needsApproval, parseThresholds } from '../../src/values/approval-thresholds.ts';

const USDT = { currency: 'USDT', network: 'ETH' } as const;
const ETH = { currency: 'ETH', network: 'ETH' } as const;

describe('thresholds of approvals', () => {
  it.each([
    ['none', USDT, 10n ** 30n, false],
    ['all', USDT, 1n, true],
    ['all', ETH, -1n, true],
    ['USDT/ETH=1000', USDT, 1_000_000_000n, false],
    ['USDT/ETH=1000', USDT, 1_000_000_001n, true],
    ['USDT/ETH=1000', USDT, -1_000_000_001n, true],
    ['USDT/ETH=1000', ETH, 1n, true],
    ['usdt/eth = 1000 , ETH/ETH=0.5', ETH, 5n * 10n ** 17n, false],
    ['USDT/ETH=0', USDT, 1n, true],
  ] as const)('%s: %j of %s waits: %s', (text, asset, units, waits) => {
    const thresholds = parseThresholds(text);
    expect(thresholds && needsApproval(thresholds, asset, units)).toBe(waits);
  });

  it.each([
    '',
    'some',
    'USDT=1',
    'USDT/ETH',
    'USDT/ETH=-1',
    'USDT/ETH=0.0000001',
    'DOGE/ETH=1',
    'USDT/ETH=1,USDT/ETH=2',
  ])('%j is none', (text) => expect(parseThresholds(text)).toBeNull());
});
