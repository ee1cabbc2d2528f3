// The table of EVM networks: chain ids, fee model, batch size and fee limits of each.

import type { Network } from '../../values/assets.ts';

/** How gas is priced: a base fee plus a tip (EIP-1559), or a single price. */
export type FeeModel = 'EIP1559' | 'LEGACY';

export interface EvmNetwork {
  /** EIP-155 chain ids of the main network and of the test network that the sandbox stands for. */
  readonly chainId: number;
  readonly testChainId: number;
  readonly fees: FeeModel;
  /** The rollup stack, if transactions also pay for publishing their bytes on another chain. */
  readonly dataFee: 'OP_STACK' | null;
  /** The batch size that the network's public nodes accept. */
  readonly batchSize: number;
  /** In gwei: the most that our transactions ever offer for gas, and the part of it for the block producer. */
  readonly maxGasPrice: number;
  readonly maxTip: number;
}

type Prices = Pick<EvmNetwork, 'maxGasPrice' | 'maxTip'>;

const row = (chainId: number, testChainId: number, rest: Prices & Partial<EvmNetwork>): EvmNetwork => ({
  ...{ chainId, testChainId, fees: 'EIP1559', dataFee: null, batchSize: 50 },
  ...rest,
});

/** Chain ids from chainid.network. The test networks are Sepolia and its rollups' Sepolias, Chapel, Amoy and Fuji. */
export const EVM_NETWORKS: Readonly<Partial<Record<Network, EvmNetwork>>> = {
  ETH: row(1, 11_155_111, { maxGasPrice: 1_000, maxTip: 20 }),
  // The base fee is zero; only the gas price that validators accept counts.
  BSC: row(56, 97, { fees: 'LEGACY', maxGasPrice: 20, maxTip: 20 }),
  POLYGON: row(137, 80_002, { maxGasPrice: 5_000, maxTip: 500 }),
  ARBITRUM: row(42_161, 421_614, { maxGasPrice: 50, maxTip: 1 }),
  OPTIMISM: row(10, 11_155_420, { dataFee: 'OP_STACK', maxGasPrice: 20, maxTip: 1 }),
  BASE: row(8_453, 84_532, { dataFee: 'OP_STACK', maxGasPrice: 20, maxTip: 1 }),
  AVALANCHE: row(43_114, 43_113, { batchSize: 40, maxGasPrice: 500, maxTip: 20 }),
};

/** Throws if the network is not an EVM network. */
export function evmNetwork(network: Network): EvmNetwork {
  const found = EVM_NETWORKS[network];
  if (!found) throw new Error(`${network} is not an EVM network`);
  return found;
}
