// The cost limits of payouts, by network: defaults that the configuration may change.

import { parseAmount } from './amount.ts';
import { ASSETS, NETWORKS, type Network } from './assets.ts';

/** The limits of a network's payouts. Amounts in base units. */
export interface PayoutBounds {
  /** In the coin: the most that all attempts of one payout may cost, with the sweeps and top-ups made for it. */
  readonly maxCost: bigint;
  /** Gas allowed beyond that of the same transfer to our own wallet; null where recipients run no code. */
  readonly extraGas: bigint | null;
  /** By currency: deposit addresses that hold less are not swept. */
  readonly sweepMin: ReadonlyMap<string, bigint>;
}

interface Row {
  /** In the coin, as a decimal. */
  readonly maxCost: string;
  /** About the cost of three sweeps of the coin; null on networks without sweeps. */
  readonly coinSweepMin: string | null;
}

const ROWS: Readonly<Record<Network, Row>> = {
  // About 4,000 virtual bytes at 25 (BTC) and 1,000 (LTC) base units each.
  BTC: { maxCost: '0.001', coinSweepMin: null },
  LTC: { maxCost: '0.04', coinSweepMin: null },
  ETH: { maxCost: '0.02', coinSweepMin: '0.001' },
  BSC: { maxCost: '0.002', coinSweepMin: '0.0003' },
  POLYGON: { maxCost: '2', coinSweepMin: '0.02' },
  ARBITRUM: { maxCost: '0.002', coinSweepMin: '0.0001' },
  OPTIMISM: { maxCost: '0.002', coinSweepMin: '0.0001' },
  BASE: { maxCost: '0.002', coinSweepMin: '0.0001' },
  AVALANCHE: { maxCost: '0.05', coinSweepMin: '0.005' },
  TRON: { maxCost: '60', coinSweepMin: '1' },
  SOL: { maxCost: '0.005', coinSweepMin: '0.001' },
};

/** Assumes that a token is worth about a dollar. */
const TOKEN_SWEEP_MIN = '1';
const EXTRA_GAS = 100_000n;

/** The defaults of a network. The sandbox has no minimum for sweeps. */
export function defaultBounds(network: Network, { live = false } = {}): PayoutBounds {
  const { kind, coinDecimals } = NETWORKS[network];
  const { maxCost, coinSweepMin } = ROWS[network];
  const swept = ASSETS.filter((asset) => live && asset.network === network && coinSweepMin !== null);
  return {
    maxCost: parseAmount(maxCost, coinDecimals) ?? 0n,
    extraGas: kind === 'evm' ? EXTRA_GAS : null,
    sweepMin: new Map(
      swept.map(({ currency, decimals, isCoin }) => {
        const least = isCoin ? (coinSweepMin ?? '0') : TOKEN_SWEEP_MIN;
        return [currency, parseAmount(least, decimals) ?? 0n];
      }),
    ),
  };
}
